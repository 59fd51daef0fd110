// SPDX-License-Identifier: Apache-2.0
// A guarded object holds callbacks that can be taken away: calls run one at a time, and after
// close() none runs. The bus uses it, and whoever gives it callbacks that may outlive him.
#pragma once

#include <mutex>
#include <optional>
#include <utility>

namespace argosy::bus {

template <class Callbacks>
class guarded {
 public:
  explicit guarded(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}

  /// Runs call(callbacks) unless closed, and returns whether it ran. A thread may enter again from
  /// within.
  template <class Call>
  bool run(Call&& call) {
    const std::lock_guard lock{mutex_};
    if (closed_) return false;
    ++depth_;
    std::forward<Call>(call)(*callbacks_);
    --depth_;
    drop_if_unused();
    return true;
  }

  /// Does the same as run() and closes, so that nothing runs after it.
  template <class Call>
  bool run_last(Call&& call) {
    const std::lock_guard lock{mutex_};
    if (closed_) return false;
    closed_ = true;
    ++depth_;
    std::forward<Call>(call)(*callbacks_);
    --depth_;
    drop_if_unused();
    return true;
  }

  /// Waits for a running call on another thread. From within a call, the callbacks themselves are
  /// released when it returns.
  void close() {
    const std::lock_guard lock{mutex_};
    closed_ = true;
    drop_if_unused();
  }

 private:
  void drop_if_unused() {
    if (closed_ && depth_ == 0) callbacks_.reset();
  }

  std::recursive_mutex mutex_;
  std::optional<Callbacks> callbacks_;
  int depth_ = 0;
  bool closed_ = false;
};

}  // namespace argosy::bus
