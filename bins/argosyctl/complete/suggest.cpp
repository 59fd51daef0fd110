// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/complete/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace argosy::ctl {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual matrix; the one before the last is needed for swaps.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> closest(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t word_size_max = 64;
  if (typed.empty() || typed.size() > word_size_max) return std::nullopt;
  const auto limit = std::max<std::size_t>(1, typed.size() / 3);
  const std::string* best = nullptr;
  auto best_distance = limit + 1;
  for (const auto& word : known) {
    if (word == typed || word.size() > 2 * word_size_max) continue;
    const bool begins = typed.size() >= 3 && word.starts_with(typed);
    const auto distance =
        begins ? std::min<std::size_t>(1, edit_distance(typed, word)) : edit_distance(typed, word);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = &word;
  }
  return best == nullptr ? std::nullopt : std::optional{*best};
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  const auto word = closest(typed, known);
  return word ? fmt::format("; did you mean '{}'?", *word) : std::string{};
}

}  // namespace argosy::ctl
