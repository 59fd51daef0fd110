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

/// A wall clock that was set by no more than this raises no doubt.
constexpr boot_time step_min = std::chrono::seconds{1};

/// The time that a renewal may take beyond the agent's period: for a new connection and an answer.
constexpr boot_time renewal_span = std::chrono::seconds{5};

boot_time next_look(const std::optional<model::run_lease>& lease, boot_time now) {
  if (!lease) return boot_time::max();
  return lease->until - std::clamp((lease->until - now) / 4, boot_time{0}, look_lead);
}

std::string seconds_text(boot_time span) {
  std::ostringstream out;
  out << std::chrono::duration<double>(span).count() << " s";
  return out.str();
}

run_ending lapse_of_lease() {
  return {shim_status::lease_expired,
          "the agent had no contact with the control plane until the lease ran out"};
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

void ending_core::lapse(boot_time now) {
  static_cast<void>(begin(lapse_of_lease(), boot_time{0}, now));
}

void ending_core::look(boot_time now, const lease_source& renewed) {
  if (!lease_ || (now < look_at_ && now < lease_->until)) return;
  const bool later = renew(now, renewed);
  if (!later) look_at_ = now < lease_->until ? lease_->until : boot_time::max();
}

bool ending_core::renew(boot_time now, const lease_source& renewed) {
  const auto found = renewed();
  if (!found || found->until <= lease_->until) return false;
  lease_ = found;
  look_at_ = next_look(lease_, now);
  return true;
}

boot_time ending_core::lapse_by_wall() const {
  if (!lease_) return boot_time::max();
  const bool known = lease_->wall_ahead.count() != 0 && wall_ahead_.count() != 0;
  const auto step = known ? wall_ahead_ - lease_->wall_ahead : boot_time{0};
  return step > step_min ? lease_->until - step : lease_->until;
}

/// Returns true once, when it is certain that the lease has lapsed though only the wall clock says
/// so: no renewal has come that would show that somebody had merely set that clock.
bool ending_core::lapsed_unseen(boot_time now, const lease_source& renewed) {
  if (lapsed_) return false;
  const auto in_doubt = [this, now] { return lease_ && lapse_by_wall() <= now; };
  if (in_doubt() && (!doubt_until_ || now >= *doubt_until_)) renew(now, renewed);
  lapsed_ = in_doubt() && (now >= lease_->until || (doubt_until_ && now >= *doubt_until_));
  if (!in_doubt())
    doubt_until_.reset();
  else if (!doubt_until_)
    doubt_until_ = now + lease_->period + renewal_span;
  return lapsed_ && now < lease_->until;
}

run_signal ending_core::on_time(boot_time now, const lease_source& renewed, boot_time wall_ahead) {
  wall_ahead_ = wall_ahead;
  look(now, renewed);
  const bool unseen = lapsed_unseen(now, renewed);
  if (unseen) dead_unseen_ = now + lease_->kill_grace;
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
  if (lease_ && now >= lease_->until) return begin(lapse_of_lease(), grace_, now);
  if (unseen)
    return begin({shim_status::lease_expired,
                  "the wall clock went forward, as after a pause of the machine, the lease ran out "
                  "by it, and the agent had no contact with the control plane since"},
                 grace_, now);
  return run_signal::none;
}

boot_time ending_core::kill_at() const {
  if (killing_) return kill_again_;
  return std::min({grace_over_, dead_unseen_, dead_by()});
}

boot_time ending_core::due() const {
  const auto next = ending_ ? kill_at() : run_until_;
  const auto lapse = lapsed_ ? boot_time::max() : doubt_until_.value_or(lapse_by_wall());
  return std::min({next, lapse, look_at_});
}

}  // namespace argosy::backends
