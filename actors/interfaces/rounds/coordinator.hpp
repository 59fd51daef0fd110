// SPDX-License-Identifier: Apache-2.0
// The COORDINATOR, of which a process has one, runs the cycle: it collects deltas from the actors
// that said that they have changed, folds them into the snapshot, starts a ROUND for each pool, and
// has the plan carried out.
#pragma once

#include "actors/interfaces/state/node.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "actors/interfaces/status.hpp"
#include "messages/native/coordinator.hpp"
#include "messages/native/settings.hpp"

namespace argosy::actors {

using coordinator_actor = caf::typed_actor<
    // The sender has changed since its last cut. It says so once until the next cut comes.
    caf::reacts_to<atom::dirty, model::queue_name, queue_actor>,
    caf::reacts_to<atom::dirty, node_actor>,
    // Names the CLUSTER to which orders for this cluster go.
    caf::reacts_to<atom::contact, model::cluster_name, cluster_actor>,
    // The CLUSTER ends: no orders are sent to it after the answer.
    caf::replies_to<atom::goodbye, model::cluster_name, cluster_actor>::with<atom::ok>,
    // The JOURNAL says that the log is committed up to here, after it has answered all whose events
    // it wrote.
    caf::reacts_to<atom::committed, model::log_position>,
    // The QUEUE reports that its part of the plan is durable.
    caf::reacts_to<atom::place, model::queue_name, native::place_reply_ptr>,
    // The QUEUE reports which runs a durable batch has ended.
    caf::reacts_to<atom::ended, native::run_outcomes_ptr>,
    // An operator has released this node at this Unix time, and its NODE knows it. After the answer
    // no round hands on what was known of the node before.
    caf::replies_to<atom::release, model::cluster_name, model::node_name,
                    std::int64_t>::with<atom::ok>,
    // SETTINGS says by which settings rounds are decided from the next cycle on.
    caf::reacts_to<atom::settings, native::round_settings_ptr>,
    // Runs a cycle; the number is the timer's generation.
    caf::reacts_to<atom::tick, model::timer_generation>,
    // Looks whether jobs wait that no pool could take.
    caf::reacts_to<atom::tick, atom::hold>,
    caf::replies_to<atom::status>::with<native::coordinator_status_ptr>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::run_outcomes_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::round_settings_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::coordinator_status_ptr)
