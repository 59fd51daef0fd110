// SPDX-License-Identifier: Apache-2.0
// EXECUTOR, one per agent: the runs on its cluster. A CLUSTER speaks to it through this interface,
// which a proxy implements when the agent is another process.
#pragma once

#include "actors/interfaces/fwd.hpp"
#include "messages/native/cluster.hpp"
#include "messages/native/executor.hpp"
#include "runtime/ledger/agent/departure_core.hpp"

namespace argosy::actors {

using executor_actor = caf::typed_actor<
    // Start and stop runs. Idempotent; refused below the highest epoch seen (ec::fenced) and for
    // another incarnation (ec::conflict).
    caf::replies_to<atom::orders, native::orders_ptr>::with<atom::ok>,
    // Output of a run. ec::not_found when the agent never had it.
    caf::replies_to<atom::read_log, model::log_request>::with<native::log_chunk_ptr>>;

/// The EXECUTOR itself, in the agent's process.
using local_executor_actor = executor_actor::extend<
    // What the backend tells of its runs.
    caf::reacts_to<atom::changed, native::run_events_ptr>,
    // Something is due; the number is the timer's generation.
    caf::reacts_to<atom::tick, std::uint64_t>,
    caf::replies_to<atom::status>::with<native::executor_status>,
    // Says goodbye and ends; runs go on, unless they are to be stopped first.
    caf::reacts_to<atom::shutdown, ledger::runs_at_shutdown>>;

/// EXECUTOR_STORE: the only writer of an agent's store.
using executor_store_actor = caf::typed_actor<
    // One transaction; answered when it is durable.
    caf::replies_to<atom::append, native::executor_writes_ptr>::with<atom::ok>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::orders_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::log_chunk_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::log_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::run_events_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::executor_status)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::executor_writes_ptr)
