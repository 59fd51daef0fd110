// SPDX-License-Identifier: Apache-2.0
// The nodes of one round, what is free on them at every priority, the jobs bound there, and the
// table of evicted jobs. Changes inside a transaction can be undone. Node numbers here are dense.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/scheduling/engine/nodes/changes.hpp"
#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling::engine {

/// The priorities of the two rows below all others: the room when evicted jobs leave, and the room
/// when jobs of other pools leave.
inline constexpr std::int32_t evicted_priority = -2;
inline constexpr std::int32_t cross_pool_priority = -1;

/// What of a resource a pool has is counted up to this, in steps, so that twice as much is still a
/// number. What nodes have beyond it is nobody's.
inline constexpr std::int64_t pool_limit = std::int64_t{1} << 62;

enum job_flag : std::uint8_t {
  touched = 1,     ///< `priority` and `node` are valid; without this flag the snapshot's record is.
  bound = 2,       ///< The job is on its node and not evicted.
  holds_room = 4,  ///< The job is evicted and still holds its room in the lowest row.
  evicted = 8,     ///< The job was evicted at some time in this round.
  pushed_out = 16  ///< The job lost its place to another job.
};

struct job_state {
  std::int32_t priority;  ///< The priority of the last binding.
  std::uint32_t node;     ///< The node's number here, while the job is bound or holds room.
  std::uint32_t number;   ///< The job's place in the table + 1; 0: none.
  std::uint32_t cause;    ///< The place in the round's list of preemption causes + 1; 0: none.
  std::uint8_t flags;
};

struct table_entry {
  std::uint32_t job = none;
  std::uint32_t shape = 0;
  std::uint32_t node = 0;
  std::uint32_t queue : 31 = 0;  ///< The queue's number in `books`.
  std::uint32_t alive : 1 = 0;
  std::uint32_t key = 0;  ///< See best_room::note_turn().
};

class space {
 public:
  space(const tables& t, const config& conf, const round_params& params, std::uint32_t pool);

  // What does not change in a round.
  const tables& t;
  const config& conf;
  std::uint32_t dims;                ///< The number of node resources.
  std::vector<std::int32_t> rows;    ///< The priorities of the rows, ascending.
  std::vector<std::uint32_t> slots;  ///< The snapshot's number of each node.
  /// The number here of each node of the snapshot; `none` for nodes outside.
  std::vector<std::uint32_t> dense;
  std::vector<std::int64_t> total;  ///< The allocatable amounts of each node.
  /// The sum of `total` over all nodes. Of closed nodes only what is in use counts, and so it is
  /// for those that leave_out_islands() found; Armada counts them whole.
  std::vector<std::int64_t> pool_total;
  std::vector<std::uint8_t> overfull;  ///< Whether the jobs of each node need more than it has.
  /// Whether each node takes only jobs that tolerate the unschedulable taint. In Armada overfull
  /// nodes do, too.
  std::vector<std::uint8_t> shut;
  /// Whether each node takes no new jobs, since its executor is closed.
  std::vector<std::uint8_t> barred;
  std::vector<std::uint32_t> kind;  ///< The number of each node's kind in the snapshot.
  /// The order of nodes that are otherwise equal, by creation or by id.
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> id_order;  ///< The place of each node's id among all ids.
  /// The number of cordoned nodes without jobs, which have no number here.
  std::uint32_t idle_shut = 0;
  std::uint32_t idle_quarantined = 0;  ///< The number of those that are quarantined.

  [[nodiscard]] std::uint32_t node_count() const {
    return static_cast<std::uint32_t>(slots.size());
  }
  [[nodiscard]] std::uint32_t row_count() const { return static_cast<std::uint32_t>(rows.size()); }
  /// The number of rows at or below a priority.
  [[nodiscard]] std::uint32_t rows_upto(std::int32_t priority) const;
  /// The row of exactly this priority; `none` if there is none.
  [[nodiscard]] std::uint32_t row_of(std::int32_t priority) const;

  [[nodiscard]] const std::int64_t* free(std::uint32_t node, std::uint32_t row) const {
    return free_.data() + (std::size_t{node} * rows.size() + row) * dims;
  }
  [[nodiscard]] bool fits(const std::int64_t* need, std::uint32_t node, std::uint32_t row) const {
    return fits(need, free(node, row));
  }
  [[nodiscard]] bool fits(const std::int64_t* need, const std::int64_t* room) const {
    for (std::uint32_t d = 0; d < dims; ++d)
      if (need[d] > usable(room[d])) return false;
    return true;
  }
  /// What can be used of an amount: nothing if it is overdrawn, so that a job that asks for nothing
  /// still fits. Armada compares with the overdrawn amount, and so does `current`.
  [[nodiscard]] std::int64_t usable(std::int64_t room) const { return std::max(room, least_); }

  /// Whether it is known that no node of any kind has that much in the row. False says nothing.
  [[nodiscard]] bool hopeless(const std::int64_t* need, std::uint32_t row);
  /// Call this when a search in the row found nothing although it was not hopeless.
  void found_nothing(std::uint32_t row);

  // Jobs of other pools on the nodes of this round. There are none without guests.
  /// The jobs running here from pools that may use these nodes.
  std::vector<std::uint32_t> guests;
  [[nodiscard]] bool is_guest(std::uint32_t job) const {
    return !guests.empty() && visits(t.jobs[job]);
  }
  /// What is held on the node by jobs that are not part of this round, which is taken off the
  /// node's total. Empty if nothing is.
  [[nodiscard]] std::vector<std::int64_t> held_by_others(std::uint32_t node) const;
  /// What stopping runs hold on the node, which is taken off all rows but not off the total. Null
  /// if nothing is. In Armada such a job has ended, so that preset `current` gives its room away.
  [[nodiscard]] const std::int64_t* held_by_stopping(std::uint32_t node) const {
    const auto& need = t.nodes[slots[node]].stopping_need;
    return need.empty() || conf.base == preset::current ? nullptr : need.data();
  }

  // Jobs.
  [[nodiscard]] job_state& state(std::uint32_t job) { return states_[job]; }
  [[nodiscard]] const job_state& state(std::uint32_t job) const { return states_[job]; }
  /// Whether the job is on a node of this round and not evicted.
  [[nodiscard]] bool is_bound(std::uint32_t job) const;
  [[nodiscard]] std::int32_t bound_priority(std::uint32_t job) const;
  [[nodiscard]] std::uint32_t node_of(std::uint32_t job) const;
  /// Whether the job counts in all rows and is no victim for urgency.
  [[nodiscard]] bool immovable(std::uint32_t job, std::uint32_t shape) const;
  /// Treats a running job as one that its class protects.
  void protect(std::uint32_t job, std::uint32_t shape);
  [[nodiscard]] bool is_protected(std::uint32_t job) const {
    return !protected_.empty() && protected_[job] != 0;
  }

  void bind(std::uint32_t job, std::uint32_t shape, std::uint32_t node, std::int32_t priority);
  void evict(std::uint32_t job, std::uint32_t shape, std::uint32_t node, std::int32_t priority);
  /// An evicted job leaves for good.
  void drop_evicted(std::uint32_t job, std::uint32_t shape);
  /// A bound job leaves for good, without having been evicted.
  void drop_bound(std::uint32_t job, std::uint32_t shape);

  // Transactions. Undoing restores everything, but priorities only if trials are isolated.
  void begin() {
    journal_.clear(), recording_ = true;
    changes_.begin_trial();
    while (table_end_ > 0 && !table_[table_end_ - 1].alive) --table_end_;
  }
  void commit() { journal_.clear(), recording_ = false; }
  void rollback();

  // The table of evicted jobs in the order in which they would come back.
  void enter(std::vector<table_entry> entries);
  [[nodiscard]] const std::vector<table_entry>& table() const { return table_; }
  /// The place from which on all entries are struck out for good.
  [[nodiscard]] std::uint32_t table_end() const { return table_end_; }
  /// Takes the job out of the table. Returns false if it is not or no longer there.
  bool strike(std::uint32_t job);
  /// The table's places on a node, ascending; some may be struck out.
  [[nodiscard]] const std::uint32_t* places_begin(std::uint32_t node) const {
    return places_.data() + place_start_[node];
  }
  [[nodiscard]] const std::uint32_t* places_end(std::uint32_t node) const {
    return places_.data() + place_end_[node];
  }
  /// Forgets places at the end that are struck out for good.
  void trim(std::uint32_t node);

  // Every change of a node is noted, so that remembered results can be updated.
  /// The log of changes, brought up to date.
  const change_log& changes() {
    changes_.refresh();
    return changes_;
  }
  /// The position of the latest change.
  [[nodiscard]] std::uint64_t now() const { return changes_.now(); }
  /// The log of changes as it was at the last call of changes().
  [[nodiscard]] const change_log& known_changes() const { return changes_; }
  /// The position of the last change by which room grew on the node, in the lowest row or in any
  /// other.
  [[nodiscard]] std::uint64_t raised(std::uint32_t node, std::uint32_t row) const {
    return row == 0 ? raised_lowest_[node] : raised_above_[node];
  }
  /// Whether rounding to the resolutions of the index has kept all different amounts apart so far.
  [[nodiscard]] bool kept_apart() const { return kept_apart_; }
  /// The columns of the index and their resolutions.
  std::vector<std::pair<std::uint32_t, std::int64_t>> indexed;

 private:
  enum class change : std::uint8_t { bound_new, bound_back, dropped, removed, struck };
  struct undo {
    change what;
    std::uint32_t job;
    std::uint32_t shape;
    job_state before;
  };

  struct free_deleter {
    void operator()(job_state* states) const { std::free(states); }
  };

  void name_pools(std::uint32_t pool);
  [[nodiscard]] bool visits(const job_record& job) const;
  /// Whether the job is of another pool and no guest, so that it only takes room.
  [[nodiscard]] bool is_stranger(const job_record& job) const {
    return mixed_ && job.run_pool != pool_ && !visits(job);
  }
  [[nodiscard]] std::int32_t guest_priority(const job_record& job) const {
    return conf.cross_pool_jobs_first ? cross_pool_priority : job.run_priority;
  }
  void fill_mixed_rows(std::uint32_t number, std::uint32_t slot);
  void add_rows();
  void add_nodes(const round_params& params);
  void fill_rows(std::uint32_t node, std::uint32_t slot);
  void take_stopping(std::uint32_t node);
  void shift(std::uint32_t node, std::uint32_t first, std::uint32_t last, const std::int64_t* need,
             std::int64_t sign);
  void note(std::uint32_t node) { changes_.note(node); }
  void measure_units();
  void narrow_units(const std::int64_t* amounts);
  /// Counts the amounts of a shape, which is bound or unbound, among those that rounding has to
  /// keep apart.
  void see(std::uint32_t shape) {
    if (!kept_apart_ || seen_.empty() || seen_[shape] != 0) return;
    seen_[shape] = 1;
    narrow_units(t.amounts(shape));
  }
  void raise(std::uint32_t node, bool lowest);
  void undo_one(const undo& step);
  [[nodiscard]] std::uint32_t cutoff_rows(std::uint32_t job, std::uint32_t shape,
                                          std::int32_t priority) const;
  void record(change what, std::uint32_t job, std::uint32_t shape) {
    if (recording_) journal_.push_back({what, job, shape, states_[job]});
  }

  /// Upper bounds of what any node has free in a row; empty until asked for.
  struct row_maximum {
    std::vector<std::int64_t> amounts;
    std::uint32_t misses = 0;
  };
  void measure(row_maximum& maximum, std::uint32_t row);
  std::vector<row_maximum> maxima_;

  std::int64_t least_ = 0;  ///< See usable().
  std::uint32_t pool_ = 0;
  bool mixed_ = false;                  ///< Whether the nodes may have jobs of other pools.
  std::vector<std::uint32_t> lending_;  ///< The pools whose nodes are used here, this one included.
  std::vector<std::uint32_t> guest_pools_;
  std::vector<std::int64_t> free_;
  std::unique_ptr<job_state[], free_deleter> states_;
  std::vector<std::uint8_t> protected_;
  std::vector<undo> journal_;
  bool recording_ = false;
  std::vector<table_entry> table_;
  std::uint32_t table_end_ = 0;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> place_start_;
  std::vector<std::uint32_t> place_end_;
  change_log changes_;
  std::vector<std::uint64_t> raised_lowest_;
  std::vector<std::uint64_t> raised_above_;
  std::vector<std::int64_t> units_;  ///< For each index column, a number that divides every amount.
  std::vector<std::uint8_t> seen_;   ///< Whether the amounts of each shape were counted in units_.
  bool kept_apart_ = true;
};

/// The numbers of config::unscheduled_resources among the resources of nodes.
[[nodiscard]] std::vector<std::uint32_t> banned_resources(const space& nodes);

/// From now on only what runs on the node counts in space::pool_total.
void leave_out(space& nodes, std::uint32_t node);

/// Whether a node takes no new jobs: it is cordoned, drained or in quarantine, or its cluster is
/// silent.
[[nodiscard]] inline bool is_closed(const space& nodes, std::uint32_t node) {
  return nodes.t.nodes[nodes.slots[node]].unschedulable || nodes.barred[node] != 0;
}

// Inlined, since it is called for every job of a node.

inline bool space::is_bound(std::uint32_t job) const {
  const auto& s = states_[job];
  if ((s.flags & touched) != 0) return (s.flags & bound) != 0;
  const auto& record = t.jobs[job];
  return record.running && dense[record.node] != none && !is_stranger(record);
}

inline std::int32_t space::bound_priority(std::uint32_t job) const {
  const auto& s = states_[job];
  if ((s.flags & touched) != 0) return s.priority;
  const auto& record = t.jobs[job];
  if (!record.running) return t.class_of(record).priority;
  return is_guest(job) ? guest_priority(record) : record.run_priority;
}

inline std::uint32_t space::node_of(std::uint32_t job) const {
  const auto& s = states_[job];
  return (s.flags & touched) != 0 ? s.node : dense[t.jobs[job].node];
}

inline bool space::immovable(std::uint32_t job, std::uint32_t shape) const {
  return !conf.classes[t.shapes[shape].class_index].urgency_preemptible || is_protected(job);
}

}  // namespace argosy::scheduling::engine
