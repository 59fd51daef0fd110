// SPDX-License-Identifier: Apache-2.0
// JOURNAL, one per process: the only writer of the log.
#pragma once

#include "actors/interfaces/fwd.hpp"
#include "messages/native/journal.hpp"

namespace argosy::actors {

using journal_actor = caf::typed_actor<
    // Answered when durable and readable. ec::fenced: this process no longer leads.
    caf::replies_to<atom::append, native::append_ptr>::with<native::append_ack>,
    // Writes what has gathered; sent by the JOURNAL to itself.
    caf::reacts_to<atom::flush>,
    // Claims the next epoch; answers it.
    caf::replies_to<atom::claim>::with<std::uint64_t>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::append_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::append_ack)
