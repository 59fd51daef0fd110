// SPDX-License-Identifier: Apache-2.0
// The nodes of a pool as they are given: what they have, what runs on them before the round, and in
// which order they stand. Nothing here changes while a round decides, and the self-check reads
// nothing else of nodes. Node numbers are dense, and hold for as long as these columns live.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/scheduling/engine/nodes/pool_borders.hpp"
#include "runtime/scheduling/engine/nodes/row_set.hpp"
#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling::engine {

/// What of a resource a pool has is counted up to this, in steps, so that twice as much is still a
/// number. What nodes have beyond it is nobody's.
inline constexpr std::int64_t pool_limit = std::int64_t{1} << 62;

/// How many nodes are cordoned and idle, and how many of these are quarantined.
struct idle_nodes {
  std::uint32_t shut = 0;
  std::uint32_t quarantined = 0;
};

class node_columns {
 public:
  node_columns(const tables& tables_in, const config& conf_in, const round_params& params,
               std::uint32_t pool);
  node_columns(const node_columns&) = delete;
  node_columns& operator=(const node_columns&) = delete;

  const tables& t;
  const config& conf;
  const std::uint32_t dims;  ///< The number of node resources.
  const row_set rows;
  const pool_borders borders;
  /// The columns of the index and their resolutions.
  const std::vector<std::pair<std::uint32_t, std::int64_t>> indexed;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(facts_.size()); }
  /// The snapshot's number of a node, and the number here of a node of the snapshot, which is
  /// `none` for nodes outside.
  [[nodiscard]] std::uint32_t slot(std::uint32_t node) const { return facts_[node].slot; }
  [[nodiscard]] std::uint32_t number_of(std::uint32_t slot) const { return numbers_[slot]; }
  [[nodiscard]] const node_record& record(std::uint32_t node) const { return t.nodes[slot(node)]; }

  /// The allocatable amounts.
  [[nodiscard]] const std::int64_t* total(std::uint32_t node) const {
    return totals_.data() + std::size_t{node} * dims;
  }
  /// The sum of these over all nodes. Of closed nodes, and of those that were left out, only what
  /// is in use counts; Armada counts them whole.
  [[nodiscard]] const std::vector<std::int64_t>& pool_total() const { return pool_total_; }
  /// In this round only what runs on these nodes counts in the total of the pool. Call this before
  /// anybody has read that.
  void leave_out(const std::vector<std::uint32_t>& nodes);
  /// Whether the columns are still true of a node of the snapshot, on which jobs began or ended
  /// since they were made. If not, they have to be made anew.
  [[nodiscard]] bool describe(std::uint32_t slot) const;

  /// Whether the jobs of the node need more than it has.
  [[nodiscard]] bool overfull(std::uint32_t node) const { return facts_[node].overfull; }
  /// Whether it takes only jobs that tolerate the unschedulable taint. In Armada overfull nodes do,
  /// too.
  [[nodiscard]] bool shut(std::uint32_t node) const { return facts_[node].shut; }
  /// Whether it takes no new jobs, since its executor is closed.
  [[nodiscard]] bool barred(std::uint32_t node) const { return facts_[node].barred; }
  /// The number of its kind in the snapshot.
  [[nodiscard]] std::uint32_t kind(std::uint32_t node) const { return facts_[node].kind; }
  /// The order of nodes that are otherwise equal, by creation or by id.
  [[nodiscard]] std::uint32_t order(std::uint32_t node) const { return facts_[node].order; }
  /// The place of its id among all ids.
  [[nodiscard]] std::uint32_t id_order(std::uint32_t node) const { return facts_[node].id_order; }

  /// Visits what is bound to the node before the round, as visit(rows, amounts): these amounts
  /// count in so many of the rows, from the lowest one up. Stopping runs are not among it.
  template <class Visit>
  void visit_bound(std::uint32_t node, Visit&& visit) const;
  /// What is held on the node by jobs that are not part of this round, which is taken off the
  /// node's total. Empty if nothing is.
  [[nodiscard]] std::vector<std::int64_t> held_by_others(std::uint32_t node) const;
  /// What stopping runs hold on the node, which is taken off all rows but not off the total. Null
  /// if nothing is. In Armada such a job has ended, so that preset `current` gives its room away.
  [[nodiscard]] const std::int64_t* held_by_stopping(std::uint32_t node) const {
    const auto& need = record(node).stopping_need;
    return need.empty() || conf.base == preset::current ? nullptr : need.data();
  }

  /// The guests of the pool, in the order of their nodes.
  [[nodiscard]] const std::vector<std::uint32_t>& guests() const { return guests_; }
  [[nodiscard]] bool is_guest(std::uint32_t job) const {
    return !guests_.empty() && borders.is_guest(t.jobs[job]);
  }

  /// The cordoned nodes without jobs, which have no number here.
  [[nodiscard]] const idle_nodes& idle() const { return idle_; }

  /// What can be used of an amount: nothing if it is overdrawn, so that a job that asks for nothing
  /// still fits. Armada compares with the overdrawn amount, and so does `current`.
  [[nodiscard]] std::int64_t usable(std::int64_t room) const { return std::max(room, least_); }
  [[nodiscard]] bool fits(const std::int64_t* need, const std::int64_t* room) const {
    for (std::uint32_t d = 0; d < dims; ++d)
      if (need[d] > usable(room[d])) return false;
    return true;
  }

 private:
  struct facts {
    std::uint32_t slot = 0;
    std::uint32_t kind = 0;
    std::uint32_t order = 0;
    std::uint32_t id_order = 0;
    bool overfull = false;
    bool shut = false;
    bool barred = false;
    bool mixed = false;  ///< Jobs of other pools run there.
  };

  void add_node(std::uint32_t slot, bool silent);

  const std::int64_t least_;  ///< See usable().
  std::vector<facts> facts_;
  std::vector<std::uint32_t> numbers_;  ///< By slot.
  std::vector<std::int64_t> totals_;
  std::vector<std::int64_t> pool_total_;
  std::vector<std::int64_t> whole_total_;  ///< Before any node was left out for a round.
  std::vector<std::uint32_t> guests_;
  idle_nodes idle_;
};

/// Whether the node takes no new jobs: it is cordoned, drained or in quarantine, or its cluster is
/// silent.
[[nodiscard]] inline bool is_closed(const node_columns& nodes, std::uint32_t node) {
  return nodes.record(node).unschedulable || nodes.barred(node);
}

/// The largest total of each column of the index.
[[nodiscard]] std::vector<std::int64_t> largest_indexed(const node_columns& nodes);
/// How many bits each column of the index needs, of which these are the largest amounts, in a key
/// that holds them all; empty if together they need more than `most` bits.
[[nodiscard]] std::vector<std::uint8_t> bits_of(const std::vector<std::int64_t>& largest,
                                                unsigned most);

/// The numbers of config::unscheduled_resources among the resources of nodes.
[[nodiscard]] std::vector<std::uint32_t> banned_resources(const node_columns& nodes);

template <class Visit>
void node_columns::visit_bound(std::uint32_t node, Visit&& visit) const {
  const auto& has = record(node);
  if (!facts_[node].mixed) {
    for (std::size_t i = 0; i < has.cutoffs.size(); ++i) {
      const auto cutoff = has.cutoffs[i];
      visit(cutoff == every_row ? rows.count() : rows.upto(cutoff), has.bound.data() + i * dims);
    }
    return;
  }
  for (const auto number : has.jobs) {
    const auto& job = t.jobs[number];
    if (borders.is_stranger(job)) continue;
    const auto at = job.run_pool == borders.pool() ? job.run_priority : borders.guest_priority(job);
    visit(t.class_of(job).urgency_preemptible ? rows.upto(at) : rows.count(), t.amounts(job.shape));
  }
}

}  // namespace argosy::scheduling::engine
