// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/growing_pool.hpp"

#include <system_error>
#include <thread>
#include <utility>

namespace argosy::health {

growing_pool::~growing_pool() {
  shutdown();
}

void growing_pool::enqueue(std::function<void()> work, bool first) {
  std::unique_lock lock{guard_};
  if (first)
    waiting_.push_front(std::move(work));
  else
    waiting_.push_back(std::move(work));
  if (waiting_.size() <= idle_) {
    there_is_work_.notify_one();
    return;
  }
  grow();
  if (threads_ > 0) return;
  auto own = std::move(first ? waiting_.front() : waiting_.back());
  if (first)
    waiting_.pop_front();
  else
    waiting_.pop_back();
  lock.unlock();
  own();
}

void growing_pool::grow() {
  if (waiting_.size() <= idle_ || threads_ == threads_max_ || growing_ || ends_) return;
  const bool later = threads_ >= at_once_;
  try {
    ++threads_;
    growing_ = later;
    std::thread{[this, later] { serve(later); }}.detach();
  } catch (const std::system_error&) {
    --threads_;
    growing_ = false;
  }
}

void growing_pool::serve(bool later) {
  std::unique_lock lock{guard_};
  if (later) {
    end_.wait_for(lock, pace_, [this] { return ends_; });
    growing_ = false;
  }
  while (!later || waiting_.size() > idle_) {
    later = false;
    ++idle_;
    there_is_work_.wait_for(lock, idle_for_, [this] { return !waiting_.empty() || ends_; });
    --idle_;
    if (waiting_.empty()) break;
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    grow();
    lock.unlock();
    work();
    lock.lock();
  }
  --threads_;
  // With the lock held, since the object may go as soon as the last thread has let it go.
  thread_ended_.notify_all();
}

void growing_pool::shutdown() {
  std::deque<std::function<void()>> dropped;  // Declared first, so that it ends after the lock.
  std::unique_lock lock{guard_};
  ends_ = true;
  dropped.swap(waiting_);
  there_is_work_.notify_all();
  end_.notify_all();
  thread_ended_.wait(lock, [this] { return threads_ == 0; });
}

std::size_t growing_pool::threads() const {
  const std::scoped_lock lock{guard_};
  return threads_;
}

std::size_t growing_pool::waiting() const {
  const std::scoped_lock lock{guard_};
  return waiting_.size();
}

}  // namespace argosy::health
