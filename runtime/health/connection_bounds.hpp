// SPDX-License-Identifier: Apache-2.0
// This file declares the limits of connections to the HTTP endpoint.
#pragma once

#include <chrono>
#include <cstddef>

#include "runtime/health/front/request_head.hpp"

namespace argosy::health {

struct connection_bounds {
  /// As many requests are served at a time, each by a thread. `waiting_max` more wait for one, and
  /// the next one is refused.
  std::size_t connections_max = 640;
  /// As many connections may be open without a request that is whole. When there are more, the one
  /// is closed that has been so for longest, of the block of addresses with the most of them.
  std::size_t waiting_max = 1'024;
  /// As many threads may wait for clients who send their body or take their answer slowly; chosen
  /// in the same way.
  std::size_t stalled_max = 64;
  /// So many bytes may wait for them, in bodies and answers. One of them may always.
  std::size_t stalled_bytes_max = std::size_t{16} << 20;
  /// A request has to arrive whole within this time of its first byte, and an answer to leave at
  /// 64 kB a second or more once this time has passed.
  std::chrono::milliseconds request_within{30'000};
  /// How long a connection may stay without a request.
  std::chrono::milliseconds idle_for{5'000};
  std::size_t requests_max = 100;               ///< How many requests a connection may carry.
  std::size_t body_max = std::size_t{4} << 20;  ///< In bytes, where a body is taken at all.
  head_bounds head{};
};

/// What is served where nothing is but health: nobody has to wait there, and no body is taken.
inline connection_bounds few_connections() {
  connection_bounds out;
  out.connections_max = 32;
  out.waiting_max = 128;
  out.stalled_max = 8;
  return out;
}

}  // namespace argosy::health
