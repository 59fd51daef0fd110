// SPDX-License-Identifier: Apache-2.0
// The machine's clocks behind the seam of runtime/base/clock.hpp.
#include <ctime>

#include "runtime/base/clock.hpp"

namespace argosy {

namespace {

std::chrono::nanoseconds read(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

class machine_clock final : public clock_source {
 public:
  [[nodiscard]] wall_time wall() const override { return wall_time{read(CLOCK_REALTIME)}; }
  [[nodiscard]] boot_time boot() const override { return read(CLOCK_BOOTTIME); }
};

}  // namespace

const clock_source& system_clock_source() {
  static const machine_clock clock;
  return clock;
}

}  // namespace argosy
