// SPDX-License-Identifier: Apache-2.0
// Prints JSON as YAML for people, with the same names and values, one on each line.
#pragma once

#include <string>
#include <string_view>

namespace argosy::ctl {

/// The object or list as YAML. An object that has nothing but "items" is printed as that list.
/// `json` must be valid; otherwise the result is the text itself.
[[nodiscard]] std::string yaml_of(std::string_view json);

/// Returns JSON that a parser of YAML reads as well. Such a parser ends lines at U+0085, U+2028 and
/// U+2029, and takes no DEL, C1, U+FEFF, U+FFFE and U+FFFF, so that these are written by their
/// numbers.
[[nodiscard]] std::string as_yaml(std::string_view json);

/// The object as one item of a list: its first line begins with "- ".
[[nodiscard]] std::string yaml_item_of(std::string_view json);

}  // namespace argosy::ctl
