// SPDX-License-Identifier: Apache-2.0
// The ARMADA_GATEWAY is to each CLUSTER whose executor is Armada's what the EXECUTOR of an agent
// is. The GATEWAY of the API hands it what these executors send.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "actors/interfaces/executor.hpp"

namespace argosy::native {

/// The messages of an answer, encoded.
using message_list = std::shared_ptr<const std::deque<std::string>>;

}  // namespace argosy::native

namespace argosy::actors {

using armada_gateway_actor = executor_actor::extend<
    // The user of this name sends an executorapi.LeaseRequest. ec::conflict: the settings name no
    // such cluster. ec::denied: he may not serve it.
    caf::replies_to<atom::place, std::string, std::string>::with<native::message_list>,
    // The user of this name sends an executorapi.EventList. It is answered when it is committed.
    caf::replies_to<atom::events, std::string, std::string>::with<atom::ok>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::message_list)
