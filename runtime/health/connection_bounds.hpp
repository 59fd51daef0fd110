// SPDX-License-Identifier: Apache-2.0
// This file declares the limits of connections to the HTTP endpoint.
#pragma once

#include <chrono>
#include <cstddef>

namespace argosy::health {

struct connection_bounds {
  /// As many connections are served at a time; more wait.
  std::size_t connections_max = 1'024;
  /// A request has to arrive whole within this time of its first byte, and an answer to leave at
  /// 64 kB a second or more once this time has passed.
  std::chrono::milliseconds request_within{30'000};
  /// How long a connection may stay without a request.
  std::chrono::milliseconds idle_for{5'000};
  std::size_t requests_max = 100;  ///< How many requests a connection may carry.
};

}  // namespace argosy::health
