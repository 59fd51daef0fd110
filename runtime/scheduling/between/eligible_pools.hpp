// SPDX-License-Identifier: Apache-2.0
// Which pools could ever take the jobs of each shape: those of which some node could, if it were
// empty and open. It is kept up as nodes come and go, so that the cost grows with what changed: a
// node of a kind that the pool has already is compared with nothing, one of a new kind only with
// the shapes that no node of the pool takes, and one that goes only with those for which it stood.
// Pure; whoever folds changes into the snapshot owns it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {

class eligible_pools {
 public:
  using config_ptr = std::shared_ptr<const config>;

  /// `by_pool` has the pools with another configuration than `common`.
  eligible_pools(config_ptr common, std::map<std::string, config_ptr> by_pool);

  /// Other configurations hold, or the numbers of nodes and shapes are others: all is looked at
  /// anew by the next settle().
  void configure(config_ptr common, std::map<std::string, config_ptr> by_pool);
  void forget();

  /// The node has come, changed or gone; `node` is its place in the snapshot.
  void see(std::uint32_t node) { seen_.insert(node); }

  /// The number of the set of pools that could take a job of the shape, for put_in(). It
  /// goes by the nodes of the last settle().
  [[nodiscard]] std::uint16_t pools_of(snapshot& of, shape_id shape);
  /// Whether some pool could take a job of the shape; true of a shape that was never asked for.
  [[nodiscard]] bool is_taken(shape_id shape) const;
  /// Grows by each change of the nodes.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  [[nodiscard]] bool is_settled() const noexcept { return !anew_ && seen_.empty(); }
  /// Takes in what was seen. Returns the shapes whose sets of pools are others now.
  [[nodiscard]] std::vector<shape_id> settle(snapshot& of);

 private:
  /// The nodes of one pool by kind, which is told by labels, taints and amounts.
  using node_kinds = std::unordered_map<std::string, std::vector<std::uint32_t>>;
  /// Where a node was put.
  struct membership {
    std::uint32_t pool = none;
    node_kinds::value_type* kind = nullptr;
    std::uint32_t place = 0;  ///< Among the nodes of its kind.
  };
  struct one_pool {
    config_ptr conf;
    std::vector<std::uint32_t> sources;  ///< The numbers of the pools whose nodes its rounds use.
    /// By shape a node that takes it; `none` if no node does.
    std::vector<std::uint32_t> taker;
    /// The shapes for which a node stands, by node.
    absl::flat_hash_map<std::uint32_t, std::vector<shape_id>> stands_for;
    std::vector<shape_id> untaken;
  };
  /// What settle() has found of the nodes of one pool.
  struct news {
    std::vector<std::uint32_t> gone;
    std::vector<std::uint32_t> came;
    std::vector<std::uint32_t> of_new_kind;  ///< Some of those that came, one for each new kind.
  };

  void regroup(const snapshot& of, std::uint32_t node, std::map<std::uint32_t, news>& out);
  void leave_group(std::uint32_t node);
  /// Makes the list of pools that have rounds. Returns whether it is another one than before.
  bool list_pools(const snapshot& of);
  [[nodiscard]] const config_ptr& config_of(const std::string& pool) const;
  [[nodiscard]] std::uint32_t find_taker(const snapshot& of, const std::string& name,
                                         const one_pool& pool, shape_id shape) const;
  static void set_taker(one_pool& pool, shape_id shape, std::uint32_t node);
  void look_again(const snapshot& of, const std::string& name, one_pool& pool, const news& what,
                  std::set<shape_id>& changed) const;
  /// Looks at shapes that are new.
  void learn_shapes(snapshot& of);
  [[nodiscard]] std::uint16_t set_of(snapshot& of, shape_id shape) const;

  config_ptr common_;
  std::map<std::string, config_ptr> by_pool_;
  std::set<std::uint32_t> seen_;
  std::uint64_t version_ = 0;
  bool anew_ = true;  ///< The next settle() looks at all nodes and shapes.
  std::map<std::uint32_t, node_kinds> groups_;  ///< By the number of the pool that has the nodes.
  std::vector<membership> members_;             ///< By node.
  std::map<std::string, one_pool> pools_;
  std::vector<std::uint16_t> sets_;  ///< By shape; as many as are known.
};

}  // namespace argosy::scheduling
