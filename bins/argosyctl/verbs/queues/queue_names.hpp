// SPDX-License-Identifier: Apache-2.0
// Makes errors about queues that do not exist.
#pragma once

#include <string>

#include "bins/argosyctl/client/client.hpp"

namespace argosy::ctl {

/// An error ec::not_found with the closest name that the server knows, and how to create the queue
/// if that could be what the caller wants.
[[nodiscard]] error unknown_queue(client& server, const std::string& name, bool may_create = true);

/// Checks a queue in which a verb found nothing: ec::not_found if it does not exist. An empty name
/// is accepted.
[[nodiscard]] result<void> check_queue(client& server, const std::string& name,
                                       bool may_create = true);

/// The queue of a job set that was named without one. ec::not_found if no queue has it,
/// ec::invalid_argument listing the queues if several do.
[[nodiscard]] result<std::string> queue_of_job_set(client& server, const std::string& job_set);

}  // namespace argosy::ctl
