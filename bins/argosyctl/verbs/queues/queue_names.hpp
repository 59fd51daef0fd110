// SPDX-License-Identifier: Apache-2.0
// Errors about queues that are not there.
#pragma once

#include <string>

#include "bins/argosyctl/client/client.hpp"

namespace argosy::ctl {

/// ec::not_found, with the closest name that the server knows.
[[nodiscard]] error unknown_queue(client& server, const std::string& name);

/// For verbs that found nothing in a queue: ec::not_found if there is no such queue. An empty name
/// is fine.
[[nodiscard]] result<void> check_queue(client& server, const std::string& name);

}  // namespace argosy::ctl
