// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/log_time.hpp"

#include <algorithm>

namespace argosy {

wall_time log_time::read(wall_time wall, boot_time boot) noexcept {
  const auto passed = std::max(boot - boot_, boot_time{0});
  boot_ = std::max(boot_, boot);
  const auto steady = last_ + passed;
  // The time that passes is also what the log may gain on it.
  const auto allowance = std::max(std::min(step_max_, saved_ + passed), passed);
  last_ = std::clamp(wall, last_, steady + allowance);
  const auto gained = std::max(boot_time{last_ - steady}, boot_time{0});
  saved_ = std::min(step_max_, allowance - gained);
  return last_;
}

log_time begin_log_time(const log_time_rules& rules, std::optional<wall_time> newest,
                        const std::optional<clock_mark>& stored, const clock_mark& now) {
  if (stored) newest = newest ? std::max(*newest, stored->log) : stored->log;
  if (!newest) return {rules, now.wall, now.boot};
  const bool same_boot =
      stored && !now.boot_id.empty() && stored->boot_id == now.boot_id && stored->boot <= now.boot;
  auto reach = *newest;
  if (same_boot)
    reach = std::max(reach, stored->log + (now.boot - stored->boot));
  else if (!stored || stored->wall - stored->log <= rules.step_max)
    reach += rules.absence_max;
  return {rules, std::clamp(now.wall, *newest, reach), now.boot};
}

}  // namespace argosy
