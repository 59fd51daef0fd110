// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the word of a list that is nearest to one that is not in it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::yaml {

/// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other,
/// upper and lower case being equal.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

/// The nearest candidate, if it is near enough to be what was meant (a third of the length).
[[nodiscard]] std::optional<std::string_view> nearest(
    std::string_view word, const std::vector<std::string_view>& candidates);

/// "; did you mean 'queue'?", or nothing if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string_view>& candidates);

}  // namespace argosy::yaml
