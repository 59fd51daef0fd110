// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/preemption_budget.hpp"

#include <utility>

namespace argosy::scheduling::engine {

preemption_budget::preemption_budget(const world& w, const books& sums, double tokens)
    : t_(w.nodes.t),
      bound_(w.bound),
      books_(sums),
      hard_(w.nodes.conf.hard_preemption_budget),
      left_(tokens) {}

void preemption_budget::watch(std::vector<std::uint32_t> floating_holders) {
  holders_ = std::move(floating_holders);
}

void preemption_budget::find_at_stake() {
  at_stake_.clear();
  if (!hard_ || !is_finite()) return;
  held_.assign(t_.dims, 0);
  for (const auto job : holders_) {
    if (!bound_.holds_room(job)) continue;
    for (auto d = t_.node_dims; d < t_.dims; ++d) held_[d] += t_.amounts(shape_of(job))[d];
  }
  for (const auto job : holders_) {
    if (!bound_.holds_room(job)) continue;
    bool loses = false;
    for (auto d = t_.node_dims; d < t_.dims; ++d)
      loses = loses || (t_.amounts(shape_of(job))[d] != 0 && books_.floating_lost(d, held_[d]));
    if (!loses) continue;
    at_stake_.insert(job);
    if (t_.jobs[job].gang == none) continue;
    for (const auto mate : t_.gangs[t_.jobs[job].gang].members)
      if (bound_.holds_room(mate)) at_stake_.insert(mate);
  }
}

bool preemption_budget::covers(const std::vector<std::uint32_t>& jobs, std::size_t so_far) const {
  if (!hard_ || !is_finite()) return true;
  absl::flat_hash_set<std::uint32_t> leaving(jobs.begin(), jobs.end());
  for (const auto job : jobs) {
    const auto gang = t_.jobs[job].gang;
    if (gang == none) continue;
    for (const auto mate : t_.gangs[gang].members)
      if (bound_.holds_room(mate)) leaving.insert(mate);
  }
  for (const auto job : at_stake_)
    if (bound_.holds_room(job)) leaving.insert(job);
  return static_cast<double>(so_far + leaving.size()) <= left_;
}

}  // namespace argosy::scheduling::engine
