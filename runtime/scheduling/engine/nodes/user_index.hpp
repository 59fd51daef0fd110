// SPDX-License-Identifier: Apache-2.0
// Which queue's jobs are on each node, and the nodes of each queue, and those of nobody, by what is
// free on them. Both are brought up to date from the log of changes when somebody asks, so that
// asking costs what changed and not what there is.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/bindings.hpp"
#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/newcomers.hpp"
#include "runtime/scheduling/engine/nodes/room.hpp"

namespace argosy::scheduling::engine {

class user_index {
 public:
  /// The user of a node on which jobs of several queues are. The other users are the queues of the
  /// snapshot, and `none` for a node without jobs.
  static constexpr std::uint32_t several = none - 1;

  user_index(const node_columns& nodes, room& free, const bindings& bound, matching& terms,
             const newcomers& placed, std::vector<std::uint8_t> bits);

  /// The queue whose jobs alone are on the node, evicted ones that hold their room included.
  [[nodiscard]] std::uint32_t user(std::uint32_t node) {
    follow();
    return users_[node];
  }
  /// Whether amounts are small enough to be packed, without which first() does not work.
  [[nodiscard]] bool packs() const { return bits_.size() == nodes_.indexed.size(); }
  /// The indexed ones of these amounts in one key; only if packs().
  [[nodiscard]] unsigned_wide packed(const std::int64_t* amounts) const;
  /// The node of this user, which is not `several`, that suits and has room: the one with the least
  /// free, then with the fewest soft taints, then with the first id; `none` if there is none.
  [[nodiscard]] std::uint32_t first(std::uint32_t user, const std::int64_t* need,
                                    std::uint32_t matcher);

 private:
  struct entry {
    unsigned_wide free = 0;  ///< The indexed amounts, packed.
    std::uint32_t id = 0;    ///< The place of the node's id.
    std::uint32_t node = none;
    friend bool operator<(const entry& a, const entry& b) {
      return a.free != b.free ? a.free < b.free : a.id < b.id;
    }
  };
  using ordered = absl::btree_set<entry>;

  void follow();
  [[nodiscard]] std::uint32_t count_users(std::uint32_t node) const;
  void file(std::uint32_t node);
  /// The first key that a node may have which is short of something at this one.
  [[nodiscard]] unsigned_wide next_key(std::uint32_t node, const std::int64_t* need) const;

  const node_columns& nodes_;
  room& room_;
  const bindings& bound_;
  matching& matching_;
  const newcomers& placed_;
  std::vector<std::uint8_t> bits_;    ///< The number of bits of each index column.
  std::vector<std::uint32_t> users_;  ///< By node; empty until somebody asks.
  std::vector<unsigned_wide> filed_;  ///< The key under which each node is filed.
  absl::flat_hash_map<std::uint32_t, ordered> by_user_;
  std::uint64_t position_ = 0;  ///< The position in the log up to which all this is up to date.
};

}  // namespace argosy::scheduling::engine
