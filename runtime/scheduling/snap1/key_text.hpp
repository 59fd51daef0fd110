// SPDX-License-Identifier: Apache-2.0
// Keys of the configuration as SNAP1 writes them: with the names that they have in files.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/keys.hpp"

namespace argosy::scheduling::snap1 {

/// Sets a key, which must have a value, from its text. Infinite limits are written "inf". Times are
/// in nanoseconds and may be shorter than files may say. The message of ec::invalid_argument says
/// what is wrong with the text.
[[nodiscard]] result<void> read_key(const key& which, std::string_view text, config& conf);
/// Writes a key as read_key() reads it. An empty text and an empty list are "".
[[nodiscard]] std::string write_key(const key& which, const config& conf);

/// The name and the text that a key has today. Worlds that were recorded earlier have other names,
/// numbers for choices, and true and false for flags that are now choices. Any other name and text
/// are returned as they are.
[[nodiscard]] std::pair<std::string, std::string> current_form(std::string_view name,
                                                               std::string_view text);

}  // namespace argosy::scheduling::snap1
