// SPDX-License-Identifier: Apache-2.0
// How often something may happen: so many times at once, and so many times a second.
#pragma once

#include <algorithm>
#include <chrono>

#include "runtime/base/clock.hpp"

namespace argosy::rpc {

class token_bucket {
 public:
  struct rule {
    double at_once;     ///< It holds so many, and is full at first.
    double per_second;  ///< So many come back.
  };

  explicit token_bucket(const rule& from) : rule_(from), left_(from.at_once) {}

  /// Takes one; false: there is none. Times must not go back.
  [[nodiscard]] bool take(boot_time now) {
    refill(now);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }
  void fill() { left_ = rule_.at_once; }
  [[nodiscard]] bool full(boot_time now) {
    refill(now);
    return left_ >= rule_.at_once;
  }

 private:
  void refill(boot_time now) {
    const std::chrono::duration<double> passed = now - at_;
    at_ = now;
    left_ = std::min(rule_.at_once, left_ + passed.count() * rule_.per_second);
  }

  rule rule_;
  double left_;
  boot_time at_{};
};

}  // namespace argosy::rpc
