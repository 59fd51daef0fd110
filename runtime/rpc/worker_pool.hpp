// SPDX-License-Identifier: Apache-2.0
// A few threads for what may take long: to ask who calls, to hand a request to the bus, to pack.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/border/fair_queue_core.hpp"

namespace argosy::rpc {

/// Safe to use from any thread.
class worker_pool {
 public:
  struct task {
    std::string caller;  ///< For whom it is done, as border::fair_queue_core tells callers apart.
    std::function<void()> run;
  };

  explicit worker_pool(std::size_t threads);
  ~worker_pool();
  worker_pool(const worker_pool&) = delete;
  worker_pool& operator=(const worker_pool&) = delete;

  /// Callers take turns, and the tasks of one caller begin in their order. After stop() they are
  /// dropped.
  void submit(std::vector<task> tasks);
  /// Drops what waits, and returns when the tasks that have begun have ended.
  void stop();

 private:
  using queue = border::fair_queue_core<std::function<void()>>;

  void run();

  std::mutex guard_;  ///< Guards what follows.
  std::condition_variable there_;
  queue waiting_;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace argosy::rpc
