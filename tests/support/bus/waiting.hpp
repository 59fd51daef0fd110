// SPDX-License-Identifier: Apache-2.0
// A list that other threads fill, with which tests of asynchronous parts wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace argosy::testing {

/// The time is far above what anything takes, so that only a defect reaches it.
inline constexpr std::chrono::milliseconds patience{20'000};

template <class T>
class collector {
 public:
  void add(T value) {
    const std::lock_guard lock{mutex_};
    values_.push_back(std::move(value));
    changed_.notify_all();
  }

  /// Whether the list gets this many items in time.
  [[nodiscard]] bool wait_for(std::size_t count, std::chrono::milliseconds limit = patience) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, limit, [&] { return values_.size() >= count; });
  }

  [[nodiscard]] std::vector<T> values() const {
    const std::lock_guard lock{mutex_};
    return values_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<T> values_;
};

}  // namespace argosy::testing
