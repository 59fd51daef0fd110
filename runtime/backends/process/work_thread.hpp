// SPDX-License-Identifier: Apache-2.0
// A thread that sleeps in epoll_wait(). It runs the tasks posted to it, watches descriptors, and
// wakes at set times.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/backends/run/file.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::backends {

class work_thread {
 public:
  using task = std::function<void()>;

  work_thread();
  /// Calls stop().
  ~work_thread();
  work_thread(const work_thread&) = delete;
  work_thread& operator=(const work_thread&) = delete;

  /// Posts a task, from any thread. Tasks run in order, and none runs after stop().
  void post(task what);

  /// The next functions may be called only by the thread itself, within tasks and callbacks.

  /// Calls back whenever the descriptor is readable, until unwatch(). It must stay open.
  void watch(int fd, task on_readable);
  void unwatch(int fd);
  /// Calls once, at CLOCK_BOOTTIME `when`.
  void call_at(boot_time when, task what);

  /// Finishes the running task and ends the thread. A repeated call does nothing. It must not be
  /// called from the thread itself.
  void stop();

 private:
  void run();
  void run_posted();
  void run_due();
  [[nodiscard]] int timeout_ms() const;

  struct timer {
    boot_time when;
    task what;
  };

  unique_fd epoll_;
  unique_fd wake_;
  std::mutex mutex_;
  std::vector<task> posted_;  ///< Guarded by mutex_.
  bool stopping_ = false;     ///< Guarded by mutex_.
  std::unordered_map<int, task> watched_;
  std::vector<timer> timers_;
  std::thread thread_;
};

}  // namespace argosy::backends
