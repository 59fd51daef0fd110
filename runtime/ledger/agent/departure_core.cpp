// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/agent/departure_core.hpp"

namespace argosy::ledger {

namespace {

constexpr boot_time hello_patience = std::chrono::seconds{1};

}  // namespace

bool departure_core::begin(runs_at_shutdown runs, boot_time now) {
  if (phase_ != phase::serving) return false;
  phase_ = phase::leaving;
  stops_runs_ = runs == runs_at_shutdown::stop;
  leave_at_ = stops_runs_ ? now + stop_deadline_ : now;
  hello_until_ = now + hello_patience;
  return true;
}

bool departure_core::say_goodbye(const unfinished& work, boot_time now) {
  if (phase_ != phase::leaving) return false;
  awaits_hello_ = work.first_hello && now < hello_until_;
  if (awaits_hello_) return false;
  if ((work.open_runs > 0 || work.reports > 0) && now < leave_at_) return false;
  phase_ = phase::gone;
  return true;
}

boot_time departure_core::due() const {
  if (phase_ != phase::leaving) return boot_time::max();
  return awaits_hello_ ? hello_until_ : leave_at_;
}

}  // namespace argosy::ledger
