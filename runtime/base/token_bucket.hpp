// SPDX-License-Identifier: Apache-2.0
// How often something may happen: so many times at once, and so many times a second. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "runtime/base/clock.hpp"

namespace argosy {

class token_bucket {
 public:
  struct rule {
    double at_once;     ///< It holds so many, at least one, and is full at first.
    double per_second;  ///< So many come back.
  };

  explicit token_bucket(const rule& from) : rule_(from), left_(from.at_once) {}

  /// Takes one; false: there is none.
  [[nodiscard]] bool take(boot_time now) {
    refill(now);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }
  /// How long after a take() that failed there is one, if some come back. Rounded up, so that who
  /// waits so long finds it.
  [[nodiscard]] boot_time until_next() const {
    return boot_time{static_cast<std::int64_t>(std::ceil((1 - left_) / rule_.per_second * 1e9)) +
                     1};
  }
  void fill() { left_ = rule_.at_once; }
  [[nodiscard]] bool full(boot_time now) {
    refill(now);
    return left_ >= rule_.at_once;
  }

 private:
  /// A time before the last one brings nothing back.
  void refill(boot_time now) {
    const std::chrono::duration<double> passed = now - at_;
    at_ = now;
    left_ = std::min(rule_.at_once, left_ + std::max(passed.count(), 0.0) * rule_.per_second);
  }

  rule rule_;
  double left_;
  boot_time at_{};
};

}  // namespace argosy
