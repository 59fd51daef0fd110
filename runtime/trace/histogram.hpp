// SPDX-License-Identifier: Apache-2.0
// A log-linear histogram of durations in nanoseconds: four buckets for every doubling, from 1 ns to
// about 36 minutes, so that a quantile is off by an eighth at most. Adding histograms is exact.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace argosy::trace {

class histogram {
 public:
  static constexpr std::size_t bucket_count = 160;

  /// The bucket of a value; negative ones count as 0, too large ones fall into the last.
  [[nodiscard]] static constexpr std::size_t bucket_of(std::int64_t nanos) noexcept {
    if (nanos < 4) return nanos < 0 ? 0 : static_cast<std::size_t>(nanos);
    const auto value = static_cast<std::uint64_t>(nanos);
    const auto exponent = static_cast<std::size_t>(std::bit_width(value)) - 1;
    const auto index = (exponent - 1) * 4 + ((value >> (exponent - 2)) & 3);
    return index < bucket_count ? index : bucket_count - 1;
  }

  /// The smallest value that is in the bucket, in nanoseconds.
  [[nodiscard]] static constexpr std::int64_t lower_bound(std::size_t bucket) noexcept {
    if (bucket < 4) return static_cast<std::int64_t>(bucket);
    const auto exponent = bucket / 4 + 1;
    return static_cast<std::int64_t>((4 + bucket % 4) << (exponent - 2));
  }

  void add(std::int64_t nanos, std::uint64_t times = 1) noexcept {
    add_bucket(bucket_of(nanos), times);
    sum_ += (nanos < 0 ? 0 : nanos) * static_cast<std::int64_t>(times);
  }
  /// For merging counts that were kept elsewhere; goes with add_sum().
  void add_bucket(std::size_t bucket, std::uint64_t times) noexcept {
    counts_[bucket] += times;
    count_ += times;
  }
  void add_sum(std::int64_t nanos) noexcept { sum_ += nanos; }
  void merge(const histogram& other) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::int64_t sum_nanos() const noexcept { return sum_; }
  [[nodiscard]] std::uint64_t bucket(std::size_t index) const noexcept { return counts_[index]; }

  /// The middle of the bucket in which the q-th part (0 to 1) of the values ends; 0 when empty.
  [[nodiscard]] std::int64_t quantile(double q) const noexcept;

  /// How many values were below `nanos`; exact when that is a power of two or a bucket's bound.
  [[nodiscard]] std::uint64_t count_below(std::int64_t nanos) const noexcept;

 private:
  std::array<std::uint64_t, bucket_count> counts_{};
  std::uint64_t count_ = 0;
  std::int64_t sum_ = 0;
};

}  // namespace argosy::trace
