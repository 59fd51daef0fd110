// SPDX-License-Identifier: Apache-2.0
// EXECUTOR, one per agent: the runs on its cluster. A CLUSTER speaks to it through this interface,
// which a proxy implements when the agent is another process.
#pragma once

#include "actors/interfaces/fwd.hpp"
#include "messages/native/cluster.hpp"

namespace argosy::actors {

using executor_actor = caf::typed_actor<
    // Start and stop runs. Idempotent; refused below the highest epoch seen (ec::fenced).
    caf::replies_to<atom::orders, native::orders_ptr>::with<atom::ok>,
    // Output of a run. ec::not_found when the agent never had it.
    caf::replies_to<atom::read_log, model::log_request>::with<native::log_chunk_ptr>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::orders_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::log_chunk_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::log_request)
