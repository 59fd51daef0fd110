// SPDX-License-Identifier: Apache-2.0
// Threads that are made when there is work and none is idle, and that end when they stay idle.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace argosy::health {

class growing_pool {
 public:
  /// Work waits only while all `threads_max` threads are busy. A thread without work for `idle_for`
  /// ends.
  growing_pool(std::size_t threads_max, std::chrono::milliseconds idle_for)
      : threads_max_(threads_max), idle_for_(idle_for) {}
  /// As shutdown().
  ~growing_pool();
  growing_pool(const growing_pool&) = delete;
  growing_pool& operator=(const growing_pool&) = delete;

  /// Has it done on one of the threads. It must not throw. When no thread can be made, it waits for
  /// one that is there, or is done by the caller if there is none.
  /// With `first` it comes before what waits already.
  void enqueue(std::function<void()> work, bool first = false);
  /// Waits until what was begun is done and all threads have ended; what still waits is dropped.
  /// Nothing may be enqueued afterwards.
  void shutdown();

  [[nodiscard]] std::size_t threads() const;
  /// How much work waits for a thread.
  [[nodiscard]] std::size_t waiting() const;

 private:
  void serve();

  const std::size_t threads_max_;
  const std::chrono::milliseconds idle_for_;
  mutable std::mutex guard_;  ///< Guards what follows.
  std::condition_variable there_is_work_;
  std::condition_variable thread_ended_;
  std::deque<std::function<void()>> waiting_;
  std::size_t threads_ = 0;
  std::size_t idle_ = 0;
  bool ends_ = false;
};

}  // namespace argosy::health
