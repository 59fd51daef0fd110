// SPDX-License-Identifier: Apache-2.0
// This file says what a nats-server does with clients that do not read.
#pragma once

#include <string_view>

namespace argosy::access {

/// Two lines of its configuration. A nats-server holds up whoever sends to a client for whom half
/// of max_pending waits, by 100 ms to 1 s for each message, and so argosyd with all that it says to
/// others. It closes a client that takes nothing of one write within write_deadline. By these
/// values he is closed before anybody is held up, if he is sent less than 64 MiB a second. A server
/// that runs takes the first one when it reads its configuration again, and refuses the second one.
inline constexpr std::string_view write_deadline_line =
    "write_deadline: \"4s\"  # Whoever does not read is closed.\n";
inline constexpr std::string_view max_pending_line =
    "max_pending: 536870912  # Until then he holds nobody up.\n";

}  // namespace argosy::access
