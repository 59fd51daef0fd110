// SPDX-License-Identifier: Apache-2.0
// This file declares what a nats-server says of itself before anybody has signed in, and which
// servers may keep several copies of the log.
#pragma once

#include <chrono>
#include <string>

#include "bins/shared/tls_probe.hpp"
#include "runtime/base/result.hpp"

namespace argosy {

struct nats_greeting {
  std::string server_name;
  std::string version;  ///< "2.10.23".
};

/// Reads the line by which a nats-server greets, after "INFO ". ec::corrupt if it is none.
[[nodiscard]] result<nats_greeting> parse_greeting(const std::string& line);

/// Connects, reads the greeting and goes away. It blocks for at most `limit`. ec::unreachable if
/// nobody answers there as a nats-server does.
[[nodiscard]] result<nats_greeting> greeting_of(const server_address& where,
                                                std::chrono::milliseconds limit);

/// ec::conflict, with a sentence, if this server must not keep one of several copies of the log:
/// before 2.10.23 a nats-server cannot write each record to its disk before it confirms it, or
/// loses whole streams when it is killed with that setting.
[[nodiscard]] result<void> check_copies(const nats_greeting& server, const std::string& place);

}  // namespace argosy
