// SPDX-License-Identifier: Apache-2.0
// The part of pod_runs that ends pods whose lease has lapsed, where the agent has said that they
// do. It cannot be taken back: the control plane may give the job to another cluster since.
#include <algorithm>
#include <utility>

#include "runtime/backends/kubernetes/pod_runs.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

using model::run_phase;

/// What has lapsed in a pause of this machine is over, though nobody has noticed it before.
void pod_runs::renew(const model::run_lease& lease, boot_time now) {
  if (lease_.has_passed(now)) lapse_all(now);
  lease_.renew(lease);
}

void pod_runs::lapse_all(boot_time now, const std::set<model::run_key>* only) {
  const auto grace_max = lease_.kill_grace_seconds();
  const auto lives = [&](const auto& key, const auto& run) {
    if (!run.lapses || run.told_end || (only != nullptr && !only->contains(key))) return false;
    return !run.end || (!run.end->lapsed && run.end->is_conditional()) ||
           run.end->grace_seconds > grace_max;
  };
  runs_.change(lives, [&](const auto& key, auto& run) {
    if (run.end && !run.end->is_conditional()) {
      // It is being ended, and the lease cuts every grace period.
      run.end->grace_seconds = grace_max;
      run.last_order = false;
      run.due = now;
      return;
    }
    run.end.reset();
    run.save = run.there && run.last && run.last->began;
    ending why{run_phase::stopped, shim_status::lease_expired,
               "the agent had no contact with the control plane until the lease ran out",
               std::min(run.grace_seconds, grace_max)};
    why.lapsed = true;
    // A pod that has ended by itself meanwhile is not deleted unseen.
    const bool may_be_there = run.uncertain || run.clash;
    why.if_absent = !run.there && may_be_there;
    if (run.there) why.version = run.last->version;
    if (run.there || may_be_there) lapsing_.insert(key);
    begin_end(run, std::move(why), now);
    run.look = !run.there && may_be_there;
  });
}

}  // namespace argosy::backends
