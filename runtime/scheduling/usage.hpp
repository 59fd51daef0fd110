// SPDX-License-Identifier: Apache-2.0
// Usage that is remembered between rounds (features S54): each queue's priority follows what it
// uses, with a half-time. Pure; whoever runs rounds keeps the value for each queue.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace argosy::scheduling {

/// HTCondor's form, or the one that the documents print, which has its weights the other way round.
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
