// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/between/token_bucket.hpp"

#include <algorithm>
#include <cmath>

namespace argosy::scheduling {

double token_bucket::refill(double rate, double burst, std::int64_t now_ns) {
  if (now_ns < now_ns_) {
    level_ = now_level_;
    time_ns_ = now_ns;
  }
  if (!opened_ || std::isinf(rate)) {
    now_level_ = burst;
  } else {
    const auto seconds = static_cast<double>(now_ns - time_ns_) * 1e-9;
    now_level_ = std::min(burst, level_ + rate * seconds);
  }
  now_ns_ = now_ns;
  return now_level_;
}

void token_bucket::take(double tokens) {
  opened_ = true;
  level_ = now_level_ - tokens;
  time_ns_ = now_ns_;
  now_level_ = level_;
}

}  // namespace argosy::scheduling
