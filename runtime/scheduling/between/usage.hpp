// SPDX-License-Identifier: Apache-2.0
// Usage that is remembered between rounds: each queue's usage priority follows what it uses, with a
// half-time. The functions are pure; whoever runs rounds keeps the value for each queue.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace argosy::scheduling {

/// `condor` is HTCondor's form; `literal` is the formula as it was printed, which exchanges the
/// weights of the old and the new usage.
enum class usage_form : std::uint8_t { condor, literal };

/// A queue's priority starts at this and never falls below it.
inline constexpr double usage_priority_floor = 0.5;

/// The priority after `elapsed` time at a constant usage. `half_time` must be above zero.
[[nodiscard]] inline double decay_usage(usage_form form, double priority, double usage,
                                        std::chrono::nanoseconds elapsed,
                                        std::chrono::nanoseconds half_time) {
  const auto beta =
      std::pow(0.5, static_cast<double>(elapsed.count()) / static_cast<double>(half_time.count()));
  const auto kept = form == usage_form::condor ? beta : 1.0 - beta;
  return std::max(usage_priority_floor, kept * priority + (1.0 - kept) * usage);
}

}  // namespace argosy::scheduling
