// SPDX-License-Identifier: Apache-2.0
// How an EXECUTOR leaves the control plane: it serves, then it leaves and waits for what is still
// to be told, then it is gone. Owned by an EXECUTOR; not thread-safe. Times are CLOCK_BOOTTIME,
// given by the caller.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/clock.hpp"

namespace argosy::ledger {

/// What becomes of the runs when their agent is shut down in good order.
enum class runs_at_shutdown : std::uint8_t {
  keep,  ///< They run on; the next agent on this machine finds them.
  stop,  ///< They are stopped, and their ends are waited for.
};

class departure_core {
 public:
  enum class phase : std::uint8_t {
    serving,
    leaving,  ///< No orders are taken any more. A goodbye is to be said.
    gone,     ///< A goodbye is said, or will never be.
  };

  /// Stopped runs are waited for until their ends are acknowledged, but not longer than
  /// `stop_deadline`.
  explicit departure_core(boot_time stop_deadline) : stop_deadline_(stop_deadline) {}

  /// False, and nothing changes, if the EXECUTOR leaves already.
  [[nodiscard]] bool begin(runs_at_shutdown runs, boot_time now);
  /// The EXECUTOR ends at once and without a goodbye.
  void end_abruptly() { phase_ = phase::gone; }

  /// True once: now the goodbye is to be said. `open_runs` have no end yet, and `reports` are not
  /// acknowledged.
  [[nodiscard]] bool say_goodbye(std::size_t open_runs, std::size_t reports, boot_time now);
  /// When say_goodbye() is to be asked at the latest; boot_time::max() means never.
  [[nodiscard]] boot_time due() const;

  [[nodiscard]] bool is_serving() const { return phase_ == phase::serving; }
  /// Runs are being stopped, so that none whose record is under way may start.
  [[nodiscard]] bool refuses_starts() const { return stops_runs_; }

 private:
  boot_time stop_deadline_;
  phase phase_ = phase::serving;
  bool stops_runs_ = false;
  boot_time leave_at_{};
};

}  // namespace argosy::ledger
