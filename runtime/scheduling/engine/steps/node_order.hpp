// SPDX-License-Identifier: Apache-2.0
// Which of two nodes is better for a job, by the keys of config::node_order. What a key measures
// stands in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/user_index.hpp"
#include "runtime/scheduling/engine/queues/gang.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

enum class node_users : std::uint8_t { nobody, sole, shared };

/// A node, and what it costs other jobs if the job goes there.
struct victim_choice {
  std::uint32_t node = none;  ///< `none` if not enough jobs there may leave for this job.
  std::int32_t level = 0;     ///< The highest priority of a victim.
  double share = 0;           ///< The share of the richest among the victims' queues.
  std::size_t count = 0;
  node_users users = node_users::nobody;
  std::uint32_t soft_taints = 0;  ///< The number of soft taints that are not tolerated.
  bool roomiest = false;          ///< The node with most room is the best one.
  /// Gangs matter for the choice, so that changes of other nodes count as well.
  bool shared = false;
  bool listed = false;  ///< The node is among those that are judged again, for `shared` once.
  /// False for an estimate, with which few nodes have to be judged.
  bool judged = true;
};

class node_order {
 public:
  node_order(world& w, const newcomers& placed);

  /// As in Armada, victims for balance are the first that make room, from the end of the table.
  [[nodiscard]] bool walks_table() const { return walks_table_; }
  /// Free nodes have to be walked, since the index is not in this order.
  [[nodiscard]] bool walks_free() const { return asks_users_ || asks_nodes_ || !by_fit_; }
  /// A key asks whose jobs run on a node.
  [[nodiscard]] bool asks_users() const { return asks_users_; }
  /// Nodes with victims for balance can be ranked: class and share are the first keys, and no
  /// others are asked but the number of victims and the fit.
  [[nodiscard]] bool ranks_balance() const { return ranks_balance_; }
  /// Whether a choice whose costs are no more than the real ones is no worse either, so that few
  /// nodes have to be judged.
  [[nodiscard]] bool has_bounds() const { return has_bounds_; }
  [[nodiscard]] bool by_fit() const { return by_fit_; }
  [[nodiscard]] bool counts_victims() const { return counts_victims_; }
  [[nodiscard]] bool fit_before_count() const { return fit_before_count_; }
  /// Whether the amounts that are free on a node can be one number; see packed_room().
  [[nodiscard]] bool packs() const { return users_.packs(); }
  [[nodiscard]] unsigned_wide packed_room(std::uint32_t node) const {
    return users_.packed(world_.free.free(node, 0));
  }

  [[nodiscard]] bool better(const victim_choice& a, const victim_choice& b) const;
  /// Fills in what does not depend on the victims.
  void look_at(victim_choice& choice, const offer& o, std::uint32_t matcher);
  /// The best node without victims; `none` if there is none.
  [[nodiscard]] std::uint32_t best_free(const offer& o, std::uint32_t query, std::uint32_t matcher);

 private:
  void read_keys();
  /// Sets users_first_. Returns false if free nodes are not in that order: best fit has to come
  /// next, shared nodes are all that are left, and other keys say nothing of free nodes.
  [[nodiscard]] bool names_users_first(const std::vector<node_key>& keys);

  world& world_;
  const config& conf_;
  user_index users_;
  bool by_fit_ = false;
  bool asks_users_ = false;
  bool asks_nodes_ = false;  ///< A key asks for anything else.
  bool walks_table_ = false;
  bool ranks_balance_ = false;
  bool has_bounds_ = true;
  bool counts_victims_ = false;
  bool fit_before_count_ = false;
  /// Free nodes come by `users_first_` and then by best fit, so that none has to be walked.
  bool by_users_ = false;
  /// Whose nodes are asked in turn for the best fit, before all of them are.
  std::vector<node_users> users_first_;
};

}  // namespace argosy::scheduling::engine
