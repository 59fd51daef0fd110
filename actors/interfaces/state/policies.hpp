// SPDX-License-Identifier: Apache-2.0
// POLICIES, of which a process has one, owns all retry policies. A change is answered when it is
// durable and every QUEUE was sent it.
#pragma once

#include <string>

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/status.hpp"
#include "messages/native/queue.hpp"

namespace argosy::actors {

using policies_actor = caf::typed_actor<
    // Creates a policy or replaces it. ec::not_found if it has to be there and is not.
    caf::replies_to<atom::settings, native::policy_request>::with<atom::ok>,
    // Deletes the policy of this name, which need not be there.
    caf::replies_to<atom::erase, std::string>::with<atom::ok>,
    // Answers all policies.
    caf::replies_to<atom::list>::with<ledger::retry_policies_ptr>,
    // The JOURNAL says how an append ended.
    caf::reacts_to<atom::append, native::append_outcome>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::policy_request)
