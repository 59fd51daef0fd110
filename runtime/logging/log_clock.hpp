// SPDX-License-Identifier: Apache-2.0
// The clock of what becomes durable: its wall time is the time of the log (runtime/base/log_time),
// and it says in the process log when that differs from the machine's wall clock. Thread-safe.
#pragma once

#include <mutex>
#include <string>

#include "runtime/base/clock.hpp"
#include "runtime/base/log_time.hpp"

namespace argosy::logging {

class log_clock final : public clock_source {
 public:
  /// `machine` must outlive this clock. `boot_id` names the present boot of the machine.
  log_clock(const clock_source& machine, std::string boot_id, const log_time_rules& rules,
            log_time begin);

  [[nodiscard]] wall_time wall() const override;
  [[nodiscard]] boot_time boot() const override { return machine_.boot(); }

  /// The present readings, for the next process.
  [[nodiscard]] clock_mark mark() const;

 private:
  enum class standing { together, machine_ahead, machine_behind };

  [[nodiscard]] wall_time read(wall_time wall, boot_time boot) const;
  void tell(wall_time log, wall_time wall) const;

  const clock_source& machine_;
  const std::string boot_id_;
  const log_time_rules rules_;
  mutable std::mutex mutex_;
  mutable log_time time_;
  mutable standing told_ = standing::together;
};

}  // namespace argosy::logging
