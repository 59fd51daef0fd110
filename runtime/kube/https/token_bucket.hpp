// SPDX-License-Identifier: Apache-2.0
// A limit on requests: so many in a second, and so many at once after a pause. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "runtime/base/clock.hpp"

namespace argosy::kube {

class token_bucket {
 public:
  /// `qps` and `burst` must be positive; at least one request is let through at once.
  token_bucket(double qps, double burst, boot_time now)
      : qps_(qps), burst_(std::max(burst, 1.0)), held_(burst_), at_(now) {}

  /// Takes the place of one request. Returns how long it has to wait; 0 means that it may go now,
  /// and otherwise no place was taken.
  [[nodiscard]] std::chrono::nanoseconds take(boot_time now) {
    const std::chrono::duration<double> passed = now - at_;
    held_ = std::min(burst_, held_ + std::max(passed.count(), 0.0) * qps_);
    at_ = now;
    if (held_ >= 1) {
      held_ -= 1;
      return std::chrono::nanoseconds{0};
    }
    // Rounded up, so that who waits so long finds a place.
    const auto missing = std::ceil((1 - held_) / qps_ * 1e9);
    return std::chrono::nanoseconds{static_cast<std::int64_t>(missing) + 1};
  }

 private:
  double qps_;
  double burst_;
  double held_;
  boot_time at_;
};

}  // namespace argosy::kube
