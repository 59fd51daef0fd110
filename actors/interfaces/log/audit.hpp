// SPDX-License-Identifier: Apache-2.0
// AUDIT, of which a process has one, writes the audit trail: who called what that changes
// something. Nobody waits for it.
#pragma once

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/status.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::actors {

using audit_actor = caf::typed_actor<
    // A GATEWAY has answered a call, whose number AUDIT sets.
    caf::reacts_to<atom::record, model::call_recorded>,
    // The JOURNAL says how an append ended.
    caf::reacts_to<atom::append, native::append_outcome>,
    // Writes what has gathered; AUDIT sends this to itself, the second one as its last.
    caf::reacts_to<atom::tick, model::timer_generation>, caf::reacts_to<atom::flush>,
    answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::call_recorded)
