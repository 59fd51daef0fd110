// SPDX-License-Identifier: Apache-2.0
#include "runtime/logging/log_clock.hpp"

#include <utility>

#include "runtime/logging/logger.hpp"

namespace argosy::logging {

namespace {

const logger log_clock_logger{"clock"};

std::int64_t seconds(boot_time span) {
  return std::chrono::duration_cast<std::chrono::seconds>(span).count();
}

}  // namespace

log_clock::log_clock(const clock_source& machine, std::string boot_id, const log_time_rules& rules,
                     log_time begin)
    : machine_(machine), boot_id_(std::move(boot_id)), rules_(rules), time_(begin) {}

wall_time log_clock::wall() const {
  return read(machine_.wall(), machine_.boot());
}

clock_mark log_clock::mark() const {
  clock_mark out;
  out.wall = machine_.wall();
  out.boot = machine_.boot();
  out.boot_id = boot_id_;
  out.log = read(out.wall, out.boot);
  return out;
}

wall_time log_clock::read(wall_time wall, boot_time boot) const {
  const std::lock_guard lock{mutex_};
  const auto out = time_.read(wall, boot);
  tell(out, wall);
  return out;
}

/// Writes a line when the two clocks part and when they are together again.
void log_clock::tell(wall_time log, wall_time wall) const {
  const boot_time ahead = wall - log;
  const auto now = ahead > rules_.step_max    ? standing::machine_ahead
                   : ahead < -rules_.step_max ? standing::machine_behind
                   : ahead == boot_time{0}    ? standing::together
                                              : told_;
  if (std::exchange(told_, now) == now) return;
  if (now == standing::machine_ahead)
    log_clock_logger.error(
        "the wall clock is far ahead of the log, which follows it slowly so that nothing is erased "
        "before its time; if the wall clock is right, start argosyd once with --trust-clock",
        kv("ahead_seconds", seconds(ahead)));
  else if (now == standing::machine_behind)
    log_clock_logger.error(
        "the wall clock is behind the log, whose time stands still until the wall clock has "
        "caught up; set the clock of this machine",
        kv("behind_seconds", seconds(-ahead)));
  else
    log_clock_logger.info("the time of the log is the wall clock's again");
}

}  // namespace argosy::logging
