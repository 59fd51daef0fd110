// SPDX-License-Identifier: Apache-2.0
// NODE, one per node of a cluster: capacity, labels, taints, health, and the runs placed on it
// (derived from its CLUSTER's orders). Spawned and retired by its CLUSTER.
#pragma once

#include "actors/interfaces/fwd.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "messages/native/cluster.hpp"
#include "runtime/ledger/run_verdict.hpp"

namespace argosy::actors {

using node_actor = caf::typed_actor<
    // Its cluster's pool, and what the agent reported of the node.
    caf::reacts_to<atom::nodes, model::pool_name, model::node_info>,
    // Whether its cluster is in contact.
    caf::reacts_to<atom::contact, bool>,
    // A run was placed here; a run ended here, well or badly.
    caf::reacts_to<atom::bind, model::run_key, model::resource_list>,
    caf::reacts_to<atom::unbind, model::run_key, ledger::run_verdict>,
    // The node has left the cluster; ends when its last run has and a cut has told so.
    caf::reacts_to<atom::goodbye>,
    // The node as the next snapshot shall see it; the last such answer has arrived.
    caf::replies_to<atom::cut, model::log_position>::with<native::node_delta_ptr>,
    caf::reacts_to<atom::cut, atom::ok>,
    // A quarantine may be over; the number is the timer's generation.
    caf::reacts_to<atom::tick, model::timer_generation>,
    caf::replies_to<atom::status>::with<native::node_status>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::node_info)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::resource_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::node_delta_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::node_status)
