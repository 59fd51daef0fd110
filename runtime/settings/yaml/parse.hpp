// SPDX-License-Identifier: Apache-2.0
// Parses a text into a document, with libyaml's event parser. It refuses, with "FILE:LINE:COLUMN:
// message": text that is not YAML or not UTF-8, anchors and aliases unless they are allowed, tags,
// keys that are not scalars, duplicate keys, control characters (also escaped ones; tab and line
// feed are allowed), and what exceeds a limit.
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
  /// How deep mappings and sequences may be nested.
  std::size_t depth_max = 64;
  /// How many nodes may be held at a time.
  std::size_t nodes_max = 50'000'000;
  /// The largest size of a single scalar.
  std::size_t scalar_bytes_max = std::size_t{1} << 20;
  /// How many nodes the values with anchors may have together with what aliases repeat, so that a
  /// short text cannot expand without bound. 0 refuses anchors and aliases; otherwise `<<` merges
  /// mappings. Where a value is repeated, its nodes have the place of the value that was written.
  std::size_t alias_nodes_max = 0;
};

/// Parses a text with exactly one document; an empty text gives one with an empty scalar. Fails
/// with ec::invalid_argument, or with ec::too_large for a text over bytes_max.
[[nodiscard]] result<document> parse(std::string_view text, std::string file,
                                     const limits& limits = {});

/// Parses all documents of a text with `---` separators.
[[nodiscard]] result<std::vector<document>> parse_all(std::string_view text, std::string file,
                                                      const limits& limits = {});

/// What parse_items() calls for each item, numbered from 0; the node is gone when it returns.
using item_handler = std::function<result<void>(const node& item, std::size_t number)>;

/// Parses like parse(). But if the root is a mapping with a sequence under `list_key`, the items of
/// that sequence are handed over one by one and not kept: in the returned document the sequence has
/// its line and column and no items. This is for files with very many jobs. An error of the handler
/// ends the parse. The handler does not know the other keys, so that nothing may take effect before
/// all is parsed.
[[nodiscard]] result<document> parse_items(std::string_view text, std::string file,
                                           std::string_view list_key, const item_handler& handler,
                                           const limits& limits = {});

}  // namespace argosy::yaml
