// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/run_facts.hpp"

#include <signal.h>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/process/run_folder.hpp"

namespace argosy::backends {

namespace {

/// Says why the agent killed a run, as the run's shim would have said it.
shim_status killed_for(const run_facts& facts) {
  shim_status out;
  out.signal = SIGKILL;
  out.exit_code = 128 + SIGKILL;
  out.finished_ns = wall_now_ns();
  if (facts.for_storage) {
    out.reason = facts.stopped_by->reason;
    out.message = facts.stopped_by->message;
  } else if (facts.stopped_by) {
    out.reason = shim_status::stopped;
    out.message = "did not end within the grace period and was killed with its shim";
  } else {
    out.reason = shim_status::lease_expired;
    out.message =
        "the lease ran out, and the agent killed the run with its shim, which had not ended it";
  }
  return out;
}

}  // namespace

run_facts::run_facts(const shim_plan& plan)
    : container(plan.container),
      keep_on_disconnect(plan.keep_on_disconnect),
      grace_ns(plan.grace_ns),
      storage_max(plan.storage_max),
      user(plan.user),
      is_pod(!plan.pod.containers.empty()) {}

model::run_event lost_event(const model::run_key& run, const run_facts& facts, bool executed) {
  if (facts.stopped_by || facts.lapsed) return final_event(run, facts.container, killed_for(facts));
  if (executed)
    return made_event(run, model::run_phase::failed, reason::lost,
                      "the run's shim was killed; how the command ended is not known");
  // The command cannot be to blame, since it was not executed; a damaged shim ends like this.
  return made_event(run, model::run_phase::refused, reason::backend_error,
                    "the run's shim ended before it executed the command");
}

}  // namespace argosy::backends
