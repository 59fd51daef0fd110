// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/link_core.hpp"

#include <algorithm>
#include <utility>

namespace argosy::kube {

void link_core::heard(boot_time now) {
  if (away_ || expelled_) return;
  heard_ = std::max(heard_, now);
  failed_ = false;
}

void link_core::probed(bool is_ready, std::string why, boot_time now) {
  asked_.reset();
  probe_due_ = now + rules_.probe_after;
  if (!is_ready) {
    failed_ = true;
    why_ = std::move(why);
    return;
  }
  ready_ = away_;
  heard_ = std::max(heard_, now);
  failed_ = false;
}

void link_core::expel(std::string why) {
  if (away_) return;
  expelled_ = failed_ = true;
  why_ = std::move(why);
}

/// A process that was paused, or a machine that slept, has heard nothing for long, and it is
/// nobody's fault: a probe has to have had its chance.
boot_time link_core::lost_at() const {
  if (expelled_) return boot_time{};
  const auto silent = heard_ + rules_.silence_max;
  if (failed_) return silent;
  if (!asked_) return boot_time::max();
  return std::max(silent, *asked_ + rules_.silence_max - 2 * rules_.probe_after);
}

link_step link_core::tick(boot_time now) {
  link_step out;
  if (std::exchange(ready_, false)) {
    away_ = false;
    out.back = true;
  }
  if (!away_ && now >= lost_at()) {
    away_ = true;
    expelled_ = false;
    out.lost = heard_;
    if (why_.empty() || !failed_) why_ = "does not answer";
  }
  if (!asked_ && now >= std::max(probe_due_, away_ ? boot_time{} : heard_ + rules_.probe_after)) {
    asked_ = now;
    out.probe = true;
  }
  return out;
}

boot_time link_core::next_due() const {
  if (ready_) return boot_time{};
  const auto lost = away_ ? boot_time::max() : lost_at();
  if (asked_) return lost;
  return std::min(lost, std::max(probe_due_, away_ ? boot_time{} : heard_ + rules_.probe_after));
}

}  // namespace argosy::kube
