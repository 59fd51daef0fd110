// SPDX-License-Identifier: Apache-2.0
// The timers by which shim and init end a run, and times for people.
#pragma once

#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

#include "runtime/backends/run/file.hpp"

namespace argosy::shim {

/// A text such as "2026-11-25T18:00:00.123Z".
[[nodiscard]] inline std::string utc_text(std::int64_t unix_ns) {
  const std::time_t seconds = unix_ns / 1'000'000'000;
  std::tm fields{};
  ::gmtime_r(&seconds, &fields);
  std::array<char, 40> text{};
  const auto size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &fields);
  std::snprintf(text.data() + size, text.size() - size, ".%03dZ",
                static_cast<int>(unix_ns / 1'000'000 % 1'000));
  return text.data();
}

/// Sets the timerfd to this time of its clock. A time of 0 or less, or one that has passed, lets it
/// expire at once.
inline void arm_timer(int timer, std::int64_t time_ns) {
  const auto nanos = std::max<std::int64_t>(time_ns, 1);
  itimerspec spec{};
  spec.it_value = {nanos / 1'000'000'000, nanos % 1'000'000'000};
  ::timerfd_settime(timer, TFD_TIMER_ABSTIME, &spec, nullptr);
}

/// A descriptor that becomes readable whenever the wall clock is set; without one, where the kernel
/// gives none, that is noticed when something else happens.
[[nodiscard]] inline backends::unique_fd watch_wall_clock() {
  backends::unique_fd out{::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK)};
  itimerspec never{};
  never.it_value.tv_sec = std::int64_t{1} << 33;  // This is in the year 2242.
  ::timerfd_settime(out.get(), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, nullptr);
  return out;
}

}  // namespace argosy::shim
