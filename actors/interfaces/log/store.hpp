// SPDX-License-Identifier: Apache-2.0
// The STORE, of which a process has one, is the only writer of the view. It tells FEEDs that a job
// set has new events.
#pragma once

#include "actors/interfaces/status.hpp"
#include "messages/native/journal.hpp"

namespace argosy::actors {

/// Hears that a watched job set has new events up to this position of the log.
using store_listener_actor = caf::typed_actor<caf::reacts_to<atom::changed, model::log_position>>;

using store_actor = caf::typed_actor<
    // Keeps a raw batch in the tail; answered when it is on disk.
    caf::replies_to<atom::tail, native::tail_ptr>::with<atom::ok>,
    // Folds a committed batch into the view; answered when it is readable.
    caf::replies_to<atom::apply, native::committed_ptr>::with<atom::ok>,
    // Tells the listener from now on of new events of the job set.
    caf::replies_to<atom::watch, native::job_set_key, store_listener_actor>::with<atom::ok>,
    caf::reacts_to<atom::unwatch, native::job_set_key, store_listener_actor>,
    // Trims the tail; the number is the timer's generation.
    caf::reacts_to<atom::tick, model::timer_generation>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::tail_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::committed_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::job_set_key)
