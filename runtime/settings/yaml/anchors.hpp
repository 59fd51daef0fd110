// SPDX-License-Identifier: Apache-2.0
// An anchor_store keeps the values of a document that carry an anchor (&name), so that aliases
// (*name) can repeat them; merge_entries() merges mappings under the key `<<`. Only the parser's
// sources see this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/settings/yaml/document.hpp"

namespace argosy::yaml {

/// The key whose mappings are merged into the one in which it stands.
inline constexpr std::string_view merge_key = "<<";

class anchor_store {
 public:
  struct value {
    std::vector<detail::raw_node> nodes;  ///< In the order of the text; the first is the root.
    std::string texts;
    std::size_t height = 0;  ///< The levels of mappings and sequences in it.
  };

  /// `nodes_max` limits how many nodes are kept and repeated, and `bytes_max` how many bytes of
  /// their texts.
  anchor_store(std::size_t nodes_max, std::size_t bytes_max)
      : nodes_left_(nodes_max), bytes_left_(bytes_max) {}

  /// Keeps the value that is the end of a tree, from this node and this byte of its texts on. A
  /// later value of the same name replaces it. False when a limit is reached.
  [[nodiscard]] bool keep(std::string name, const detail::tree& tree, std::uint32_t root,
                          std::uint32_t texts_begin, std::size_t height);

  /// The value of a name; null when there is none. It lives until the next change.
  [[nodiscard]] const value* find(const std::string& name) const;

  /// Appends a value to a tree, with the lines and columns that it had, as a node without parent.
  /// Its index was the number of nodes before. False when a limit is reached.
  [[nodiscard]] bool repeat(const value& kept, detail::tree& tree);

  /// Forgets the values, since anchors count in their own document only, and not the limits.
  void forget() { values_.clear(); }

 private:
  [[nodiscard]] bool take(std::size_t nodes, std::size_t bytes);

  std::unordered_map<std::string, value> values_;
  std::size_t nodes_left_;
  std::size_t bytes_left_;
};

/// Replaces the entry `<<` of a mapping that has one by the entries of its value, a mapping or a
/// sequence of mappings. A key that the mapping has itself stays as it is, and of several mappings
/// the first that has a key counts. False when the value is something else.
[[nodiscard]] bool merge_entries(detail::tree& tree, std::uint32_t mapping);

}  // namespace argosy::yaml
