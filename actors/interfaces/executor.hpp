// SPDX-License-Identifier: Apache-2.0
// The EXECUTOR, of which an agent has one, owns the runs on its cluster. A CLUSTER speaks to it
// through this interface, which a proxy implements when the agent is another process.
#pragma once

#include "actors/interfaces/status.hpp"
#include "messages/native/cluster.hpp"
#include "messages/native/executor.hpp"
#include "runtime/ledger/agent/departure_core.hpp"

namespace argosy::actors {

using executor_actor = caf::typed_actor<
    // Starts and stops runs. Repeated orders change nothing. An epoch below the highest one seen is
    // refused with ec::fenced, orders for another incarnation with ec::conflict.
    caf::replies_to<atom::orders, native::orders_ptr>::with<atom::ok>,
    // Reads output of a run. ec::not_found when the agent never had the run.
    caf::replies_to<atom::read_log, model::log_request>::with<native::log_chunk_ptr>>;

/// The proxy that stands for the EXECUTOR of a remote agent.
using remote_executor_actor = executor_actor::extend<answers_status>;

/// The interface of the EXECUTOR itself, with the messages that it takes from its own process.
using local_executor_actor = executor_actor::extend<
    // Takes the events of runs that the backend reports.
    caf::reacts_to<atom::changed, native::run_events_ptr>,
    // Takes what the backend has read of a run's output; the number is that of the question.
    caf::reacts_to<atom::read_log, std::uint64_t, native::log_answer_ptr>,
    // The nodes of the backend have changed.
    caf::reacts_to<atom::nodes>,
    // Wakes the EXECUTOR when something is due; the number is the timer's generation.
    caf::reacts_to<atom::tick, model::timer_generation>,
    caf::replies_to<atom::status>::with<native::executor_status>, answers_status,
    // Says goodbye to the control plane and ends. The runs go on, unless they are to be stopped.
    caf::reacts_to<atom::shutdown, ledger::runs_at_shutdown>>;

/// The EXECUTOR_STORE is the only writer of an agent's store.
using executor_store_actor = caf::typed_actor<
    // Writes one transaction; answered when it is durable.
    caf::replies_to<atom::append, native::executor_writes_ptr>::with<atom::ok>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::orders_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::log_chunk_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::log_answer_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::log_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::run_events_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::executor_status)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::executor_writes_ptr)
