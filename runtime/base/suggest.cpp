// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/suggest.hpp"

#include <algorithm>
#include <utility>

namespace argosy {

namespace {

constexpr std::size_t word_size_max = 64;
constexpr std::size_t beginning_size_min = 3;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool begins(std::string_view whole, std::string_view with) {
  return with.size() >= beginning_size_min && whole.size() >= with.size() &&
         std::equal(with.begin(), with.end(), whole.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

template <class Words>
std::optional<std::string_view> closest_of(std::string_view typed, const Words& known) {
  if (typed.empty() || typed.size() > word_size_max) return std::nullopt;
  std::optional<std::string_view> best;
  // A word that was begun counts as one change; among several the shortest is the closest.
  std::pair best_distance{std::max<std::size_t>(typed.size() / 3, 1) + 1, std::size_t{0}};
  for (const std::string_view word : known) {
    if (word == typed || word.size() > word_size_max) continue;
    const auto changes = edit_distance(typed, word);
    const std::pair distance{begins(word, typed) ? std::min<std::size_t>(changes, 1) : changes,
                             changes};
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = word;
  }
  return best;
}

std::string asked(const std::optional<std::string_view>& word) {
  return word ? "; did you mean '" + std::string{*word} + "'?" : std::string{};
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Three rows of the usual matrix: the one before the last is needed for swaps.
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const auto a = lower(from[i - 1]);
      const auto b = lower(to[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a == b ? 0 : 1)});
      if (i > 1 && j > 1 && a == lower(to[j - 2]) && lower(from[i - 2]) == b)
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[to.size()];
}

std::optional<std::string_view> closest(std::string_view typed,
                                        const std::vector<std::string_view>& known) {
  return closest_of(typed, known);
}

std::optional<std::string_view> closest(std::string_view typed,
                                        const std::vector<std::string>& known) {
  return closest_of(typed, known);
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& known) {
  return asked(closest(typed, known));
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  return asked(closest(typed, known));
}

}  // namespace argosy
