// SPDX-License-Identifier: Apache-2.0
// What every plan must keep, checked from the snapshot and the plan alone.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "runtime/scheduling/engine/round_engine.hpp"

namespace argosy::scheduling::engine {

bool round_engine::may_overcommit(std::uint32_t node) const {
  if (conf_.explicit_victims) return false;
  if (nodes_.overfull[node] != 0 || reshuffled_[node] != 0) return true;
  const auto& record = t_.nodes[nodes_.slots[node]];
  // Surprise 7: what runs at a priority that is no row is not seen when room is sought there.
  const auto hidden = [&](std::int32_t cutoff) {
    return cutoff != every_row && nodes_.row_of(cutoff) == none;
  };
  // Jobs of unknown queues stay bound, also where a row is overdrawn.
  const auto stays = [&](std::uint32_t job) { return sums_.of(job) == none; };
  return std::any_of(record.cutoffs.begin(), record.cutoffs.end(), hidden) ||
         std::any_of(record.jobs.begin(), record.jobs.end(), stays);
}

void round_engine::self_check() {
  const auto dims = nodes_.dims;
  std::vector<std::int64_t> change(std::size_t{nodes_.node_count()} * dims, 0);
  const auto add = [&](std::uint32_t slot, std::uint32_t job, std::int64_t sign) {
    auto* sum = change.data() + std::size_t{nodes_.dense[slot]} * dims;
    const auto* need = t_.amounts(shape_of(job));
    for (std::uint32_t d = 0; d < dims; ++d) sum[d] += sign * need[d];
  };
  const auto violate = [&](std::string what) {
    if (plan_.violation.empty()) plan_.violation = std::move(what);
  };
  absl::flat_hash_map<std::uint32_t, std::uint32_t> gang_leases;
  for (std::size_t i = 0; i < plan_.leases.size(); ++i) {
    if (i + 16 < plan_.leases.size()) __builtin_prefetch(&t_.jobs[plan_.leases[i + 16].job_index]);
    const auto& lease = plan_.leases[i];
    const auto& record = t_.jobs[lease.job_index];
    if (record.running) violate("job " + to_string(lease.job) + " runs and was leased again");
    if (record.gang != none) ++gang_leases[record.gang];
    add(lease.node, lease.job_index, +1);
  }
  absl::flat_hash_set<std::uint32_t> lost;
  for (std::size_t i = 0; i < plan_.preemptions.size(); ++i) {
    if (i + 16 < plan_.preemptions.size())
      __builtin_prefetch(&t_.jobs[plan_.preemptions[i + 16].job_index]);
    const auto& p = plan_.preemptions[i];
    const auto& record = t_.jobs[p.job_index];
    if (nodes_.dense[p.node] != none) add(p.node, p.job_index, -1);
    if (!conf_.protect_whole_gang) continue;
    const auto& of = t_.class_of(record);
    if (!of.fair_share_preemptible && !of.urgency_preemptible)
      violate("job " + to_string(p.job) + " was preempted although its class protects it");
    if (record.gang != none) lost.insert(record.gang);
  }
  for (const auto gang : lost)
    for (const auto mate : t_.gangs[gang].members)
      if (t_.jobs[mate].running && nodes_.is_bound(mate))
        violate("gang '" + t_.gang_names.name(t_.gangs[gang].name) + "' was preempted in part");
  for (const auto& [gang, count] : gang_leases) {
    if (!conf_.isolated_trials) break;  // As Armada's, the last comer's number decides.
    std::uint32_t least = none;
    for (const auto member : t_.gangs[gang].members)
      least = std::min(least, conf_.minimum_cardinality
                                  ? t_.gang_terms[t_.jobs[member].gang_terms].minimum
                                  : t_.gang_terms[t_.jobs[member].gang_terms].cardinality);
    if (count < least)
      violate("gang '" + t_.gang_names.name(t_.gangs[gang].name) + "' was placed in part");
  }
  for (std::uint32_t node = 0; node < nodes_.node_count(); ++node) {
    const auto* sum = change.data() + std::size_t{node} * dims;
    if (std::all_of(sum, sum + dims, [](auto amount) { return amount <= 0; })) continue;
    const auto& record = t_.nodes[nodes_.slots[node]];
    auto held = nodes_.held_by_others(node);  // Off the total already.
    held.resize(dims, 0);
    for (std::uint32_t d = 0; d < dims; ++d) {
      auto left = nodes_.total[std::size_t{node} * dims + d] + held[d] - sum[d];
      for (std::size_t i = 0; i < record.cutoffs.size(); ++i) left -= record.bound[i * dims + d];
      if (left >= 0 || sum[d] <= 0) continue;
      if (may_overcommit(node)) continue;
      violate("node '" + record.id + "' was given more " + t_.dim_names[d] + " than it has");
    }
  }
  if (plan_.violation.empty()) return;
  plan_.leases.clear();
  plan_.preemptions.clear();
  plan_.failed.clear();
  plan_.rescheduled = 0;
  plan_.tokens_used = 0;
  plan_.preemption_tokens_used = 0;
  for (auto& queue : plan_.queues) queue.tokens_used = 0;
}

}  // namespace argosy::scheduling::engine
