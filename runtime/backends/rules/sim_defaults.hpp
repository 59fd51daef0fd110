// SPDX-License-Identifier: Apache-2.0
// What simulated runs do that do not say it themselves.
#pragma once

#include <chrono>
#include <cstdint>

namespace argosy::backends {

struct sim_defaults {
  std::chrono::nanoseconds start_delay{};  ///< How long every run is pending.
  std::chrono::nanoseconds runtime = std::chrono::seconds{1};
  /// Run times without an annotation differ by up to this fraction either way, 0 to 1.
  double runtime_spread = 0;
  double failure_rate = 0;
  std::uint64_t seed = 1;
};

}  // namespace argosy::backends
