// SPDX-License-Identifier: Apache-2.0
// The departure_core knows how an EXECUTOR leaves the control plane: it serves, then it leaves and
// waits until its last reports are acknowledged, then it is gone. One that has just said its first
// hello waits for the answer, since a goodbye that overtakes the hello would not be taken. An
// EXECUTOR owns it; it is not thread-safe. Times are CLOCK_BOOTTIME, given by the caller.
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
    leaving,  ///< It takes no orders any more and has yet to say goodbye.
    gone,     ///< It has said goodbye, or never will.
  };

  /// `stop_deadline` is the longest time to wait until the ends of stopped runs are acknowledged.
  explicit departure_core(boot_time stop_deadline) : stop_deadline_(stop_deadline) {}

  /// An EXECUTOR that leaves may have to wait for these.
  struct unfinished {
    std::size_t open_runs = 0;  ///< How many runs have not ended.
    std::size_t reports = 0;    ///< How many reports are not acknowledged.
    bool first_hello = false;   ///< Its first hello is not answered yet.
  };

  /// Begins to leave. Returns false and changes nothing if the EXECUTOR is leaving already.
  [[nodiscard]] bool begin(runs_at_shutdown runs, boot_time now);
  /// The EXECUTOR ends at once and without a goodbye.
  void end_abruptly() { phase_ = phase::gone; }

  /// Returns true once, when the goodbye has to be said.
  [[nodiscard]] bool say_goodbye(const unfinished& work, boot_time now);
  /// The time at which say_goodbye() has to be called at the latest; boot_time::max() means never.
  [[nodiscard]] boot_time due() const;

  [[nodiscard]] bool is_serving() const { return phase_ == phase::serving; }
  /// Whether runs are being stopped. Then a run whose record is still being written may not start.
  [[nodiscard]] bool refuses_starts() const { return stops_runs_; }

 private:
  boot_time stop_deadline_;
  phase phase_ = phase::serving;
  bool stops_runs_ = false;
  boot_time leave_at_{};
  boot_time hello_until_{};    ///< Until then the answer to a first hello is waited for.
  bool awaits_hello_ = false;  ///< Whether it waited for that answer when it was last asked.
};

}  // namespace argosy::ledger
