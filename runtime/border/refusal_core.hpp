// SPDX-License-Identifier: Apache-2.0
// Decides when a caller who is refused is told so. Telling costs more than refusing, so that
// whoever sends without end would have others wait for what he is told. He is told later, so that
// he waits before he tries again, and not at all only if he has thousands of refusals coming. Pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace argosy::border {

struct refusal_limits {
  /// So long after a refusal of one caller the next one is told, past a first second's worth.
  std::chrono::nanoseconds apart = std::chrono::milliseconds{1};
  /// The same for those of all callers together.
  std::chrono::nanoseconds all_apart = std::chrono::microseconds{100};
  /// Whoever would be told later than that is not told.
  std::chrono::nanoseconds latest = std::chrono::seconds{5};
  std::size_t callers = 1'000;
};

class refusal_core {
 public:
  using duration = std::chrono::nanoseconds;

  explicit refusal_core(refusal_limits limits = {}) noexcept : limits_(limits) {}

  /// How long after `now`, a time of any clock that does not go back, this refusal is to be told:
  /// zero is at once, nothing is never.
  [[nodiscard]] std::optional<duration> wait_to_tell(const std::string& caller, duration now) {
    if (next_.size() >= limits_.callers && !next_.contains(caller)) forget_before(now);
    if (next_.size() >= limits_.callers && !next_.contains(caller)) return std::nullopt;
    auto& next = next_.try_emplace(caller, duration::min()).first->second;
    const auto at = std::max(after(next, limits_.apart, now), after(all_, limits_.all_apart, now));
    const auto wait = std::max(at - now, duration{0});
    if (wait > limits_.latest) return std::nullopt;
    next = after(next, limits_.apart, now);
    all_ = after(all_, limits_.all_apart, now);
    return wait;
  }

 private:
  /// The time that follows the last one by this distance. It lags behind by a second at most, which
  /// is how many are told at once.
  static duration after(duration last, duration apart, duration now) {
    return std::max(last, now - std::chrono::seconds{1}) + apart;
  }
  void forget_before(duration now) {
    std::erase_if(next_,
                  [&](const auto& each) { return each.second + std::chrono::seconds{1} <= now; });
  }

  const refusal_limits limits_;
  std::map<std::string, duration> next_;
  duration all_ = duration::min();
};

}  // namespace argosy::border
