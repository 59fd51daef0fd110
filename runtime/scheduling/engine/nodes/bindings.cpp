// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/bindings.hpp"

namespace argosy::scheduling::engine {

bindings::bindings(const node_columns& nodes, room& free)
    : nodes_(nodes), room_(free), states_(nodes.t.jobs.size()) {}

void bindings::begin_round() {
  for (const auto job : changed_) states_[job] = {};
  changed_.clear();
  states_.grow(nodes_.t.jobs.size());
  protects_ = false;
  commit();
}

void bindings::protect(std::uint32_t job, std::uint32_t shape) {
  const auto upto = cutoff_rows(job, shape, priority(job));
  changing(job).flags |= kept;
  protects_ = true;
  if (!is_bound(job)) return;
  room_.take(node_of(job), upto, nodes_.rows.count(), shape);
  room_.note(node_of(job));
}

void bindings::bind(std::uint32_t job, std::uint32_t shape, std::uint32_t node,
                    std::int32_t priority) {
  auto& s = changing(job);
  const auto back = (s.flags & holding) != 0;
  record(back ? change::bound_back : change::bound_new, job, shape);
  // A returning job gives up the room that it still held in the lowest row.
  room_.take(node, back ? 1 : 0, cutoff_rows(job, shape, priority), shape);
  room_.note(node);
  s.priority = priority;
  s.node = node;
  s.flags = static_cast<std::uint8_t>((s.flags & ~holding) | touched | bound);
}

void bindings::evict(std::uint32_t job, std::uint32_t shape, std::uint32_t node,
                     std::int32_t priority) {
  auto& s = changing(job);
  room_.give(node, 1, cutoff_rows(job, shape, priority), shape);
  room_.note_growth(node, false);
  s.priority = priority;
  s.node = node;
  s.flags = static_cast<std::uint8_t>((s.flags & ~bound) | touched | holding | evicted);
}

void bindings::drop_evicted(std::uint32_t job, std::uint32_t shape) {
  auto& s = states_[job];
  record(change::dropped, job, shape);
  room_.give(s.node, 0, 1, shape);
  room_.note_growth(s.node, true);
  s.flags = static_cast<std::uint8_t>((s.flags & ~holding) | pushed_out);
}

void bindings::drop_bound(std::uint32_t job, std::uint32_t shape) {
  auto& s = changing(job);
  if ((s.flags & touched) == 0) {
    s.priority = priority(job);
    s.node = node_of(job);
    s.flags |= touched | bound;
  }
  record(change::removed, job, shape);
  room_.give(s.node, 0, cutoff_rows(job, shape, s.priority), shape);
  room_.note_growth(s.node, true);
  room_.note_growth(s.node, false);
  s.flags = static_cast<std::uint8_t>((s.flags & ~bound) | pushed_out | evicted);
}

void bindings::undo_one(const entry& made) {
  auto& s = states_[made.job];
  const auto node = s.node;
  switch (made.what) {
    case change::bound_new:
    case change::bound_back:
      room_.give(node, made.what == change::bound_back ? 1 : 0,
                 cutoff_rows(made.job, made.shape, s.priority), made.shape);
      break;
    case change::dropped:
      room_.take(node, 0, 1, made.shape);
      break;
    case change::removed:
      room_.take(node, 0, cutoff_rows(made.job, made.shape, s.priority), made.shape);
      break;
  }
  room_.note_growth(node, true);
  room_.note_growth(node, false);
  const auto at_now = s.priority;
  s = made.before;
  if (nodes_.conf.isolated_trials) return;
  s.priority = at_now;
  s.flags |= touched;
}

void bindings::undo() {
  recording_ = false;
  for (auto made = journal_.rbegin(); made != journal_.rend(); ++made) undo_one(*made);
  journal_.clear();
}

}  // namespace argosy::scheduling::engine
