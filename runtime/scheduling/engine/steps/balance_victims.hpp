// SPDX-License-Identifier: Apache-2.0
// Victims for balance: which node's evicted jobs give way to a job whose queue has the better
// claim. Nodes are compared by config::node_order, as for victims of urgency; what a queue holds
// counts as it is at that moment, so that no queue gives up more than makes it equal to the others.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/scheduling/engine/steps/node_order.hpp"
#include "runtime/scheduling/engine/steps/node_ranking.hpp"
#include "runtime/scheduling/engine/steps/preemption_budget.hpp"
#include "runtime/scheduling/engine/steps/returning_order.hpp"
#include "runtime/scheduling/engine/steps/trial.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class balance_victims {
 public:
  balance_victims(world& w, const books& sums, trial& under_way, node_order& order,
                  const preemption_budget& budget);

  /// Begins once the evicted jobs are lined up.
  void open(const returning_order& evicted);

  /// The node for a member of a gang where evicted jobs give way; `none` if there is none. Who
  /// leaves is then in victims(), the mates of gangs not among them.
  [[nodiscard]] std::uint32_t choose(const offer& o, const gang& on_trial, std::uint32_t query,
                                     std::uint32_t matcher);
  [[nodiscard]] const std::vector<std::uint32_t>& victims() const { return victims_; }
  /// Nobody gave way for the job whose turn it is.
  void forget() { victims_.clear(); }

 private:
  /// What nodes would cost a query. It is kept up to date like the results of the search.
  struct ranking {
    std::size_t position = 0;
    std::size_t built = 0;  ///< The size of the ranking when it was new.
    std::unique_ptr<node_ranking> nodes;
  };
  /// What a ranking is of: a query and priority, and how much gangs may lose.
  using ranking_key = std::pair<std::uint64_t, std::uint32_t>;
  /// A job that is to leave a node.
  struct leaver {
    std::uint32_t place;    ///< Its place in the table.
    const gang_loss* gang;  ///< What falls with it; null if nothing does.
  };
  struct crowd_size {
    std::size_t jobs = 0;
    std::uint32_t level = 0;  ///< The highest level of a job.
  };
  /// The member whose turn it is, and the gang on trial.
  struct member {
    const offer& own;
    const gang& all;
  };

  /// The node that the table names first, as in Armada.
  [[nodiscard]] std::uint32_t first_in_table(const offer& o, std::uint32_t query,
                                             std::uint32_t matcher);
  [[nodiscard]] std::uint32_t judge_all(const member& of, std::uint32_t matcher);
  /// Puts the jobs that would leave the node for the job into crowd_. Returns false if there would
  /// not be room.
  [[nodiscard]] bool gather(const member& of, std::uint32_t node);
  /// Whether the gang may fall for the job, and does not yet.
  [[nodiscard]] bool may_fall(const gang_loss& gang, const offer& o) const;
  /// Whether the rival gives way for balance alone: without urgency a lower class gives way only to
  /// a queue that will have less than its own.
  [[nodiscard]] bool balance_alone(const member& of, std::uint32_t rival);
  /// What falls with the jobs in crowd_, themselves included.
  [[nodiscard]] crowd_size measure() const;
  void name_victims();
  [[nodiscard]] bool within_budget() const;

  /// Whether nodes can be ranked for the job and all that are like it.
  [[nodiscard]] bool ranks(const offer& o, std::uint32_t matcher);
  [[nodiscard]] ranking& ranking_of(std::uint32_t query, std::int32_t priority);
  void follow(ranking& c, const member& of, std::uint32_t matcher);
  void rank_all(ranking& c, const member& of, std::uint32_t matcher);
  void rank_node(node_ranking& into, const member& of, std::uint32_t matcher, std::uint32_t node);
  [[nodiscard]] node_rank rank_of(std::uint32_t node, std::size_t victims,
                                  std::uint32_t matcher) const;

  world& world_;
  const tables& t_;
  const books& books_;
  trial& trial_;
  node_order& order_;
  const preemption_budget& budget_;
  const returning_order* evicted_ = nullptr;
  std::vector<leaver> crowd_;  ///< The result of gather().
  std::vector<std::uint32_t> victims_;
  std::vector<std::int64_t> room_;  ///< Scratch memory.
  absl::flat_hash_map<ranking_key, std::unique_ptr<ranking>> rankings_;
  ranking_key last_key_;
  ranking* last_ = nullptr;
  /// For each rival, the last rank_node() that filed a node under it.
  std::vector<std::uint32_t> filed_;
  std::uint32_t filing_ = 0;
};

}  // namespace argosy::scheduling::engine
