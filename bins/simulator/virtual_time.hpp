// SPDX-License-Identifier: Apache-2.0
// The time of a simulated world, which moves only to where something is due.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace argosy::sim {

class virtual_time {
 public:
  using duration = std::chrono::nanoseconds;

  /// Since the beginning of the world.
  [[nodiscard]] duration now() const noexcept { return now_; }

  /// Runs something then, or at once if that is over. What is due at the same time runs in the
  /// order in which it was asked for.
  void at(duration when, std::function<void()> what) {
    due_.emplace(std::max(when, now_), std::move(what));
  }
  void after(duration wait, std::function<void()> what) { at(now_ + wait, std::move(what)); }

  /// When something is due next.
  [[nodiscard]] std::optional<duration> next() const {
    if (due_.empty()) return {};
    return due_.begin()->first;
  }

  /// Moves the time, but runs nothing.
  void move_to(duration when) noexcept { now_ = std::max(now_, when); }
  /// Runs all that is due by now.
  void run_due() {
    while (!due_.empty() && due_.begin()->first <= now_) {
      const auto what = due_.extract(due_.begin());
      what.mapped()();
    }
  }

 private:
  duration now_{};
  std::multimap<duration, std::function<void()>> due_;
};

}  // namespace argosy::sim
