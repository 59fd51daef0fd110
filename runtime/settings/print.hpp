// SPDX-License-Identifier: Apache-2.0
// A table of settings as YAML for people.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/settings/field_table.hpp"

namespace argosy::settings {

/// Each value with a comment that says where it comes from ("default" where `origins` is silent).
[[nodiscard]] std::string print_effective(const field_table& table,
                                          const std::map<std::string, std::string>& origins);

/// Each value, without any comment.
[[nodiscard]] std::string print_values(const field_table& table);

/// Each value below its documentation. Keys that follow from a preset are commented out.
[[nodiscard]] std::string print_documented(const field_table& table, std::string_view heading);

}  // namespace argosy::settings
