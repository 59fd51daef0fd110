// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/worker_pool.hpp"

#include <utility>

namespace argosy::rpc {

worker_pool::worker_pool(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

worker_pool::~worker_pool() {
  stop();
}

void worker_pool::submit(std::vector<task> tasks) {
  {
    const std::scoped_lock lock{guard_};
    if (ended_) return;
    for (auto& each : tasks) waiting_.push(each.caller, std::move(each.run));
  }
  if (tasks.size() == 1)
    there_.notify_one();
  else
    there_.notify_all();
}

void worker_pool::stop() {
  {
    queue dropped;  // Declared first, so that it ends after the lock.
    const std::scoped_lock lock{guard_};
    ended_ = true;
    std::swap(dropped, waiting_);
  }
  there_.notify_all();
  for (auto& each : threads_)
    if (each.joinable()) each.join();
}

void worker_pool::run() {
  std::unique_lock lock{guard_};
  while (true) {
    there_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    if (ended_) return;
    {
      const auto next = waiting_.pop();
      lock.unlock();
      next();
    }
    lock.lock();
  }
}

}  // namespace argosy::rpc
