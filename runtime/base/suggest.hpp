// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known word that a mistyped one is closest to. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argosy {

/// The number of insertions, deletions, replacements and swaps of neighbours that lead from one
/// word to the other. Upper and lower case are equal.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

/// The closest of the known words, if it is close enough to be what was meant: at most one change
/// for every three letters typed (one at least), or the known word begins with three letters or
/// more that were typed. Words of more than 64 bytes are never looked at, so that a hostile one
/// costs nothing.
[[nodiscard]] std::optional<std::string_view> closest(std::string_view typed,
                                                      const std::vector<std::string_view>& known);
[[nodiscard]] std::optional<std::string_view> closest(std::string_view typed,
                                                      const std::vector<std::string>& known);

/// "; did you mean 'submit'?", or nothing when no known word is close.
[[nodiscard]] std::string did_you_mean(std::string_view typed,
                                       const std::vector<std::string_view>& known);
[[nodiscard]] std::string did_you_mean(std::string_view typed,
                                       const std::vector<std::string>& known);

}  // namespace argosy
