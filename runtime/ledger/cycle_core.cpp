// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/cycle_core.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/base/check.hpp"

namespace argosy::ledger {

std::string_view to_string(cycle_phase phase) noexcept {
  constexpr std::array<std::string_view, 5> names{"waiting", "cutting", "deciding", "stuck",
                                                  "placing"};
  return names[static_cast<std::size_t>(phase)];
}

cycle_effects cycle_core::start() {
  cycle_effects out;
  arm(out, times_.period, false);
  return out;
}

void cycle_core::arm(cycle_effects& out, boot_time delay, bool woken) {
  woken_ = woken;
  out.emplace_back(arm_timer{delay, ++timer_, woken});
}

cycle_effects cycle_core::changed(boot_time now) {
  cycle_effects out;
  if (!due_since_) due_since_ = now;
  if (phase_ == cycle_phase::waiting && !woken_) wake(out, now);
  return out;
}

cycle_effects cycle_core::settings_changed(boot_time now) {
  ARGOSY_CHECK(phase_ == cycle_phase::waiting);
  cycle_effects out;
  plan_cycle(now);
  if (!woken_) wake(out, now);
  return out;
}

void cycle_core::wake(cycle_effects& out, boot_time now) {
  arm(out, std::max(times_.gap_min - (now - last_begin_), boot_time{0}), true);
}

cycle_effects cycle_core::tick(std::uint64_t number, cycle_now now) {
  cycle_effects out;
  if (number != timer_) return out;
  if (phase_ == cycle_phase::cutting || phase_ == cycle_phase::placing) {
    out.emplace_back(stop_waiting{});
    arm(out, times_.answer_wait, false);
  }
  if (phase_ != cycle_phase::waiting) return out;
  woken_ = false;
  if (!now.changes_waiting && (!wake_at_ || *wake_at_ > now.time)) {
    if (wake_at_) arm(out, *wake_at_ - now.time, false);
    return out;
  }
  ++timer_;
  if (!due_since_) due_since_ = now.time;
  gave_up_ = false;
  wake_at_.reset();
  last_begin_ = now.time;
  pools_known_ = false;
  begin_cut(out);
  return out;
}

void cycle_core::plan_cycle(boot_time at) {
  wake_at_ = std::min(at, wake_at_.value_or(at));
}

void cycle_core::begin_cut(cycle_effects& out) {
  phase_ = cycle_phase::cutting;
  answer_lost_ = false;
  out.emplace_back(ask_for_cuts{});
}

cycle_effects cycle_core::cuts_asked(std::size_t count) {
  ARGOSY_CHECK(phase_ == cycle_phase::cutting);
  missing_ = count;
  cycle_effects out;
  if (count == 0)
    out.emplace_back(finish_fold{});
  else
    arm(out, times_.answer_wait, false);
  return out;
}

cycle_effects cycle_core::cut_answered(bool arrived) {
  ARGOSY_CHECK(phase_ == cycle_phase::cutting && missing_ > 0);
  if (!arrived) answer_lost_ = true;
  cycle_effects out;
  if (--missing_ == 0) out.emplace_back(finish_fold{});
  return out;
}

cycle_effects cycle_core::folded(const std::vector<model::pool_name>& pools, cycle_now now) {
  ARGOSY_CHECK(phase_ == cycle_phase::cutting);
  cycle_effects out;
  if (!std::exchange(pools_known_, true)) pools_.assign(pools.begin(), pools.end());
  if (pools.empty()) pools_.clear();
  if (answer_lost_) {
    gave_up_ = true;
    plan_cycle(now.time);
    pools_.clear();
  }
  next_pool(out, now);
  return out;
}

void cycle_core::next_pool(cycle_effects& out, cycle_now now) {
  if (pools_.empty()) {
    end(out, now);
    return;
  }
  pool_ = std::move(pools_.front());
  pools_.pop_front();
  phase_ = cycle_phase::deciding;
  round_alive_ = true;
  out.emplace_back(start_round{pool_, ++round_});
}

cycle_effects cycle_core::round_decided(std::size_t parts, std::optional<boot_time> wake_after,
                                        cycle_now now) {
  ARGOSY_CHECK(phase_ == cycle_phase::deciding);
  if (wake_after) plan_cycle(now.time + *wake_after);
  phase_ = cycle_phase::placing;
  missing_ = parts;
  cycle_effects out;
  if (parts == 0)
    after_parts(out, now);
  else
    arm(out, times_.answer_wait, false);
  return out;
}

cycle_effects cycle_core::part_placed(cycle_now now) {
  ARGOSY_CHECK(phase_ == cycle_phase::placing && missing_ > 0);
  cycle_effects out;
  if (--missing_ == 0) after_parts(out, now);
  return out;
}

/// The next pool's round must see what this one took, so that another cut is needed between them.
void cycle_core::after_parts(cycle_effects& out, cycle_now now) {
  out.emplace_back(hand_over_starts{});
  if (pools_.empty())
    end(out, now);
  else
    begin_cut(out);
}

cycle_effects cycle_core::round_failed(std::string why, cycle_now now) {
  ARGOSY_CHECK(phase_ == cycle_phase::deciding);
  why_ = std::move(why);
  cycle_effects out;
  if (round_alive_)
    phase_ = cycle_phase::stuck;
  else
    give_up(out, now);
  return out;
}

cycle_effects cycle_core::round_ended(cycle_now now) {
  round_alive_ = false;
  cycle_effects out;
  if (phase_ == cycle_phase::stuck) give_up(out, now);
  return out;
}

void cycle_core::give_up(cycle_effects& out, cycle_now now) {
  out.emplace_back(give_up_round{pool_, std::exchange(why_, {})});
  gave_up_ = true;
  plan_cycle(now.time);
  next_pool(out, now);
}

void cycle_core::end(cycle_effects& out, cycle_now now) {
  phase_ = cycle_phase::waiting;
  woken_ = false;
  if (!gave_up_) due_since_.reset();
  if (now.changes_waiting && !due_since_) due_since_ = now.time;
  if (now.changes_waiting)
    wake(out, now.time);
  else
    arm(out, times_.period, false);
}

}  // namespace argosy::ledger
