// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/histogram.hpp"

#include <cmath>

namespace argosy::trace {

void histogram::merge(const histogram& other) noexcept {
  for (std::size_t i = 0; i < bucket_count; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
}

std::int64_t histogram::quantile(double q) const noexcept {
  if (count_ == 0) return 0;
  const auto wanted = std::max(1.0, std::ceil(q * static_cast<double>(count_)));
  double seen = 0;
  for (std::size_t i = 0; i < bucket_count; ++i) {
    seen += static_cast<double>(counts_[i]);
    if (seen < wanted) continue;
    if (i + 1 == bucket_count) return lower_bound(i);
    return (lower_bound(i) + lower_bound(i + 1) - 1) / 2;
  }
  return lower_bound(bucket_count - 1);
}

std::uint64_t histogram::count_below(std::int64_t nanos) const noexcept {
  std::uint64_t below = 0;
  const auto end = bucket_of(nanos);
  for (std::size_t i = 0; i < end; ++i) below += counts_[i];
  return below;
}

}  // namespace argosy::trace
