// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/ending_core.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace argosy::backends {

namespace {

/// How often killing is repeated while processes remain.
constexpr boot_time kill_period = std::chrono::milliseconds{100};

/// How long before it lapses a lease is looked at, but no more than a quarter of what is left.
constexpr boot_time look_lead = std::chrono::seconds{1};

boot_time next_look(const std::optional<model::run_lease>& lease, boot_time now) {
  if (!lease) return boot_time::max();
  return lease->until - std::clamp((lease->until - now) / 4, boot_time{0}, look_lead);
}

std::string seconds_text(boot_time span) {
  std::ostringstream out;
  out << std::chrono::duration<double>(span).count() << " s";
  return out.str();
}

}  // namespace

ending_core::ending_core(std::optional<model::run_lease> lease, boot_time grace,
                         boot_time run_time_max, boot_time now)
    : lease_(lease),
      look_at_(next_look(lease, now)),
      grace_(grace),
      run_time_max_(run_time_max),
      run_until_(run_time_max.count() > 0 ? now + run_time_max : boot_time::max()) {}

run_signal ending_core::begin(run_ending why, boot_time grace, boot_time now) {
  if (ending_) return run_signal::none;
  ending_ = std::move(why);
  grace_over_ = now + std::max(grace, boot_time{0});
  return run_signal::terminate;
}

run_signal ending_core::stop(stop_order order, boot_time now) {
  return begin({std::move(order.reason), std::move(order.message)}, boot_time{order.grace_ns}, now);
}

void ending_core::look(boot_time now, const lease_source& renewed) {
  if (!lease_ || (now < look_at_ && now < lease_->until)) return;
  const auto found = renewed();
  const bool later = found && found->until > lease_->until;
  if (later) lease_ = found;
  const auto last = now < lease_->until ? lease_->until : boot_time::max();
  look_at_ = later ? next_look(lease_, now) : last;
}

run_signal ending_core::on_time(boot_time now, const lease_source& renewed) {
  look(now, renewed);
  if (ending_) {
    if (now < kill_at()) return run_signal::none;
    killing_ = true;
    kill_again_ = now + kill_period;
    return run_signal::kill;
  }
  if (now >= run_until_)
    return begin({shim_status::deadline_exceeded,
                  "ran longer than its deadline of " + seconds_text(run_time_max_)},
                 grace_, now);
  if (lease_ && now >= lease_->until)
    return begin({shim_status::lease_expired,
                  "the agent had no contact with the control plane until the lease ran out"},
                 grace_, now);
  return run_signal::none;
}

boot_time ending_core::kill_at() const {
  if (killing_) return kill_again_;
  return lease_ ? std::min(grace_over_, lease_->dead_by()) : grace_over_;
}

boot_time ending_core::due() const {
  const auto next = ending_ ? kill_at() : run_until_;
  const auto lapse = lease_ && !ending_ ? lease_->until : boot_time::max();
  return std::min({next, lapse, look_at_});
}

}  // namespace argosy::backends
