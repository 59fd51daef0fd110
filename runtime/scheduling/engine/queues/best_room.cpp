// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/best_room.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

best_room::best_room(const node_columns& nodes, const room& free, const bindings& bound,
                     const returning_table& returning)
    : nodes_(nodes),
      room_(free),
      bound_(bound),
      table_(returning),
      urgent_(!nodes.conf.disable_urgency_preemption && nodes.conf.urgency != urgency_rule::never),
      all_taken_(nodes.conf.selection != queue_selection::progressive_filling) {}

void best_room::begin_numbering(bool any_evicted) {
  evicted_ = any_evicted;
  numbering_ = true;
}

std::uint32_t best_room::note_turn(const turn_rank& rank) {
  if (keys_.empty() || keys_.back() < rank) keys_.push_back(rank);
  return static_cast<std::uint32_t>(keys_.size() - 1);
}

std::uint32_t best_room::cut_of(const turn_rank& own) const {
  if (!asks_rank()) return 0;
  // Equal keys are of the gang's own queue, in which whoever still waits stands behind it.
  const auto first = std::lower_bound(keys_.begin(), keys_.end(), own);
  return static_cast<std::uint32_t>(first - keys_.begin());
}

const std::int64_t* best_room::at(std::uint32_t node, std::int32_t priority, std::uint32_t cut) {
  const auto* base = room_.free(node, urgent_ ? nodes_.rows.of(priority) : 0);
  if (!at_stake()) return base;
  sum_.assign(base, base + nodes_.dims);
  const auto count = [&](std::uint32_t job, std::uint32_t shape, std::uint32_t key) {
    const auto own = bound_.priority(job);
    const bool balance = own <= priority && key >= cut;
    const bool lower = urgent_ && own < priority && !bound_.immovable(job, shape);
    // No row above the lowest counts evicted jobs, and the lowest counts all of them.
    const auto sign = urgent_ ? (balance || lower ? 0 : -1) : (balance ? 1 : 0);
    if (sign == 0) return;
    const auto* need = nodes_.t.amounts(shape);
    for (std::uint32_t d = 0; d < nodes_.dims; ++d) sum_[d] += sign * need[d];
  };
  if (numbering_) {
    for (const auto job : nodes_.record(node).jobs)
      if (bound_.holds_room(job)) count(job, nodes_.t.jobs[job].shape, cut);
    return sum_.data();
  }
  for (const auto* place = table_.places_begin(node); place != table_.places_end(node); ++place)
    if (const auto& entry = table_[*place]; entry.alive) count(entry.job, entry.shape, entry.key);
  return sum_.data();
}

bool best_room::after(const table_entry& leaver, const std::int64_t* need) const {
  if (!leaver.alive) return false;
  const auto* unused = room_.free(leaver.node, 0);
  const auto* left = nodes_.t.amounts(leaver.shape);
  for (std::uint32_t d = 0; d < nodes_.dims; ++d)
    if (need[d] > unused[d] + left[d]) return false;
  return true;
}

}  // namespace argosy::scheduling::engine
