// SPDX-License-Identifier: Apache-2.0
// JSON as YAML, for people: the same names and values, a line each.
#pragma once

#include <string>
#include <string_view>

namespace argosy::ctl {

/// The object or list as YAML, lists as the items of "items:" if that is all there is. `json` must
/// be valid, or the result is the text itself.
[[nodiscard]] std::string yaml_of(std::string_view json);

/// The object as one item of a list: its first line begins with "- ".
[[nodiscard]] std::string yaml_item_of(std::string_view json);

}  // namespace argosy::ctl
