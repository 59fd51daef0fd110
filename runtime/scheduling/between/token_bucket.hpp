// SPDX-License-Identifier: Apache-2.0
// A bucket of tokens that come at a rate, up to a burst, and are full at first.
#pragma once

#include <cstdint>

namespace argosy::scheduling {

/// Times are nanoseconds of one clock. When that clock is set back, no tokens come for this step,
/// and time goes on from the new value. What a bucket holds follows from `level`, `time_ns` and the
/// time alone, since refill() does not round in between.
class token_bucket {
 public:
  token_bucket() = default;
  /// The bucket that held this many tokens at this time.
  token_bucket(double level, std::int64_t time_ns)
      : opened_(true), level_(level), time_ns_(time_ns), now_level_(level), now_ns_(time_ns) {}

  /// Brings the bucket up to `now_ns` and returns its tokens, below 0 if more were taken than were
  /// there. An infinite rate fills the bucket each time.
  double refill(double rate, double burst, std::int64_t now_ns);
  /// Takes tokens at the time of the last refill().
  void take(double tokens);

  /// False while nothing was ever taken from the bucket, which is full then.
  [[nodiscard]] bool opened() const noexcept { return opened_; }
  /// The tokens at time_ns(), after the last take().
  [[nodiscard]] double level() const noexcept { return level_; }
  [[nodiscard]] std::int64_t time_ns() const noexcept { return time_ns_; }

 private:
  bool opened_ = false;
  double level_ = 0;
  std::int64_t time_ns_ = 0;
  double now_level_ = 0;  ///< The tokens at the last refill(), which was at now_ns_.
  std::int64_t now_ns_ = 0;
};

}  // namespace argosy::scheduling
