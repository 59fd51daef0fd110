// SPDX-License-Identifier: Apache-2.0
// JOURNAL, one per process: the only writer of the log.
#pragma once

#include "actors/interfaces/fwd.hpp"
#include "messages/native/journal.hpp"

namespace argosy::actors {

/// Hears of every commit, after all who wrote in it were answered.
using commit_listener_actor =
    caf::typed_actor<caf::reacts_to<atom::committed, model::log_position>>;

/// Hears that this process cannot go on leading, and why.
using alarm_actor = caf::typed_actor<caf::reacts_to<atom::stand_down, std::string>>;

/// Hears how its appends ended, those that were committed in their order.
using append_owner_actor = caf::typed_actor<caf::reacts_to<atom::append, native::append_outcome>>;

using journal_actor = caf::typed_actor<
    // Answered when durable and readable. ec::fenced: this process no longer leads.
    caf::replies_to<atom::append, native::append_ptr>::with<native::append_ack>,
    // The same for events that the owner has applied already. It hears of it however long that
    // takes; when it cannot, the process ends.
    caf::reacts_to<atom::append, std::uint64_t, native::append_ptr, append_owner_actor>,
    // Writes what has gathered; sent by the JOURNAL to itself.
    caf::reacts_to<atom::flush>,
    // Claims the next epoch; answers it. Holder and nonce are those of the value, its epoch is not
    // used. ec::fenced: another process has claimed it. Failures later on go to the alarm.
    caf::replies_to<atom::claim, model::leader_elected, alarm_actor>::with<model::epoch>,
    // Looks whether somebody else has appended to the log, which an idle leader would not notice;
    // then the alarm is told.
    caf::replies_to<atom::verify>::with<atom::ok>,
    caf::reacts_to<atom::watch, commit_listener_actor>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::leader_elected)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::append_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::append_ack)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::append_outcome)
