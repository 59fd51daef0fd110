// SPDX-License-Identifier: Apache-2.0
// A CLUSTER, of which each worker cluster has one, owns the session with its agent, the list of
// runs that should be there, which it compares with those reported, the clock of their lease, and
// its NODEs.
#pragma once

#include <cstdint>
#include <string>

#include "actors/interfaces/executor.hpp"
#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/status.hpp"
#include "messages/native/cluster.hpp"
#include "runtime/ledger/cluster/drains.hpp"
#include "runtime/ledger/run_verdict.hpp"

namespace argosy::actors {

/// What an agent says to its CLUSTER. In the agent's process a proxy implements it.
using cluster_session_actor = caf::typed_actor<
    // The agent makes contact, for the first time or again: identity, nodes and all runs. The
    // handle takes the orders. ec::conflict: the incarnation is older than one seen before.
    // ec::already_exists: another agent serves the cluster, and this one was not told to take over.
    caf::replies_to<atom::hello, native::hello_ptr, executor_actor>::with<model::hello_ack>,
    // Renews the leases of all runs.
    caf::replies_to<atom::heartbeat, model::agent_heartbeat>::with<model::heartbeat_ack>,
    // Takes reports, and answers when they are committed.
    caf::replies_to<atom::report, native::report_ptr>::with<model::report_ack>,
    caf::replies_to<atom::goodbye, model::agent_goodbye>::with<atom::ok>>;

using cluster_actor = cluster_session_actor::extend<
    // The ARMADA_GATEWAY says how the nodes of its executor have changed. Agents say hello again.
    caf::replies_to<atom::nodes, native::nodes_ptr>::with<atom::ok>,
    // The JOURNAL says how an append ended.
    caf::reacts_to<atom::append, native::append_outcome>,
    // A QUEUE wants these runs started and stopped here.
    caf::reacts_to<atom::orders, native::queue_orders_ptr>,
    // The QUEUE has ended or requeued the run, and says what that tells of its node.
    caf::reacts_to<atom::ended, model::run_key, ledger::run_verdict>,
    // When the cluster has left it is kept for so long from now on.
    caf::reacts_to<atom::settings, std::chrono::nanoseconds>,
    // The leader's epoch is another from now on.
    caf::reacts_to<atom::claim, model::epoch>,
    // An operator says, for this reason, that the cluster is gone for good. The answer is how many
    // runs count as stopped. See ledger::cluster_core::forget.
    caf::replies_to<atom::erase, std::string>::with<std::uint32_t>,
    // An operator ends the quarantine of a node, for this reason. Fails with ec::conflict when
    // there is none, and with ec::not_found for an unknown node.
    caf::replies_to<atom::release, model::node_name, std::string>::with<atom::ok>,
    // The NODE says that its node is quarantined, or for a value without an end that it is not any
    // more.
    caf::reacts_to<atom::health, model::node_name, model::quarantine>,
    // Lists what happened lately to the node, or to the cluster and all its nodes for an empty
    // name; at most so much.
    caf::replies_to<atom::events, model::node_name,
                    std::uint32_t>::with<native::cluster_events_ptr>,
    // An operator cordons the cluster or a node of it, or takes that back. Fails with ec::not_found
    // for a node to be cordoned that is not there.
    caf::replies_to<atom::cordon, model::cordon_changed>::with<atom::ok>,
    // An operator wants nothing to run on the cluster or a node of it. Answers when the drain has
    // begun. Fails as cordon does.
    caf::replies_to<atom::drain, ledger::drain_request>::with<ledger::drain_reply>,
    // The operator of this name ends the drain of a node, or of the cluster for an empty name;
    // ec::not_found when none goes on.
    caf::replies_to<atom::drain, atom::cancel, model::node_name,
                    std::string>::with<model::operation>,
    // Checks silence and leases; the number is the timer's generation.
    caf::reacts_to<atom::tick, model::timer_generation>,
    caf::replies_to<atom::read_log, model::log_request>::with<native::log_chunk_ptr>,
    // Lists the nodes behind this name, in the order of names, at most this many.
    caf::replies_to<atom::list, model::node_name, std::uint32_t>::with<native::node_status_list>,
    // Answers what the node of this name is, or fails with ec::not_found.
    caf::replies_to<atom::status, model::node_name>::with<native::node_status>,
    caf::replies_to<atom::status>::with<native::cluster_status>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::run_key)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::cordon_changed)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::quarantine)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::cluster_events_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::ledger::drain_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::ledger::drain_reply)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::operation)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::hello_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::report_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::nodes_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::queue_orders_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::cluster_status)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::node_status_list)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::hello_ack)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::agent_heartbeat)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::heartbeat_ack)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::report_ack)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::agent_goodbye)
