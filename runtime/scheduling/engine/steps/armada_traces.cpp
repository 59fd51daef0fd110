// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/armada_traces.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

namespace argosy::scheduling::engine {

armada_traces::armada_traces(const world& w) : world_(w) {
  if (w.nodes.conf.explicit_victims()) return;
  last_urgent_.assign(w.nodes.count(), none);
  reshuffled_.assign(w.nodes.count(), 0);
  lowest_return_.assign(w.nodes.count(), every_row);
}

std::vector<found_job> armada_traces::oversubscribed(const books& sums,
                                                     const decisions& made) const {
  std::vector<found_job> found;
  const std::size_t rows = world_.nodes.rows.count();
  std::vector<std::uint8_t> overdrawn(world_.nodes.count() * rows, 0);
  std::vector<std::uint8_t> tight(world_.nodes.count(), 0);
  bool any = false;
  for (std::uint32_t node = 0; node < world_.nodes.count(); ++node) {
    for (std::uint32_t row = 1; row < world_.nodes.rows.count(); ++row) {
      const auto* room = world_.free.free(node, row);
      if (std::all_of(room, room + world_.nodes.dims, [](auto amount) { return amount >= 0; }))
        continue;
      overdrawn[node * rows + row] = tight[node] = 1;
      any = true;
    }
  }
  if (!any) return found;
  const auto consider = [&](std::uint32_t job, std::uint32_t node) {
    if (!world_.bound.is_bound(job)) return;
    const auto& record = world_.nodes.t.jobs[job];
    if (sums.of(job) == none || world_.bound.immovable(job, record.shape)) return;
    const auto row = world_.nodes.rows.of(world_.bound.priority(job));
    if (row != none && overdrawn[node * rows + row] != 0)
      found.push_back({job, record.shape, node});
  };
  for (std::uint32_t node = 0; node < world_.nodes.count(); ++node)
    if (tight[node] != 0)
      for (const auto job : world_.nodes.record(node).jobs) consider(job, node);
  for (const auto& p : made.placed()) {
    const auto node = world_.bound.node_of(p.job);
    if (tight[node] != 0) consider(p.job, node);
  }
  return found;
}

void armada_traces::note_return(const offer& o) {
  if (!second_) return;
  if (lowest_return_[o.home] < o.priority) reshuffled_[o.home] = 1;
  lowest_return_[o.home] = std::min(lowest_return_[o.home], o.priority);
}

bool armada_traces::may_overcommit(std::uint32_t node, const books& sums) const {
  if (world_.nodes.conf.explicit_victims()) return false;
  if (world_.nodes.overfull(node) || reshuffled_[node] != 0) return true;
  const auto& record = world_.nodes.record(node);
  // As in Armada, a job that runs at a priority without a row is not seen when room is sought
  // there.
  const auto hidden = [&](std::int32_t cutoff) {
    return cutoff != every_row && world_.nodes.rows.of(cutoff) == none;
  };
  // Jobs of unknown queues stay bound, also where a row is overdrawn.
  const auto stays = [&](std::uint32_t job) { return sums.of(job) == none; };
  return std::any_of(record.cutoffs.begin(), record.cutoffs.end(), hidden) ||
         std::any_of(record.jobs.begin(), record.jobs.end(), stays);
}

bool books_contradict(const plan& made, const tables& t) {
  absl::flat_hash_map<std::uint32_t, std::uint32_t> lost;  // The number of lost jobs on each node.
  for (const auto& p : made.preemptions) {
    const auto* request = t.amounts(t.jobs[p.job_index].shape);
    if (std::all_of(request, request + t.dims, [](auto amount) { return amount == 0; }))
      ++lost[p.node];
  }
  // If other jobs are on the node, Armada's outcome depends on chance; if these are alone there,
  // its round fails.
  for (const auto& [node, count] : lost)
    if (count >= 2 && count == t.nodes[node].jobs.size()) return true;
  return false;
}

}  // namespace argosy::scheduling::engine
