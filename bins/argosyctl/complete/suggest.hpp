// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known word that a mistyped one is closest to.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::ctl {

/// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The closest of the known words, if it is close: at most one change for every three letters
/// typed (one at least), or the typed word begins it.
[[nodiscard]] std::optional<std::string> closest(std::string_view typed,
                                                 const std::vector<std::string>& known);

/// "; did you mean 'submit'?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed,
                                       const std::vector<std::string>& known);

}  // namespace argosy::ctl
