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
  /// ends. Each thread behind the first `at_once` is made `pace` after the one before it, so that
  /// many who come together and are soon done with do not cost a thread each.
  growing_pool(std::size_t threads_max, std::chrono::milliseconds idle_for,
               std::size_t at_once = threads_at_once, std::chrono::milliseconds pace = thread_pace)
      : threads_max_(threads_max), idle_for_(idle_for), at_once_(at_once), pace_(pace) {}
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

  static constexpr std::size_t threads_at_once = 64;
  static constexpr std::chrono::milliseconds thread_pace{2};

 private:
  /// Makes a thread if more work waits than there are threads for it.
  void grow();
  void serve(bool later);

  const std::size_t threads_max_;
  const std::chrono::milliseconds idle_for_;
  const std::size_t at_once_;
  const std::chrono::milliseconds pace_;
  mutable std::mutex guard_;  ///< Guards what follows.
  std::condition_variable there_is_work_;
  std::condition_variable thread_ended_;
  std::condition_variable end_;
  std::deque<std::function<void()>> waiting_;
  std::size_t threads_ = 0;
  std::size_t idle_ = 0;
  bool growing_ = false;  ///< A thread is there that begins later.
  bool ends_ = false;
};

}  // namespace argosy::health
