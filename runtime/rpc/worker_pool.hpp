// SPDX-License-Identifier: Apache-2.0
// A few threads for what may take long: to ask who calls, to hand a request to the bus, to pack.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace argosy::rpc {

/// Safe to use from any thread.
class worker_pool {
 public:
  using task = std::function<void()>;

  explicit worker_pool(std::size_t threads);
  ~worker_pool();
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  /// Begins the tasks in their order. After stop() they are dropped.
  void submit(std::vector<task> tasks);
  /// Ends when all tasks have ended.
  void stop();

 private:
  void run();

  std::mutex guard_;  ///< Guards what follows.
  std::condition_variable there_;
  std::deque<task> waiting_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace argosy::rpc
