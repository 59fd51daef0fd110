// SPDX-License-Identifier: Apache-2.0
// This file says what a nats-server does with clients that do not read.
#pragma once

#include <string_view>

namespace argosy::access {

/// A line of its configuration. A nats-server holds up whoever sends to a client for whom half of
/// max_pending waits, by 100 ms to 1 s for each message, and so argosyd with all that it says to
/// others. It closes a client that takes nothing of one write for 10 s (write_deadline). By this
/// value he is closed before anybody is held up, since nobody is sent half of it in that time, see
/// border::answer_rate. A server that runs refuses the line when it reads its configuration again.
inline constexpr std::string_view max_pending_line =
    "max_pending: 1073741824  # Until then who does not read holds nobody up.\n";

}  // namespace argosy::access
