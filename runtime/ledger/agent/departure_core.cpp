// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/agent/departure_core.hpp"

namespace argosy::ledger {

bool departure_core::begin(runs_at_shutdown runs, boot_time now) {
  if (phase_ != phase::serving) return false;
  phase_ = phase::leaving;
  stops_runs_ = runs == runs_at_shutdown::stop;
  leave_at_ = stops_runs_ ? now + stop_deadline_ : now;
  return true;
}

bool departure_core::say_goodbye(std::size_t open_runs, std::size_t reports, boot_time now) {
  if (phase_ != phase::leaving) return false;
  if ((open_runs > 0 || reports > 0) && now < leave_at_) return false;
  phase_ = phase::gone;
  return true;
}

boot_time departure_core::due() const {
  return phase_ == phase::leaving ? leave_at_ : boot_time::max();
}

}  // namespace argosy::ledger
