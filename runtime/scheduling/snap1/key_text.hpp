// SPDX-License-Identifier: Apache-2.0
// Keys of the configuration as texts of SNAP1: by the names that they have in files.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/result.hpp"
#include "runtime/scheduling/keys.hpp"

namespace argosy::scheduling::snap1 {

/// The key must have a value. Limits that are infinite stand as "inf", times in nanoseconds, which
/// may be shorter than files may say. ec::invalid_argument says what is wrong with the text.
[[nodiscard]] result<void> read_key(const key& which, std::string_view text, config& conf);
/// What read_key() reads back; "" and an empty list are "".
[[nodiscard]] std::string write_key(const key& which, const config& conf);

/// The name and the text that a key has today, where worlds that were recorded earlier have others:
/// names of their own, numbers for choices, true and false for flags that are now choices. All else
/// is given back as it is.
[[nodiscard]] std::pair<std::string, std::string> current_form(std::string_view name,
                                                               std::string_view text);

}  // namespace argosy::scheduling::snap1
