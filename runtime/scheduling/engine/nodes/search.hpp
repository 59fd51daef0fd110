// SPDX-License-Identifier: Apache-2.0
// The search for a node. Results are remembered for each query (terms and amounts) and row, and
// updated from the log of changed nodes, so that asking again costs only what changed meanwhile.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/node_index.hpp"
#include "runtime/scheduling/engine/nodes/room.hpp"

namespace argosy::scheduling::engine {

class node_search {
 public:
  /// `bits` are those of the columns of the index in keys of 64 bits, see bits_of().
  node_search(const node_columns& nodes, room& free, matching& terms,
              std::vector<std::uint8_t> bits);
  /// Another round begins, for which there may be new shapes. Returns false if so much is
  /// remembered that it is better to begin anew.
  [[nodiscard]] bool begin_round();

  /// The number of a query, which is made on first use.
  [[nodiscard]] std::uint32_t query(std::uint32_t matcher, std::uint32_t shape);

  /// The first node in the order of the row that suits and has room there; `none` if there is none.
  [[nodiscard]] std::uint32_t first_fit(std::uint32_t query, std::uint32_t row);
  /// Whether first_fit() would find a node.
  [[nodiscard]] bool any_fit(std::uint32_t query, std::uint32_t row);

  /// Whether an invalid affinity rule was met or a walk got stuck, so that the round fails.
  [[nodiscard]] bool stuck() const { return stuck_; }

 private:
  /// The first good node in the walk over one kind.
  struct kind_best {
    std::uint32_t node = none;
    /// The node that comes to the front of the merge last among the nodes of the walk up to `node`.
    /// The merge reaches `node` only after that one.
    std::uint32_t bar = none;
    bool direct = false;  ///< The walk looked at no other node.
    bool dirty = true;
  };
  /// A node with its amounts packed in the order of the index, so that comparing needs no look at
  /// the node.
  struct contender {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint32_t id = none;
    std::uint32_t node = none;
    friend bool operator==(const contender&, const contender&) = default;
  };
  /// A tournament tree over all nodes that may suit a query. It tells which of them is first.
  struct tournament {
    /// The nodes of one list of the change log. A node's leaf is its place + shift.
    struct group {
      std::uint32_t list = 0;
      std::uint32_t shift = 0;
      /// The place of each node; null if that is the node's number.
      const std::vector<std::uint32_t>* places = nullptr;
    };
    std::vector<group> groups;
    std::vector<contender> tree;  ///< The first contender below each vertex; the leaves come last.
    /// The position in the log of changes up to which the tree is up to date.
    std::uint64_t tree_position = 0;
    std::uint64_t position = 0;  ///< The position up to which `best` is.
    std::uint32_t best = none;
    std::uint32_t asked = 0;
    std::uint32_t failed = 0;  ///< How often only the walks could give the answer.
    bool judged = false;       ///< Whether each node has to be judged by itself.
  };
  struct row_cache {
    std::uint32_t row = 0;
    std::uint64_t position = 0;
    std::uint32_t witness = none;
    std::vector<kind_best> best;  ///< The best node of each of the matcher's kinds.
    std::uint64_t work = 0;       ///< The number of steps spent on walks.
    std::unique_ptr<tournament> played;
  };
  struct query_state {
    std::uint32_t matcher = 0;
    std::uint32_t shape = 0;
    const std::int64_t* need = nullptr;
    const std::vector<std::uint32_t>* only = nullptr;  ///< See matcher::only.
    bool followed = false;  ///< Walks cannot get stuck, so results can be remembered.
    bool aligned = false;   ///< Walks pass no node over.
    /// Every node of the matcher's kinds suits, and all requested resources are indexed.
    bool simple = false;
    bool loose = false;  ///< The first good node is also the smallest good one.
    std::vector<row_cache> rows;
  };

  [[nodiscard]] bool good(const query_state& q, std::uint32_t node, std::uint32_t row);
  /// first_fit() for a query that is confined to some nodes.
  [[nodiscard]] std::uint32_t first_among(const query_state& q, std::uint32_t row);
  [[nodiscard]] node_index& index(std::uint32_t row, std::uint32_t kind);
  [[nodiscard]] row_cache& cache(query_state& q, std::uint32_t row);
  void follow(query_state& q, row_cache& c);
  /// Updates one kind's best after a change of a node, or marks it dirty.
  void follow_node(const query_state& q, row_cache& c, std::uint64_t since, std::uint32_t node,
                   kind_best& best);
  /// Whether the node's rounded amounts come at or after the request in the order of the index.
  [[nodiscard]] bool within_walk(const query_state& q, std::uint32_t node, std::uint32_t row) const;
  /// Whether the node's rounded amounts are enough, so that no mark of a walk passes it over.
  [[nodiscard]] bool never_passed(const query_state& q, std::uint32_t node,
                                  std::uint32_t row) const;
  void search_again(query_state& q, row_cache& c, std::size_t place);
  [[nodiscard]] std::uint32_t smallest(const query_state& q, const row_cache& c) const;
  [[nodiscard]] bool stream_before(std::uint32_t a, std::uint32_t b, std::uint32_t row) const;
  /// The order between the fronts of the kinds: exact amounts, soft taints that are not tolerated,
  /// id.
  [[nodiscard]] bool front_before(const query_state& q, std::uint32_t a, std::uint32_t b,
                                  std::uint32_t row) const;
  [[nodiscard]] std::uint32_t merge(query_state& q, std::uint32_t row);

  void arrange();
  [[nodiscard]] bool worth_playing(const query_state& q, const row_cache& c) const;
  void open_tournament(const query_state& q, row_cache& c);
  void gather(const query_state& q, tournament& t);
  void add_group(tournament& t, bool whole_kind, std::uint32_t number) const;
  [[nodiscard]] bool contends(const query_state& q, const tournament& t, std::uint32_t node,
                              std::uint32_t row);
  /// Finds the first node. Returns false if only the walks can find it.
  [[nodiscard]] bool play(const query_state& q, row_cache& c);
  [[nodiscard]] bool still_first(const query_state& q, row_cache& c);
  void replay(const query_state& q, row_cache& c);
  void replay_node(const query_state& q, row_cache& c, std::size_t leaf, std::uint32_t node);
  [[nodiscard]] contender contender_of(std::uint32_t node, std::uint32_t row) const;
  [[nodiscard]] const contender& first_of(const query_state& q, const contender& a,
                                          const contender& b, std::uint32_t row) const {
    if (plain_keys_) return b.key < a.key || (b.key == a.key && b.id < a.id) ? b : a;
    return first_of(q, a.node, b.node, row) == a.node ? a : b;
  }
  [[nodiscard]] std::uint32_t first_of(const query_state& q, std::uint32_t a, std::uint32_t b,
                                       std::uint32_t row) const {
    if (a == none || b == none) return a == none ? b : a;
    return front_before(q, b, a, row) ? b : a;
  }

  const node_columns& nodes_;
  room& room_;
  matching& matching_;
  std::deque<query_state> queries_;
  /// The first matcher of each shape and the number + 1 of their query; other queries stand in
  /// numbers_.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_shape_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<std::unique_ptr<node_index>> indexes_;  ///< The index of each row.
  /// The nodes sorted by group, and in each group by number.
  struct arrangement {
    std::vector<std::uint32_t> nodes;
    std::vector<std::uint32_t> place;  ///< The place of each node.
    /// The first place and the number of nodes of each group.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> spans;
    void open(const std::vector<std::uint32_t>& group_of, std::size_t groups);
  };
  arrangement by_kind_;
  arrangement by_profile_;
  bool in_order_ = true;                ///< In each kind, ids ascend in the order of creation.
  std::vector<std::uint8_t> key_bits_;  ///< The number of bits of each index column in a key.
  bool plain_keys_ = true;              ///< Keys and ids decide which node is first.
  /// The largest number of leaves in all trees, at 32 bytes each.
  static constexpr std::size_t leaves_most = std::size_t{8} << 20;
  std::size_t leaves_ = 0;
  bool stuck_ = false;
};

}  // namespace argosy::scheduling::engine
