// SPDX-License-Identifier: Apache-2.0
// The time of the log, which decides how long things are kept. It follows the wall clock, never
// goes back, and never jumps forward with it: each reading is
//
//   max(last, min(wall, last + time since boot that passed + allowance)).
//
// The allowance is what remains of `step_max` after earlier readings used it; it grows again with
// the time that passes. In any span of time the log therefore gains at most that span + step_max on
// the time since boot, however often it is read. Pure: the clocks' readings are arguments.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/clock.hpp"

namespace argosy {

/// The readings of all clocks at one moment. A mark is stored with the batches, and the next
/// process begins with it. Values of `boot` can be compared if both were taken in the same boot of
/// a machine.
struct clock_mark {
  wall_time log{};
  wall_time wall{};
  boot_time boot{};
  std::string boot_id;  ///< Empty when it is not known.
};

struct log_time_rules {
  /// The largest step of the wall clock that is followed at once.
  boot_time step_max = std::chrono::minutes{1};
  /// How far the wall clock is believed, after a restart of the machine, beyond the newest time in
  /// the log: for how long the machine may have been off.
  boot_time absence_max = std::chrono::hours{84};
};

class log_time {
 public:
  /// Begins with a time that the log had when the machine's clock since boot showed `boot`.
  log_time(const log_time_rules& rules, wall_time last, boot_time boot) noexcept
      : step_max_(rules.step_max), last_(last), boot_(boot) {}

  wall_time read(wall_time wall, boot_time boot) noexcept;

  [[nodiscard]] wall_time last() const noexcept { return last_; }

 private:
  boot_time step_max_;
  wall_time last_;
  boot_time boot_;
  boot_time saved_{};  ///< What earlier readings left of the allowance, 0..step_max_.
};

/// Begins the time of a process. `newest` is the newest time in the log, and nothing for a log
/// without any, which takes the wall clock as it is. `stored` is the last mark of the process
/// before, and `now` has the present readings of the machine's clocks; its `log` is not used.
///
/// In the same boot the time since boot tells how long the process was away. After another boot the
/// wall clock is believed up to `absence_max` beyond the log, unless the process before did not
/// believe it either: or each restart would take the log so much further. The rest is made up at
/// twice the speed of time.
[[nodiscard]] log_time begin_log_time(const log_time_rules& rules, std::optional<wall_time> newest,
                                      const std::optional<clock_mark>& stored,
                                      const clock_mark& now);

}  // namespace argosy
