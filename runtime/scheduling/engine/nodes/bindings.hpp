// SPDX-License-Identifier: Apache-2.0
// The places of the jobs in a round: jobs are bound to nodes, evicted there, and leave. Each change
// moves the room of its node, and is taken back by undo() unless commit() came first. What is left
// of a round is forgotten before the next one.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/room.hpp"
#include "runtime/scheduling/engine/zeros.hpp"

namespace argosy::scheduling::engine {

class bindings {
 public:
  /// Begins with the running jobs where they run.
  bindings(const node_columns& nodes, room& free);
  /// Another round begins, with the running jobs where they run. What the round before did to the
  /// room of nodes is taken back by whoever knows these.
  void begin_round();

  /// Whether the job is on a node of this round and not evicted.
  [[nodiscard]] bool is_bound(std::uint32_t job) const;
  /// Whether it is evicted and still holds its room in the lowest row.
  [[nodiscard]] bool holds_room(std::uint32_t job) const {
    return (states_[job].flags & holding) != 0;
  }
  /// Whether it was evicted at some time in this round.
  [[nodiscard]] bool was_evicted(std::uint32_t job) const {
    return (states_[job].flags & evicted) != 0;
  }
  /// Whether it lost its place to another job.
  [[nodiscard]] bool was_pushed_out(std::uint32_t job) const {
    return (states_[job].flags & pushed_out) != 0;
  }
  /// Whether it has neither a place nor room any more, after it had.
  [[nodiscard]] bool has_left(std::uint32_t job) const {
    const auto flags = states_[job].flags;
    return (flags & touched) != 0 && (flags & (bound | holding)) == 0;
  }
  /// The priority at which it was bound last; without a run, that of its class.
  [[nodiscard]] std::int32_t priority(std::uint32_t job) const;
  /// Its node while it is bound or holds room.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t job) const;
  /// Whether the job counts in all rows and is no victim for urgency.
  [[nodiscard]] bool immovable(std::uint32_t job, std::uint32_t shape) const;
  /// Treats a running job as one that its class protects.
  void protect(std::uint32_t job, std::uint32_t shape);
  /// These ask for memory ahead of its use.
  void prefetch(std::uint32_t job) const { __builtin_prefetch(&states_[job], 1); }
  void prefetch(std::uint32_t job, std::uint32_t node) const {
    prefetch(job);
    __builtin_prefetch(room_.free(node, 1), 1);
  }

  void bind(std::uint32_t job, std::uint32_t shape, std::uint32_t node, std::int32_t priority);
  void evict(std::uint32_t job, std::uint32_t shape, std::uint32_t node, std::int32_t priority);
  /// An evicted job leaves for good.
  void drop_evicted(std::uint32_t job, std::uint32_t shape);
  /// A bound job leaves for good, without having been evicted.
  void drop_bound(std::uint32_t job, std::uint32_t shape);

  // Undoing restores everything, but priorities only if trials are isolated. Evictions cannot be
  // undone.
  void begin() { journal_.clear(), recording_ = true; }
  void commit() { journal_.clear(), recording_ = false; }
  void undo();

 private:
  enum flag : std::uint8_t {
    touched = 1,  ///< Priority and place are valid; without this flag the snapshot's record is.
    bound = 2,
    holding = 4,
    evicted = 8,
    pushed_out = 16,
    kept = 32  ///< See protect().
  };
  struct state {
    std::int32_t priority;
    std::uint32_t node;
    std::uint8_t flags;
  };
  enum class change : std::uint8_t { bound_new, bound_back, dropped, removed };
  struct entry {
    change what;
    std::uint32_t job;
    std::uint32_t shape;
    state before;
  };

  /// The state of a job that is about to change.
  [[nodiscard]] state& changing(std::uint32_t job) {
    auto& s = states_[job];
    if (s.flags == 0) changed_.push_back(job);
    return s;
  }
  [[nodiscard]] std::uint32_t cutoff_rows(std::uint32_t job, std::uint32_t shape,
                                          std::int32_t priority) const {
    return immovable(job, shape) ? nodes_.rows.count() : nodes_.rows.upto(priority);
  }
  void record(change what, std::uint32_t job, std::uint32_t shape) {
    if (recording_) journal_.push_back({what, job, shape, states_[job]});
  }
  void undo_one(const entry& made);

  const node_columns& nodes_;
  room& room_;
  zeros<state> states_;                 ///< By job.
  std::vector<std::uint32_t> changed_;  ///< The jobs with another state than 0; some come twice.
  bool protects_ = false;               ///< Whether any job is protected.
  std::vector<entry> journal_;
  bool recording_ = false;
};

// Inlined, since it is called for every job of a node.

inline bool bindings::is_bound(std::uint32_t job) const {
  const auto& s = states_[job];
  if ((s.flags & touched) != 0) return (s.flags & bound) != 0;
  const auto& record = nodes_.t.jobs[job];
  return record.running && nodes_.number_of(record.node) != none &&
         !nodes_.borders.is_stranger(record);
}

inline std::int32_t bindings::priority(std::uint32_t job) const {
  const auto& s = states_[job];
  if ((s.flags & touched) != 0) return s.priority;
  const auto& record = nodes_.t.jobs[job];
  if (!record.running) return nodes_.t.class_of(record).priority;
  return nodes_.is_guest(job) ? nodes_.borders.guest_priority(record) : record.run_priority;
}

inline std::uint32_t bindings::node_of(std::uint32_t job) const {
  const auto& s = states_[job];
  return (s.flags & touched) != 0 ? s.node : nodes_.number_of(nodes_.t.jobs[job].node);
}

inline bool bindings::immovable(std::uint32_t job, std::uint32_t shape) const {
  return !nodes_.conf.classes[nodes_.t.shapes[shape].class_index].urgency_preemptible ||
         (protects_ && (states_[job].flags & kept) != 0);
}

}  // namespace argosy::scheduling::engine
