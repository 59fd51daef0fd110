// SPDX-License-Identifier: Apache-2.0
// This file defines how a queue counts how long its jobs waited for something.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace argosy::ledger {

struct wait_times {
  /// The upper ends of the steps, in seconds: from one second to a week.
  static constexpr std::array<std::int64_t, 14> bounds_s = {
      1, 5, 15, 60, 300, 900, 1800, 3600, 10'800, 21'600, 43'200, 86'400, 259'200, 604'800};

  /// The number of waits above the bound before and not above the bound of the same index; the last
  /// ones are above all bounds.
  std::array<std::uint64_t, bounds_s.size() + 1> counts{};
  std::int64_t sum_ns = 0;

  /// A wait below 0, which a clock that was set back makes, counts as 0.
  void add(std::int64_t waited_ns) noexcept {
    waited_ns = std::max<std::int64_t>(waited_ns, 0);
    const auto* at = std::find_if(bounds_s.begin(), bounds_s.end(), [&](std::int64_t bound) {
      return waited_ns <= bound * 1'000'000'000;
    });
    ++counts[static_cast<std::size_t>(at - bounds_s.begin())];
    sum_ns += waited_ns;
  }

  friend bool operator==(const wait_times&, const wait_times&) = default;
};

}  // namespace argosy::ledger
