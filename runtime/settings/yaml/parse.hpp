// SPDX-License-Identifier: Apache-2.0
// Text to document, with libyaml's event parser. Refused, with "FILE:LINE:COLUMN: message": what is
// not YAML or not UTF-8, anchors and aliases, tags, keys that are not scalars, duplicate keys,
// control characters (also escaped ones; tab and line feed are fine), and what exceeds a limit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/settings/yaml/document.hpp"

namespace argosy::yaml {

struct limits {
  std::size_t bytes_max = std::size_t{256} << 20;
  /// Mappings and sequences inside each other.
  std::size_t depth_max = 64;
  /// Nodes that are held at a time.
  std::size_t nodes_max = 50'000'000;
  /// Of a single scalar.
  std::size_t scalar_bytes_max = std::size_t{1} << 20;
};

/// Exactly one document; an empty text gives one with an empty scalar.
/// ec::invalid_argument, or ec::too_large for a text over bytes_max.
[[nodiscard]] result<document> parse(std::string_view text, std::string file,
                                     const limits& limits = {});

/// All documents of a text with `---` separators.
[[nodiscard]] result<std::vector<document>> parse_all(std::string_view text, std::string file,
                                                      const limits& limits = {});

/// What parse_items() calls for each item, numbered from 0; the node is gone when it returns.
using item_handler = std::function<result<void>(const node& item, std::size_t number)>;

/// As parse(), but if the root is a mapping with a sequence under `list_key`, hands over the items
/// of that sequence one by one and does not keep them: in the returned document it has its line and
/// column and no items. For files of very many jobs. An error of the handler ends the parse.
/// Keys before the list are not known to the handler; nothing may take effect before all is parsed.
[[nodiscard]] result<document> parse_items(std::string_view text, std::string file,
                                           std::string_view list_key, const item_handler& handler,
                                           const limits& limits = {});

}  // namespace argosy::yaml
