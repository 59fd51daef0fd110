// SPDX-License-Identifier: Apache-2.0
// What a QUEUE answers that changes nothing: how it stands, and whether somebody may do something
// with it.
#pragma once

#include <caf/typed_event_based_actor.hpp>

#include "actors/caf_error.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "runtime/access/action.hpp"

namespace argosy::actors {

/// Its settings and counts. ec::not_found when there is no such queue.
[[nodiscard]] inline caf::result<native::queue_status_ptr> status_of(
    const ledger::queue_core& core) {
  if (!core.exists()) return to_caf({ec::not_found, "queue '" + core.name() + "' does not exist"});
  return std::make_shared<const native::queue_status>(native::status_of(core));
}

/// ec::not_found when there is no such queue, and ec::denied when he may not.
[[nodiscard]] inline caf::result<atom::ok> allow(const ledger::queue_core& core,
                                                 const access::principal& who,
                                                 std::uint8_t action) {
  const auto what = static_cast<access::action>(action);
  if (!core.exists()) return to_caf({ec::not_found, "queue '" + core.name() + "' does not exist"});
  if (!access::may(who, what, *core.settings()))
    return to_caf(access::refusal(who, what, core.name()));
  return atom::ok_v;
}

}  // namespace argosy::actors
