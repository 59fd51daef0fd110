// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/yaml/anchors.hpp"

#include <absl/container/flat_hash_set.h>

#include <utility>

namespace argosy::yaml {

namespace {

using detail::no_node;
using detail::raw_node;
using detail::tree;

/// Appends nodes, of which the first was node `from` of its tree and the first text stood at byte
/// `texts_from`, to `out`.
void append_shifted(const raw_node* first, const raw_node* last, std::uint32_t from,
                    std::uint32_t texts_from, std::vector<raw_node>& out, std::uint32_t texts_to) {
  const auto to = static_cast<std::uint32_t>(out.size());
  for (const auto* in = first; in != last; ++in) {
    auto node = *in;
    if (node.what == kind::scalar)
      node.begin = node.begin - texts_from + texts_to;
    else if (node.begin != no_node)
      node.begin = node.begin - from + to;
    if (node.next != no_node) node.next = node.next - from + to;
    out.push_back(node);
  }
  out[to].next = no_node;
}

std::string_view key_of(const tree& tree, std::uint32_t key) {
  return node{&tree, key}.text();
}

using key_set = absl::flat_hash_set<std::string_view>;

/// Links entries one behind the other as the entries of one mapping.
class entry_chain {
 public:
  entry_chain(tree& tree, std::uint32_t mapping) : tree_(tree), mapping_(mapping) {
    tree_.nodes[mapping_].begin = no_node;
    tree_.nodes[mapping_].size = 0;
  }

  void add(std::uint32_t key, std::uint32_t value) {
    auto& parent = tree_.nodes[mapping_];
    if (last_ == no_node)
      parent.begin = key;
    else
      tree_.nodes[last_].next = key;
    tree_.nodes[key].next = value;
    tree_.nodes[value].next = no_node;
    last_ = value;
    ++parent.size;
  }

 private:
  tree& tree_;
  std::uint32_t mapping_;
  std::uint32_t last_ = no_node;
};

using entry_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

void collect(const tree& tree, std::uint32_t mapping, entry_list& out) {
  for (auto key = tree.nodes[mapping].begin; key != no_node;) {
    const auto value = tree.nodes[key].next;
    out.emplace_back(key, value);
    key = tree.nodes[value].next;
  }
}

/// Adds the entries of the value of `<<`; false when it is no mapping and no sequence of mappings.
bool collect_merged(const tree& tree, std::uint32_t value, entry_list& out) {
  const auto& node = tree.nodes[value];
  if (node.what == kind::mapping) {
    collect(tree, value, out);
    return true;
  }
  if (node.what != kind::sequence) return false;
  for (auto item = node.begin; item != no_node; item = tree.nodes[item].next) {
    if (tree.nodes[item].what != kind::mapping) return false;
    collect(tree, item, out);
  }
  return true;
}

bool is_merge_key(const tree& tree, std::uint32_t key) {
  return tree.nodes[key].plain && key_of(tree, key) == merge_key;
}

}  // namespace

bool anchor_store::keep(std::string name, const tree& tree, std::uint32_t root,
                        std::uint32_t texts_begin, std::size_t height) {
  const auto count = tree.nodes.size() - root;
  if (!take(count, tree.texts.size() - texts_begin)) return false;
  value kept;
  kept.nodes.reserve(count);
  append_shifted(&tree.nodes[root], tree.nodes.data() + tree.nodes.size(), root, texts_begin,
                 kept.nodes, 0);
  kept.texts = tree.texts.substr(texts_begin);
  kept.height = height;
  values_.insert_or_assign(std::move(name), std::move(kept));
  return true;
}

const anchor_store::value* anchor_store::find(const std::string& name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? nullptr : &at->second;
}

bool anchor_store::repeat(const value& kept, tree& tree) {
  if (!take(kept.nodes.size(), kept.texts.size())) return false;
  const auto texts_to = static_cast<std::uint32_t>(tree.texts.size());
  append_shifted(kept.nodes.data(), kept.nodes.data() + kept.nodes.size(), 0, 0, tree.nodes,
                 texts_to);
  tree.texts.append(kept.texts);
  return true;
}

bool anchor_store::take(std::size_t nodes, std::size_t bytes) {
  if (nodes > nodes_left_ || bytes > bytes_left_) return false;
  nodes_left_ -= nodes;
  bytes_left_ -= bytes;
  return true;
}

bool merge_entries(tree& tree, std::uint32_t mapping) {
  entry_list own;
  collect(tree, mapping, own);
  entry_list merged;
  key_set keys;
  for (const auto& [key, value] : own)
    if (!is_merge_key(tree, key))
      keys.insert(key_of(tree, key));
    else if (!collect_merged(tree, value, merged))
      return false;
  entry_chain chain{tree, mapping};
  for (const auto& [key, value] : own)
    if (!is_merge_key(tree, key)) chain.add(key, value);
  for (const auto& [key, value] : merged)
    if (keys.insert(key_of(tree, key)).second) chain.add(key, value);
  return true;
}

}  // namespace argosy::yaml
