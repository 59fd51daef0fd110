// SPDX-License-Identifier: Apache-2.0
// The clocks of a machine of a simulated world, which are a little faster or slower than the
// world's time, and of which the wall clock can be set.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "bins/simulator/virtual_time.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::sim {

class machine_clock final : public clock_source {
 public:
  /// The machine had booted so long before the world began. `world` outlives the clock.
  machine_clock(const virtual_time& world, boot_time booted) : world_(world), booted_(booted) {}

  [[nodiscard]] wall_time wall() const override {
    // 14 November 2023, 22:13:20 UTC.
    constexpr std::int64_t began_ns = 1'700'000'000'000'000'000;
    return from_nanos(began_ns + local(world_.now()).count() + step_.count());
  }
  [[nodiscard]] boot_time boot() const override { return local(world_.now()) + booted_; }
  /// The world's time at which boot() is at least this.
  [[nodiscard]] virtual_time::duration world_time(boot_time when) const {
    // What has no end would not fit when it is multiplied.
    constexpr std::chrono::nanoseconds never = std::chrono::hours{24} * 365 * 100;
    const auto wanted = std::min<boot_time>(when - booted_, never);
    auto out = virtual_time::duration{static_cast<std::int64_t>(
        static_cast<__int128>(wanted.count()) * million / (million + drift_))};
    while (local(out) < wanted) ++out;
    return out;
  }

  /// Sets how much faster the clocks are, in millionths, before anything looked at them.
  void set_drift(std::int64_t millionths) { drift_ = millionths; }
  /// The machine boots now.
  void boot_again() { booted_ = boot_time{std::chrono::seconds{1}} - local(world_.now()); }
  void step_wall(std::chrono::nanoseconds by) { step_ += by; }

 private:
  static constexpr std::int64_t million = 1'000'000;

  [[nodiscard]] boot_time local(virtual_time::duration world) const {
    return world + boot_time{static_cast<std::int64_t>(static_cast<__int128>(world.count()) *
                                                       drift_ / million)};
  }

  const virtual_time& world_;
  boot_time booted_;
  std::int64_t drift_ = 0;
  std::chrono::nanoseconds step_{};
};

}  // namespace argosy::sim
