// SPDX-License-Identifier: Apache-2.0
// This file declares a YAML document as a compact tree: its nodes stand in one array, their texts
// in one string, and every node knows its line and column. Tags and types are not kept: a scalar is
// its text, and whoever reads it says what type it must have. Aliases are replaced by what they
// stand for. A document does not change once it is parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::yaml {

enum class kind : std::uint8_t { scalar, sequence, mapping };

namespace detail {

constexpr std::uint32_t no_node = 0xffffffff;

struct raw_node {
  /// For a scalar this is where its text begins; for other kinds it is the first child.
  std::uint32_t begin = no_node;
  /// For a scalar this is its length in bytes; for other kinds the number of items or entries.
  std::uint32_t size = 0;
  /// The next child of the same parent. In a mapping keys and values alternate.
  std::uint32_t next = no_node;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  kind what = kind::scalar;
  bool plain = false;
};

struct tree {
  std::string file;
  std::string texts;
  std::vector<raw_node> nodes;
};

}  // namespace detail

class item_range;
class entry_range;

/// A reference to a node. It is valid as long as the node's document lives.
class node {
 public:
  node(const detail::tree* tree, std::uint32_t index) noexcept : tree_(tree), index_(index) {}

  [[nodiscard]] kind what() const noexcept { return raw().what; }
  [[nodiscard]] bool is_scalar() const noexcept { return what() == kind::scalar; }
  [[nodiscard]] bool is_sequence() const noexcept { return what() == kind::sequence; }
  [[nodiscard]] bool is_mapping() const noexcept { return what() == kind::mapping; }

  /// Whether the node is a plain scalar that is empty, `~` or a form of `null`.
  [[nodiscard]] bool is_null() const noexcept;

  /// Returns a scalar's text, unquoted and with its lines joined; it is empty for other kinds.
  [[nodiscard]] std::string_view text() const noexcept;
  /// Whether the scalar is neither quoted nor a block, so that it may be read as a number, a
  /// boolean or null.
  [[nodiscard]] bool plain() const noexcept { return raw().plain; }

  /// Lines and columns count from 1; columns count characters.
  [[nodiscard]] std::uint32_t line() const noexcept { return raw().line; }
  [[nodiscard]] std::uint32_t column() const noexcept { return raw().column; }
  /// Returns the place as "FILE:LINE:COLUMN".
  [[nodiscard]] std::string where() const;

  /// Returns the number of a sequence's items or a mapping's entries, and 0 for a scalar.
  [[nodiscard]] std::size_t size() const noexcept { return is_scalar() ? 0 : raw().size; }
  /// The range is empty unless the node is a sequence.
  [[nodiscard]] item_range items() const noexcept;
  /// Returns pairs of key and value in the order of the file. The range is empty unless the node is
  /// a mapping.
  [[nodiscard]] entry_range entries() const noexcept;
  /// Looks for a key by walking over the entries. Returns its value, or nothing if the key is
  /// absent or the node is no mapping.
  [[nodiscard]] std::optional<node> find(std::string_view key) const noexcept;

 private:
  friend class item_range;
  friend class entry_range;
  [[nodiscard]] const detail::raw_node& raw() const noexcept { return tree_->nodes[index_]; }

  const detail::tree* tree_;
  std::uint32_t index_;
};

/// Makes an error that reads "FILE:LINE:COLUMN: message" and names the place of the node.
[[nodiscard]] failure fail_at(const node& where, std::string_view message);

class item_range {
 public:
  class iterator {
   public:
    using value_type = node;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    iterator(const detail::tree* tree, std::uint32_t index) noexcept : tree_(tree), index_(index) {}
    node operator*() const noexcept { return {tree_, index_}; }
    iterator& operator++() noexcept {
      index_ = tree_->nodes[index_].next;
      return *this;
    }
    bool operator==(const iterator& other) const noexcept { return index_ == other.index_; }

   private:
    const detail::tree* tree_;
    std::uint32_t index_;
  };

  item_range(const detail::tree* tree, std::uint32_t first) noexcept : tree_(tree), first_(first) {}
  [[nodiscard]] iterator begin() const noexcept { return {tree_, first_}; }
  [[nodiscard]] iterator end() const noexcept { return {tree_, detail::no_node}; }

 private:
  const detail::tree* tree_;
  std::uint32_t first_;
};

class entry_range {
 public:
  struct entry {
    node key;
    node value;
  };
  class iterator {
   public:
    using value_type = entry;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    iterator(const detail::tree* tree, std::uint32_t index) noexcept : tree_(tree), index_(index) {}
    entry operator*() const noexcept {
      return {node{tree_, index_}, node{tree_, tree_->nodes[index_].next}};
    }
    iterator& operator++() noexcept {
      index_ = tree_->nodes[tree_->nodes[index_].next].next;
      return *this;
    }
    bool operator==(const iterator& other) const noexcept { return index_ == other.index_; }

   private:
    const detail::tree* tree_;
    std::uint32_t index_;
  };

  entry_range(const detail::tree* tree, std::uint32_t first) noexcept
      : tree_(tree), first_(first) {}
  [[nodiscard]] iterator begin() const noexcept { return {tree_, first_}; }
  [[nodiscard]] iterator end() const noexcept { return {tree_, detail::no_node}; }

 private:
  const detail::tree* tree_;
  std::uint32_t first_;
};

/// Owns a tree. It can be moved, and its nodes stay valid then.
class document {
 public:
  explicit document(std::unique_ptr<const detail::tree> tree) noexcept : tree_(std::move(tree)) {}

  /// The document of a file that holds nothing.
  [[nodiscard]] static document empty(std::string file);

  /// Returns the root, which is a plain empty scalar if the file held nothing.
  [[nodiscard]] node root() const noexcept { return {tree_.get(), 0}; }
  [[nodiscard]] const std::string& file() const noexcept { return tree_->file; }

 private:
  std::unique_ptr<const detail::tree> tree_;
};

}  // namespace argosy::yaml
