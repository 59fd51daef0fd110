// SPDX-License-Identifier: Apache-2.0
// The seam through which time enters. Pure code takes times as arguments; only shells hold a clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace argosy {

/// Nanoseconds since the Unix epoch, for what people read. May step.
using wall_time = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

/// Time since boot, counting suspend (CLOCK_BOOTTIME), for leases and time-outs. Never steps.
using boot_time = std::chrono::duration<std::int64_t, std::nano>;

class clock_source {
 public:
  virtual ~clock_source() = default;
  [[nodiscard]] virtual wall_time wall() const = 0;
  [[nodiscard]] virtual boot_time boot() const = 0;
};

[[nodiscard]] inline std::int64_t to_nanos(wall_time time) noexcept {
  return time.time_since_epoch().count();
}

[[nodiscard]] inline wall_time from_nanos(std::int64_t nanos) noexcept {
  return wall_time{std::chrono::nanoseconds{nanos}};
}

/// The machine's clocks. Defined in runtime/logging, since pure folders read none.
[[nodiscard]] const clock_source& system_clock_source();

/// A clock that is set by hand, for tests and the simulator.
class manual_clock final : public clock_source {
 public:
  [[nodiscard]] wall_time wall() const override { return wall_; }
  [[nodiscard]] boot_time boot() const override { return boot_; }
  void advance(std::chrono::nanoseconds step) {
    wall_ += step;
    boot_ += step;
  }
  void set_wall(wall_time time) { wall_ = time; }

 private:
  wall_time wall_{std::chrono::seconds{1'700'000'000}};
  boot_time boot_{std::chrono::seconds{1'000}};
};

}  // namespace argosy
