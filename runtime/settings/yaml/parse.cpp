// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/yaml/parse.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/base/text.hpp"
#include "runtime/settings/yaml/anchors.hpp"
#include "runtime/settings/yaml/event_source.hpp"
#include "runtime/settings/yaml/mapping_keys.hpp"

namespace argosy::yaml {

namespace {

using detail::no_node;
using detail::raw_node;

/// Builds trees from events. Each call of a parse function makes a builder of its own.
class builder {
 public:
  builder(std::string_view text, std::string file, const limits& limits)
      : limits_(limits),
        file_(std::move(file)),
        source_(text, file_),
        anchors_(limits.alias_nodes_max, limits.bytes_max) {}

  /// Asks for the items of this key's sequence to be handed to the handler and not kept.
  void stream(std::string_view list_key, const item_handler& handler) {
    list_key_ = list_key;
    handler_ = &handler;
  }

  /// Reads on to the start of the next document. Returns false at the end of the text.
  result<bool> begin_document() {
    anchors_.forget();
    for (;;) {
      if (auto ok = source_.next(); !ok) return fail(std::move(ok.error()));
      if (source_.event().type == YAML_DOCUMENT_START_EVENT) return true;
      if (source_.event().type == YAML_STREAM_END_EVENT) return false;
    }
  }

  /// Reads the document whose start begin_document() has read.
  result<document> read_document() {
    fresh_tree();
    if (auto ok = read_tree(); !ok) return fail(std::move(ok.error()));
    if (auto ok = source_.next(); !ok) return fail(std::move(ok.error()));
    return document{std::move(tree_)};
  }

  [[nodiscard]] place where() const { return source_.where(); }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  struct open_node {
    std::uint32_t index;
    std::uint32_t last_child = no_node;
    /// The key whose value comes next. It is no_node where a key or an item is expected.
    std::uint32_t key = no_node;
    std::string anchor{};
    std::uint32_t texts_begin = 0;  ///< Where the texts of the node begin in the tree's.
    std::size_t height = 1;         ///< The levels of mappings and sequences in it so far.
    bool merges = false;            ///< Whether it is a mapping with a key `<<`.
  };

  void fresh_tree() {
    tree_ = std::make_unique<detail::tree>();
    tree_->file = file_;
  }

  failure fail_here(std::string_view message) const {
    return fail_in(file_, source_.where(), message);
  }

  /// Reads one node and everything below it into tree_, beginning with the next event.
  result<void> read_tree() {
    if (auto ok = source_.next(); !ok) return ok;
    return read_from_current();
  }

  result<void> read_from_current() {
    const auto base = open_.size();
    for (;;) {
      if (auto ok = take_event(); !ok) return ok;
      if (open_.size() == base) return {};
      if (handler_ != nullptr && list_begins()) {
        if (auto ok = stream_items(); !ok) return ok;
        if (auto ok = close(); !ok) return ok;
        if (open_.size() == base) return {};
      }
      if (auto ok = source_.next(); !ok) return ok;
    }
  }

  result<void> take_event() {
    const auto& event = source_.event();
    switch (event.type) {
      case YAML_ALIAS_EVENT:
        return take_alias(text_of(event.data.alias.anchor));
      case YAML_SCALAR_EVENT:
        return take_scalar(event);
      case YAML_SEQUENCE_START_EVENT:
        return open(kind::sequence, event.data.sequence_start.anchor,
                    event.data.sequence_start.tag);
      case YAML_MAPPING_START_EVENT:
        return open(kind::mapping, event.data.mapping_start.anchor, event.data.mapping_start.tag);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close();
      default:
        return fail_here("unexpected end of the document");
    }
  }

  static std::string text_of(const yaml_char_t* text) {
    return text == nullptr ? std::string{} : reinterpret_cast<const char*>(text);
  }

  result<void> refuse_properties(const yaml_char_t* anchor, const yaml_char_t* tag) const {
    if (anchor != nullptr && limits_.alias_nodes_max == 0)
      return fail_here("anchors (&name) are not allowed; write the value out each time");
    if (tag != nullptr) return fail_here("tags (!name) are not allowed");
    return {};
  }

  failure fail_expanded() const {
    return fail_here("the anchors and aliases up to here stand for more than " +
                     std::to_string(limits_.alias_nodes_max) + " values or " +
                     std::to_string(limits_.bytes_max) + " bytes; use fewer of them");
  }

  result<void> keep_anchor(const std::string& name, std::uint32_t root, std::uint32_t texts_begin,
                           std::size_t height) {
    if (name.empty() || anchors_.keep(name, *tree_, root, texts_begin, height)) return {};
    return fail_expanded();
  }

  result<void> take_alias(const std::string& name) {
    if (limits_.alias_nodes_max == 0)
      return fail_here("aliases (*name) are not allowed; write the value out");
    if (expects_key()) return fail_here("a key must be a plain or quoted text");
    const auto* kept = anchors_.find(name);
    if (kept == nullptr)
      return fail_here("no value with the anchor &" + name + " has ended before this alias");
    if (handler_ != nullptr && open_.size() == 1 && is_list_key(open_.back().key))
      return fail_here("'" + std::string{list_key_} + "' cannot be an alias; write the list out");
    if (open_.size() + kept->height > limits_.depth_max) return fail_depth();
    if (tree_->nodes.size() + kept->nodes.size() > limits_.nodes_max) return fail_nodes();
    const auto index = static_cast<std::uint32_t>(tree_->nodes.size());
    const auto height = kept->height;
    if (!anchors_.repeat(*kept, *tree_)) return fail_expanded();
    link(index);
    raise(height);
    return {};
  }

  result<void> take_scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    if (auto ok = refuse_properties(scalar.anchor, scalar.tag); !ok) return ok;
    const std::string_view text{reinterpret_cast<const char*>(scalar.value), scalar.length};
    if (text.size() > limits_.scalar_bytes_max)
      return fail_here("a value of " + std::to_string(text.size()) + " bytes; at most " +
                       std::to_string(limits_.scalar_bytes_max) + " are allowed");
    auto bad = find_control_character(text);
    if (bad && limits_.control_characters && !expects_key()) {
      bad = text.find('\0');
      if (*bad == text.npos) bad.reset();
    }
    if (bad)
      return fail_here("control character " + name_control_character(text, *bad) +
                       " is not allowed");
    raw_node fresh;
    fresh.begin = static_cast<std::uint32_t>(tree_->texts.size());
    fresh.size = static_cast<std::uint32_t>(text.size());
    fresh.plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (auto ok = refuse_duplicate(text); !ok) return ok;
    if (limits_.alias_nodes_max > 0 && fresh.plain && text == merge_key && expects_key())
      open_.back().merges = true;
    tree_->texts.append(text);
    if (auto ok = append(fresh); !ok) return ok;
    if (scalar.anchor == nullptr) return {};
    return keep_anchor(text_of(scalar.anchor), static_cast<std::uint32_t>(tree_->nodes.size() - 1),
                       fresh.begin, 0);
  }

  result<void> open(kind what, const yaml_char_t* anchor, const yaml_char_t* tag) {
    if (auto ok = refuse_properties(anchor, tag); !ok) return ok;
    if (open_.size() >= limits_.depth_max) return fail_depth();
    if (expects_key()) return fail_here("a key must be a plain or quoted text");
    raw_node fresh;
    fresh.what = what;
    if (auto ok = append(fresh); !ok) return ok;
    auto& opened = open_.emplace_back();
    opened.index = static_cast<std::uint32_t>(tree_->nodes.size() - 1);
    if (anchor != nullptr) opened.anchor = text_of(anchor);
    opened.texts_begin = static_cast<std::uint32_t>(tree_->texts.size());
    return {};
  }

  failure fail_depth() const {
    return fail_here("nested deeper than " + std::to_string(limits_.depth_max) + " levels");
  }

  failure fail_nodes() const {
    return fail_here("more than " + std::to_string(limits_.nodes_max) + " values");
  }

  result<void> close() {
    const auto closed = std::move(open_.back());
    open_.pop_back();
    raise(closed.height);
    if (closed.merges && !merge_entries(*tree_, closed.index))
      return fail_in(file_, place_of_merge(closed.index),
                     "'<<' takes a mapping or a list of mappings, such as <<: *name");
    return keep_anchor(closed.anchor, closed.index, closed.texts_begin, closed.height);
  }

  /// The innermost open node has a child of this many levels.
  void raise(std::size_t height) {
    if (!open_.empty()) open_.back().height = std::max(open_.back().height, height + 1);
  }

  [[nodiscard]] place place_of_merge(std::uint32_t mapping) const {
    for (const auto& [key, value] : node{tree_.get(), mapping}.entries())
      if (key.text() == merge_key) return {key.line(), key.column()};
    return source_.where();
  }

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && tree_->nodes[open_.back().index].what == kind::mapping &&
           open_.back().key == no_node;
  }

  /// Adds a node to tree_ at the place of the present event, and links it to its parent.
  result<void> append(raw_node fresh) {
    if (tree_->nodes.size() >= limits_.nodes_max) return fail_nodes();
    const auto where = source_.where();
    fresh.line = static_cast<std::uint32_t>(where.line);
    fresh.column = static_cast<std::uint32_t>(where.column);
    const auto index = static_cast<std::uint32_t>(tree_->nodes.size());
    tree_->nodes.push_back(fresh);
    link(index);
    return {};
  }

  /// Makes the node the last child of the innermost open one.
  void link(std::uint32_t index) {
    // The root of a tree has no parent. A streamed item is the root of a tree of its own.
    if (open_.empty() || index == 0) return;
    auto& parent = open_.back();
    auto& parent_node = tree_->nodes[parent.index];
    if (parent.last_child == no_node)
      parent_node.begin = index;
    else
      tree_->nodes[parent.last_child].next = index;
    parent.last_child = index;
    if (parent_node.what == kind::mapping && parent.key == no_node) {
      parent.key = index;
    } else {
      parent.key = no_node;
      ++parent_node.size;
    }
  }

  /// Refuses a scalar that is about to be appended if it is a key that the mapping already has.
  result<void> refuse_duplicate(std::string_view key) {
    if (!expects_key()) return {};
    const auto index = open_.back().index;
    if (const auto line = keys_.add(node{tree_.get(), index}, index, open_.size(), key))
      return fail_here("key '" + std::string{key} + "' stands here twice (first in line " +
                       std::to_string(*line) + ")");
    return {};
  }

  /// Returns whether the last event opened the sequence whose items are to be streamed.
  [[nodiscard]] bool list_begins() const {
    if (open_.size() != 2 || open_.back().index + 1 != tree_->nodes.size()) return false;
    if (tree_->nodes[open_.back().index].what != kind::sequence) return false;
    if (tree_->nodes[open_.front().index].what != kind::mapping) return false;
    return is_list_key(open_.back().index - 1);
  }

  [[nodiscard]] bool is_list_key(std::uint32_t key) const {
    return key != no_node && node{tree_.get(), key}.text() == list_key_;
  }

  /// Reads the items up to the end of the sequence, each into a tree of its own. What is known of
  /// the outer tree is set aside meanwhile.
  result<void> stream_items() {
    auto outer_tree = std::exchange(tree_, nullptr);
    auto outer_open = std::exchange(open_, {});
    auto outer_keys = std::exchange(keys_, {});
    const auto outer_handler = std::exchange(handler_, nullptr);
    fresh_tree();
    auto outcome = read_items(*outer_handler);
    tree_ = std::move(outer_tree);
    open_ = std::move(outer_open);
    keys_ = std::move(outer_keys);
    handler_ = outer_handler;
    return outcome;
  }

  result<void> read_items(const item_handler& handler) {
    limits_.depth_max -= std::min<std::size_t>(limits_.depth_max, 2);
    for (std::size_t number = 0;; ++number) {
      if (auto ok = source_.next(); !ok) return ok;
      if (source_.event().type == YAML_SEQUENCE_END_EVENT) break;
      tree_->nodes.clear();
      tree_->texts.clear();
      keys_.clear();
      if (auto ok = read_from_current(); !ok) return ok;
      if (auto ok = handler(node{tree_.get(), 0}, number); !ok) return ok;
    }
    limits_.depth_max += 2;
    return {};
  }

  limits limits_;
  std::string file_;
  event_source source_;
  anchor_store anchors_;
  std::unique_ptr<detail::tree> tree_;
  std::vector<open_node> open_;
  mapping_keys keys_;
  std::string_view list_key_;
  const item_handler* handler_ = nullptr;
};

result<void> check_size(std::string_view text, const std::string& file, const limits& limits) {
  if (text.size() <= limits.bytes_max) return {};
  return fail(ec::too_large, file + ": " + std::to_string(text.size()) + " bytes; at most " +
                                 std::to_string(limits.bytes_max) + " are allowed");
}

result<document> parse_one(builder& source) {
  auto begun = source.begin_document();
  if (!begun) return fail(std::move(begun.error()));
  if (!*begun) return document::empty(source.file());
  auto parsed = source.read_document();
  if (!parsed) return parsed;
  auto another = source.begin_document();
  if (!another) return fail(std::move(another.error()));
  if (*another)
    return fail_in(source.file(), source.where(), "a second document begins; only one is allowed");
  return parsed;
}

}  // namespace

result<document> parse(std::string_view text, std::string file, const limits& limits) {
  if (auto ok = check_size(text, file, limits); !ok) return fail(std::move(ok.error()));
  builder source{text, std::move(file), limits};
  return parse_one(source);
}

result<std::vector<document>> parse_all(std::string_view text, std::string file,
                                        const limits& limits) {
  if (auto ok = check_size(text, file, limits); !ok) return fail(std::move(ok.error()));
  builder source{text, std::move(file), limits};
  std::vector<document> documents;
  for (;;) {
    auto begun = source.begin_document();
    if (!begun) return fail(std::move(begun.error()));
    if (!*begun) return documents;
    auto parsed = source.read_document();
    if (!parsed) return fail(std::move(parsed.error()));
    documents.push_back(std::move(*parsed));
  }
}

result<document> parse_items(std::string_view text, std::string file, std::string_view list_key,
                             const item_handler& handler, const limits& limits) {
  if (auto ok = check_size(text, file, limits); !ok) return fail(std::move(ok.error()));
  builder source{text, std::move(file), limits};
  source.stream(list_key, handler);
  return parse_one(source);
}

}  // namespace argosy::yaml
