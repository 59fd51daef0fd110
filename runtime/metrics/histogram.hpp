// SPDX-License-Identifier: Apache-2.0
// This file declares the metric for durations of which the slow ones matter: how many took how
// long, in fixed steps from 1 ms to 10 s.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "runtime/metrics/probe.hpp"

namespace argosy::metrics {

/// Any thread may add; readers may see a value in the count that is not yet in the sum.
class histogram final : public metric {
 public:
  histogram(probe& owner, const char* name, const char* help, label_list labels = {});

  /// A duration below 0 counts as 0.
  void add(std::chrono::nanoseconds took) noexcept;
  void collect(std::vector<sample>& out) const override;

 private:
  static constexpr std::array<int, 13> bounds_ms = {1,   2,   5,    10,   20,   50,    100,
                                                    200, 500, 1000, 2000, 5000, 10'000};

  label_list labels_;
  /// How many were above the bound before and not above the bound of the same index; the last are
  /// above all bounds.
  std::array<std::atomic<std::uint64_t>, bounds_ms.size() + 1> counts_{};
  std::atomic<std::int64_t> nanos_{0};
};

}  // namespace argosy::metrics
