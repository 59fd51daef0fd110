// SPDX-License-Identifier: Apache-2.0
// The timer by which shim and init each end a run.
#pragma once

#include <sys/timerfd.h>

#include <algorithm>
#include <cstdint>

namespace argosy::shim {

/// Sets the timerfd to this time of its clock, or to at once if the time has passed or is none.
inline void arm_timer(int timer, std::int64_t time_ns) {
  const auto nanos = std::max<std::int64_t>(time_ns, 1);
  itimerspec spec{};
  spec.it_value = {nanos / 1'000'000'000, nanos % 1'000'000'000};
  ::timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, nullptr);
}

}  // namespace argosy::shim
