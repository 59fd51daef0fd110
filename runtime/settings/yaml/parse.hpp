// SPDX-License-Identifier: Apache-2.0
// This file declares the functions that parse a text into documents with libyaml's event parser.
// They refuse text that is not YAML or not UTF-8, anchors and aliases unless they are allowed,
// tags, keys that are not scalars, duplicate keys, control characters (also escaped ones, unless
// they are allowed; tab and line feed are), and whatever exceeds a limit. Their errors read
// "FILE:LINE:COLUMN: message".
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
  /// The number of levels to which mappings and sequences may be nested.
  std::size_t depth_max = 64;
  /// The number of nodes that may be held at a time.
  std::size_t nodes_max = 50'000'000;
  /// The largest size of a single scalar.
  std::size_t scalar_bytes_max = std::size_t{1} << 20;
  /// How many nodes the values with anchors may have together with what aliases repeat, so that a
  /// short text cannot expand without bound. 0 refuses anchors and aliases; otherwise `<<` merges
  /// mappings. Where a value is repeated, its nodes have the place of the value that was written.
  std::size_t alias_nodes_max = 0;
  /// Whether values in double quotes may have escaped control characters, all but U+0000; whoever
  /// reads the values refuses them where they may not stand.
  bool control_characters = false;
};

/// Parses a text with exactly one document; an empty text gives a document with an empty scalar.
/// The errors are ec::invalid_argument, and ec::too_large for a text over bytes_max.
[[nodiscard]] result<document> parse(std::string_view text, std::string file,
                                     const limits& limits = {});

/// Parses all documents of a text with `---` separators.
[[nodiscard]] result<std::vector<document>> parse_all(std::string_view text, std::string file,
                                                      const limits& limits = {});

/// The function that parse_items() calls for each item. Items are numbered from 0, and a node is
/// gone when the function returns.
using item_handler = std::function<result<void>(const node& item, std::size_t number)>;

/// Parses as parse() does, but if the root is a mapping with a sequence under `list_key`, it hands
/// the items of that sequence over one by one and does not keep them: in the returned document the
/// sequence has its line and column and no items. Files with very many jobs are read in this way,
/// since they need little memory then. An error of the handler ends the parse. The rest of the file
/// may still prove wrong after an item was handed over, so that nothing may take effect before all
/// is parsed.
[[nodiscard]] result<document> parse_items(std::string_view text, std::string file,
                                           std::string_view list_key, const item_handler& handler,
                                           const limits& limits = {});

}  // namespace argosy::yaml
