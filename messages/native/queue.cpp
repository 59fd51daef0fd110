// SPDX-License-Identifier: Apache-2.0
#include "messages/native/queue.hpp"

#include "runtime/ledger/queue/queue_version.hpp"

namespace argosy::native {

queue_status status_of(const ledger::queue_core& core) {
  queue_status out;
  out.settings = *core.settings();
  for (const auto state : {model::job_state::queued, model::job_state::leased,
                           model::job_state::pending, model::job_state::running})
    out.live[state] = core.count(state);
  out.held = core.holds().by_somebody();
  out.blocked = core.holds().blocked.size();
  out.unfit = core.holds().rejected;
  out.totals = core.totals();
  out.active_pools = core.active_pools();
  out.version = ledger::version_of(out.settings);
  return out;
}

}  // namespace argosy::native
