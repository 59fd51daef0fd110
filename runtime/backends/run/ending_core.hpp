// SPDX-License-Identifier: Apache-2.0
// Decides when the command of one run gets which signal: at its deadline, on an order to stop, or
// when the lease lapses, which cuts every grace period to what the lease allows. A lease that has
// lapsed by the wall clock alone, because that was set or the machine was paused, is in doubt, and
// the run ends if no renewal comes. Owned by the shim's supervisor. Pure: times are CLOCK_BOOTTIME,
// given by the caller.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runtime/backends/run/records.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/model/lease.hpp"

namespace argosy::backends {

/// What the command shall get now.
enum class run_signal : std::uint8_t {
  none,
  terminate,  ///< SIGTERM, which is told once.
  kill,  ///< SIGKILL to all its processes, which is told again and again until the run is over.
};

/// Why a command is being ended; the first cause counts.
struct run_ending {
  std::string reason;  ///< One of the reasons in shim_status.
  std::string message;
};

class ending_core {
 public:
  /// The lease in force, as last renewed; nothing when none can be read.
  using lease_source = std::function<std::optional<model::run_lease>()>;

  /// `lease` is the lease as known when the run started; nothing for a run that goes on without
  /// one. `grace` is the job's grace period, used at its deadline and when the lease lapses.
  /// `run_time_max` counts from `now` on; zero means no limit.
  ending_core(std::optional<model::run_lease> lease, boot_time grace, boot_time run_time_max,
              boot_time now);

  /// The run was ordered to stop.
  [[nodiscard]] run_signal stop(stop_order order, boot_time now);
  /// Call at due() or later. Asks for the lease shortly before the one that is known lapses, so
  /// that dead_by() moves on in time, and again when it has lapsed. `wall_ahead` is what the wall
  /// clock is ahead of CLOCK_BOOTTIME now; 0 if that is not known.
  [[nodiscard]] run_signal on_time(boot_time now, const lease_source& renewed,
                                   boot_time wall_ahead = {});
  /// The run was ended by the lease that its init had been told.
  void lapse(boot_time now);
  /// When something happens next.
  [[nodiscard]] boot_time due() const;

  /// By when the run has to be dead as its lease is known; the greatest time if it has none.
  [[nodiscard]] boot_time dead_by() const noexcept {
    return lease_ ? lease_->dead_by() : boot_time::max();
  }

  [[nodiscard]] const std::optional<run_ending>& ending() const noexcept { return ending_; }

 private:
  [[nodiscard]] run_signal begin(run_ending why, boot_time grace, boot_time now);
  [[nodiscard]] boot_time kill_at() const;
  void look(boot_time now, const lease_source& renewed);
  bool renew(boot_time now, const lease_source& renewed);
  [[nodiscard]] boot_time lapse_by_wall() const;
  [[nodiscard]] bool lapsed_unseen(boot_time now, const lease_source& renewed);

  std::optional<model::run_lease> lease_;
  boot_time look_at_{};     ///< When the lease is asked for next.
  boot_time wall_ahead_{};  ///< That of the clocks, as the owner told it last.
  /// Until when a renewal is waited for that ends the doubt; nothing if there is no doubt.
  std::optional<boot_time> doubt_until_;
  boot_time grace_;
  boot_time run_time_max_;
  boot_time run_until_;
  std::optional<run_ending> ending_;
  bool lapsed_ = false;  ///< The lease has lapsed, by whatever clock.
  /// The time by which the run has to be dead if its lease has lapsed by the wall clock alone; the
  /// greatest time if it has not.
  boot_time dead_unseen_ = boot_time::max();
  boot_time grace_over_{};  ///< When the grace period that was given at first ends.
  boot_time kill_again_{};  ///< When the next SIGKILL is due, after the first one.
  bool killing_ = false;
};

}  // namespace argosy::backends
