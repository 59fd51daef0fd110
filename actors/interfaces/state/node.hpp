// SPDX-License-Identifier: Apache-2.0
// A NODE, of which each node of a cluster has one, knows the node's capacity, labels, taints and
// health, and the runs on it, which follow from its CLUSTER's orders. Its CLUSTER spawns it and
// lets it end.
#pragma once

#include "actors/interfaces/state/cluster.hpp"
#include "actors/interfaces/status.hpp"
#include "messages/native/cluster.hpp"
#include "runtime/ledger/run_verdict.hpp"

namespace argosy::actors {

using node_actor = caf::typed_actor<
    // Takes the pool of the cluster, and what the agent reported of the node.
    caf::reacts_to<atom::nodes, model::pool_name, model::node_info>,
    // Says whether the cluster is in contact.
    caf::reacts_to<atom::contact, bool>,
    // The first says that a run was placed here, the second that it ended, and how.
    caf::reacts_to<atom::bind, model::run_key, model::resource_list>,
    caf::reacts_to<atom::unbind, model::run_key, ledger::run_verdict>,
    // A run has begun here, after the node had refused others.
    caf::reacts_to<atom::began>,
    // Says what the ends of runs tell of the node's machine; with true, as an earlier leader left
    // it.
    caf::reacts_to<atom::health, native::node_health_ptr, bool>,
    // An operator ends the quarantine or the trial at this Unix time. The answer is whether there
    // was one.
    caf::replies_to<atom::release, std::int64_t>::with<bool>,
    // The node has left the cluster. The NODE ends after its last run, when a cut has told of that.
    caf::reacts_to<atom::goodbye>,
    // The first asks for the node as the next snapshot shall see it. The second says that the last
    // such answer has arrived.
    caf::replies_to<atom::cut, model::log_position>::with<native::node_delta_ptr>,
    caf::reacts_to<atom::cut, atom::ok>,
    // Looks whether a quarantine is over; the number is the timer's generation.
    caf::reacts_to<atom::tick, model::timer_generation>,
    caf::replies_to<atom::status>::with<native::node_status>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::node_info)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::resource_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::node_delta_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::node_health_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::node_status)
