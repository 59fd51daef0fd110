// SPDX-License-Identifier: Apache-2.0
// The JOURNAL, of which a process has one, is the only writer of the log.
#pragma once

#include "actors/interfaces/status.hpp"
#include "messages/native/journal.hpp"

namespace argosy::actors {

/// Hears of every commit, after all who wrote events in it were answered.
using commit_listener_actor =
    caf::typed_actor<caf::reacts_to<atom::committed, model::log_position>>;

/// Hears that this process cannot go on leading, and why.
using alarm_actor = caf::typed_actor<caf::reacts_to<atom::stand_down, std::string>>;

/// Hears how its appends ended. Committed appends are reported in their order.
using append_owner_actor = caf::typed_actor<caf::reacts_to<atom::append, native::append_outcome>>;

using journal_actor = caf::typed_actor<
    // Appends events; answered when they are durable and readable. ec::fenced: this process no
    // longer leads.
    caf::replies_to<atom::append, native::append_ptr>::with<native::append_ack>,
    // Appends events that the owner has applied already. The owner hears the outcome however long
    // it takes; if the log cannot take the events, the process ends.
    caf::reacts_to<atom::append, std::uint64_t, native::append_ptr, append_owner_actor>,
    // Writes the events that have gathered; the JOURNAL sends this to itself.
    caf::reacts_to<atom::flush>,
    // Claims the epoch that the value names, or the next one if that is higher, and answers it. Who
    // leads may claim again. ec::fenced: another process has claimed the epoch. The alarm hears of
    // later failures.
    caf::replies_to<atom::claim, model::leader_elected, alarm_actor>::with<model::epoch>,
    // Looks whether another process has appended to the log, which an idle leader would not notice.
    // A record that is no batch is stepped over; of any other the alarm is told.
    caf::replies_to<atom::verify>::with<atom::ok>,
    // Another process, which waits for the lead, has what it says in its store.
    caf::reacts_to<atom::confirm, native::plane_word>,
    // An operator says that the plane with this id is gone for good. ec::conflict: it is
    // heard, or no other waits that could take its place; ec::not_found: it is not named.
    caf::replies_to<atom::erase, std::string>::with<atom::ok>,
    caf::reacts_to<atom::watch, commit_listener_actor>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::leader_elected)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::plane_word)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::append_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::append_ack)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::append_outcome)
