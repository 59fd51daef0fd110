// SPDX-License-Identifier: Apache-2.0
// This file declares the metric for durations of which the slow ones matter: how many took how
// long, in fixed steps from 1 ms to 10 s.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/metrics/probe.hpp"

namespace argosy::metrics {

/// Returns the sample of a histogram. `counts` has, for each bound, the values that are above the
/// bound before and not above this one, and behind them those above all bounds. `bounds` are parts
/// of a second, of which `per_second` make one; `nanos` is the sum of all values.
template <class Counts, class Bounds>
[[nodiscard]] sample histogram_sample(label_list labels, const Counts& counts, const Bounds& bounds,
                                      double per_second, std::int64_t nanos) {
  sample out{std::move(labels), 0, {}, static_cast<double>(nanos) / 1e9};
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    so_far += counts[i];
    out.at_most.emplace_back(static_cast<double>(bounds[i]) / per_second, so_far);
  }
  so_far += counts.back();
  out.value = static_cast<double>(so_far);
  return out;
}

/// How many durations there were in each step. Any thread may add; readers may see a value in the
/// count that is not yet in the sum.
class duration_counts {
 public:
  /// A duration below 0 counts as 0.
  void add(std::chrono::nanoseconds took) noexcept;
  [[nodiscard]] sample show(label_list labels) const;

 private:
  static constexpr std::array<int, 13> bounds_ms = {1,   2,   5,    10,   20,   50,    100,
                                                    200, 500, 1000, 2000, 5000, 10'000};

  /// How many were above the bound before and not above the bound of the same index; the last are
  /// above all bounds.
  std::array<std::atomic<std::uint64_t>, bounds_ms.size() + 1> counts_{};
  std::atomic<std::int64_t> nanos_{0};
};

class histogram final : public metric {
 public:
  histogram(probe& owner, const char* name, const char* help, label_list labels = {});

  void add(std::chrono::nanoseconds took) noexcept { counts_.add(took); }
  void collect(std::vector<sample>& out) const override;

 private:
  label_list labels_;
  duration_counts counts_;
};

/// A histogram for each value of a label that occurs. The values must come from a closed list.
class histogram_table final : public metric {
 public:
  histogram_table(probe& owner, const char* name, const char* help, const char* label);

  void add(std::string_view value, std::chrono::nanoseconds took);
  void collect(std::vector<sample>& out) const override;

 private:
  const char* label_;
  mutable std::mutex mutex_;
  std::map<std::string, duration_counts, std::less<>> counts_;  ///< Guarded by mutex_.
};

}  // namespace argosy::metrics
