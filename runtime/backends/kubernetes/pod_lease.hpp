// SPDX-License-Identifier: Apache-2.0
// The lease of an agent's runs, as the backend holds it for its pods. Times are CLOCK_BOOTTIME.
// Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "runtime/model/lease.hpp"

namespace argosy::backends {

class pod_lease {
 public:
  /// Takes what the control plane grants; agents never shorten a lease.
  void renew(const model::run_lease& lease) {
    ++grants_;
    if (granted_ && lease.until < granted_->until) return;
    granted_ = lease;
    passed_ = false;
  }
  /// Pods whose lease lapses were found, as replicas find them. An agent that was granted nothing
  /// does not know for how long they may go on, and gives itself this time to reach the control
  /// plane.
  void found(boot_time now) {
    if (!granted_ && !found_at_) found_at_ = now;
  }

  /// Notices whether the lease has passed.
  [[nodiscard]] bool has_passed(boot_time now) {
    passed_ = now >= until();
    lapsed_ = lapsed_ || passed_;
    return passed_;
  }
  /// Whether a lease has passed since the agent began, though it may have another now.
  [[nodiscard]] bool has_lapsed() const noexcept { return lapsed_; }
  /// When it passes next.
  [[nodiscard]] boot_time next_due() const { return passed_ ? boot_time::max() : until(); }
  /// The last moment at which a pod may be made; nothing if any may be.
  [[nodiscard]] std::optional<boot_time> limit() const {
    return granted_ ? std::optional{granted_->until} : std::nullopt;
  }
  /// What the end of a pod may take once the lease has passed.
  [[nodiscard]] std::int64_t kill_grace_seconds() const {
    const auto grace = granted_ ? granted_->kill_grace : boot_time{};
    return std::max<std::int64_t>(std::chrono::floor<std::chrono::seconds>(grace).count(), 1);
  }
  /// How many leases the control plane has granted.
  [[nodiscard]] std::uint64_t grants() const noexcept { return grants_; }

 private:
  static constexpr boot_time first_grant_max = std::chrono::minutes{5};

  [[nodiscard]] boot_time until() const {
    if (granted_) return granted_->until;
    return found_at_ ? *found_at_ + first_grant_max : boot_time::max();
  }

  std::optional<model::run_lease> granted_;
  std::optional<boot_time> found_at_;
  std::uint64_t grants_ = 0;
  bool passed_ = false;
  bool lapsed_ = false;
};

}  // namespace argosy::backends
