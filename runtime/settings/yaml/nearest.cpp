// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/yaml/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace argosy::yaml {

namespace {

/// Longer words are not compared, so that a hostile one costs nothing.
constexpr std::size_t word_max = 64;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Three rows of the usual table: the one before the last is needed for swaps.
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

std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates) {
  if (word.size() > word_max) return std::nullopt;
  std::optional<std::string_view> best;
  auto best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const auto candidate : candidates) {
    if (candidate.size() > word_max) continue;
    const auto distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const auto best = nearest(word, candidates);
  return best ? "; did you mean '" + std::string{*best} + "'?" : std::string{};
}

}  // namespace argosy::yaml
