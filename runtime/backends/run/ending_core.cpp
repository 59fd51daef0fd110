// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/ending_core.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

namespace {

/// How often killing is repeated while processes remain.
constexpr boot_time kill_period = std::chrono::milliseconds{100};

std::string seconds_text(boot_time span) {
  std::ostringstream out;
  out << std::chrono::duration<double>(span).count() << " s";
  return out.str();
}

}  // namespace

ending_core::ending_core(std::optional<model::run_lease> lease, boot_time grace,
                         boot_time run_time_max, boot_time now)
    : lease_(lease),
      grace_(grace),
      run_time_max_(run_time_max),
      run_until_(run_time_max.count() > 0 ? now + run_time_max : boot_time::max()) {}

run_signal ending_core::begin(const char* reason, std::string message, boot_time grace,
                              boot_time now) {
  if (ending_) return run_signal::none;
  ending_ = run_ending{reason, std::move(message)};
  grace_over_ = now + std::max(grace, boot_time{0});
  return run_signal::terminate;
}

run_signal ending_core::stop(std::string message, boot_time grace, boot_time now) {
  return begin(shim_status::stopped, std::move(message), grace, now);
}

run_signal ending_core::on_time(boot_time now, const lease_source& renewed) {
  if (lease_ && now >= lease_->until)
    if (const auto found = renewed(); found && found->until > lease_->until) lease_ = found;
  if (ending_) {
    if (now < kill_at()) return run_signal::none;
    killing_ = true;
    kill_again_ = now + kill_period;
    return run_signal::kill;
  }
  if (now >= run_until_)
    return begin(shim_status::deadline_exceeded,
                 "ran longer than its deadline of " + seconds_text(run_time_max_), grace_, now);
  if (lease_ && now >= lease_->until)
    return begin(shim_status::lease_expired,
                 "the agent had no contact with the control plane until the lease ran out", grace_,
                 now);
  return run_signal::none;
}

boot_time ending_core::kill_at() const {
  if (killing_) return kill_again_;
  return lease_ ? std::min(grace_over_, lease_->dead_by()) : grace_over_;
}

boot_time ending_core::due() const {
  if (ending_) return kill_at();
  return lease_ ? std::min(run_until_, lease_->until) : run_until_;
}

}  // namespace argosy::backends
