// SPDX-License-Identifier: Apache-2.0
// How a client of an API server behaves. A value.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "runtime/kube/credentials/credentials.hpp"
#include "runtime/kube/follow/follow_core.hpp"
#include "runtime/kube/https/retry_core.hpp"

namespace argosy::kube {

struct https_options {
  /// Requests in a second, and at once after a pause.
  double qps = 50;
  double burst = 100;
  /// The requests that the server has at a time; further ones wait here, since libcurl looks at all
  /// that it was given whenever one of them ends. Streams are not counted.
  std::size_t at_a_time_max = 64;
  std::chrono::milliseconds connect_within = std::chrono::seconds{10};
  /// For one try, and for a page of a list.
  std::chrono::milliseconds try_within = std::chrono::seconds{30};
  /// For all tries of a request with the waits between them.
  std::chrono::milliseconds ask_within = std::chrono::seconds{60};
  std::size_t answer_bytes_max = std::size_t{64} << 20;
  /// The requests that may be under way at a time, those that wait for their place included.
  std::size_t asks_max = 10'000;
  /// A watch that brought nothing for so long is cut and resumed. Servers send a bookmark about
  /// once a minute.
  std::chrono::milliseconds watch_silence_max = std::chrono::seconds{150};
  retry_rules retries{};
  follow_rules follows{};
  credential_rules credentials{};
  /// The header User-Agent.
  std::string agent = "argosy";
};

}  // namespace argosy::kube
