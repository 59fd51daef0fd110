// SPDX-License-Identifier: Apache-2.0
// An index of nodes by what is free on them in one row. Each kind is ordered by the indexed amounts
// rounded towards zero, then by creation or id. A kind is brought up to date only when it is asked
// for.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/scheduling/engine/nodes/room.hpp"

namespace argosy::scheduling::engine {

/// The largest number of resources that may be indexed.
inline constexpr std::size_t indexed_max = 16;

class node_index {
  /// A node under its rounded amounts. Cell 0 holds the mark that is looked for.
  struct entry {
    std::uint32_t cell;
    std::uint32_t order;
    std::uint32_t node;
  };
  struct less {
    const node_index* index;
    bool operator()(const entry& a, const entry& b) const {
      if (a.cell == b.cell) return a.order < b.order;
      return index->compare(index->cell(a.cell), index->cell(b.cell)) < 0;
    }
  };
  using tree = absl::btree_set<entry, less>;

 public:
  node_index(const node_columns& nodes, const room& free, std::uint32_t row);
  node_index(const node_index&) = delete;
  node_index& operator=(const node_index&) = delete;

  /// How many different amounts it has filed so far, each of which takes memory.
  [[nodiscard]] std::size_t cells() const { return numbers_.size(); }
  /// Files the kind's nodes that changed since the last call, as far as the changes are known.
  void refresh(std::uint32_t kind);

  /// A walk over one kind, as Armada does it. It gives nodes that have enough of every indexed
  /// resource, in order, but not all of them. It starts at the request as it is, and a node that is
  /// short of its i-th indexed resource sends it on to the node's rounded amounts before i,
  /// followed by the request from i on. Keys are rounded down, so that a node with enough is passed
  /// over when its key lies before such a mark. When requests are multiples of the resolutions, no
  /// node is passed over.
  class walk {
   public:
    walk(const node_index& index, std::uint32_t kind, const std::int64_t* need);
    /// The next node; `none` at the end.
    [[nodiscard]] std::uint32_t next();
    /// A mark did not advance: Armada would look for ever, and the round fails.
    [[nodiscard]] bool stuck() const { return stuck_; }
    /// The number of entries looked at so far.
    [[nodiscard]] std::uint32_t visited() const { return visited_; }

   private:
    const node_index* index_;
    const tree* nodes_;
    const std::int64_t* need_;
    tree::const_iterator at_;
    std::array<std::int64_t, indexed_max> mark_;
    std::uint32_t visited_ = 0;
    bool stuck_ = false;
  };

 private:
  friend class walk;
  struct cell_hash {
    const node_index* index;
    std::size_t operator()(std::uint32_t number) const;
  };
  struct cell_equal {
    const node_index* index;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return index->compare(index->cell(a), index->cell(b)) == 0;
    }
  };

  [[nodiscard]] const std::int64_t* cell(std::uint32_t number) const {
    return cells_.data() + std::size_t{number} * width_;
  }
  [[nodiscard]] int compare(const std::int64_t* a, const std::int64_t* b) const {
    for (std::uint32_t i = 0; i < width_; ++i)
      if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
  }
  void build();
  [[nodiscard]] std::uint32_t cell_of(std::uint32_t node);
  [[nodiscard]] tree::const_iterator seek(const tree& nodes, const std::int64_t* mark) const;

  const node_columns& nodes_;
  const room& room_;
  std::uint32_t row_;
  std::uint32_t width_;
  mutable std::vector<std::int64_t> cells_;
  absl::flat_hash_set<std::uint32_t, cell_hash, cell_equal> numbers_;
  std::vector<std::uint32_t> filed_;          ///< The cell under which each node is filed.
  std::vector<std::unique_ptr<tree>> trees_;  ///< The tree of each kind.
  /// The position in the log of changes up to which each kind is filed.
  std::vector<std::uint64_t> positions_;
};

}  // namespace argosy::scheduling::engine
