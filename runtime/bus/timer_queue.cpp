// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/timer_queue.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

#include "runtime/base/check.hpp"

namespace argosy::bus {

struct timer_queue::shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<ticket, std::function<void()>> due;
  std::uint64_t next_id = 0;
  duration manual_now{0};
  bool stopped = false;
};

timer_queue::timer_queue(bool manual) : manual_(manual), state_(std::make_shared<shared>()) {
  if (!manual_) thread_ = std::thread{[state = state_] { loop(state); }};
}

timer_queue::~timer_queue() {
  stop();
}

timer_queue::duration timer_queue::now() const {
  if (!manual_) return std::chrono::steady_clock::now().time_since_epoch();
  const std::lock_guard lock{state_->mutex};
  return state_->manual_now;
}

timer_queue::ticket timer_queue::schedule(duration delay, std::function<void()> run) {
  const auto at = now() + delay;
  const std::lock_guard lock{state_->mutex};
  const ticket id{at, ++state_->next_id};
  state_->due.emplace(id, std::move(run));
  state_->changed.notify_one();
  return id;
}

void timer_queue::cancel(const ticket& which) {
  // This is declared before the lock, so that what the function holds is released without the lock.
  std::function<void()> dropped;
  const std::lock_guard lock{state_->mutex};
  if (const auto found = state_->due.find(which); found != state_->due.end()) {
    dropped = std::move(found->second);
    state_->due.erase(found);
  }
}

std::optional<timer_queue::duration> timer_queue::next_due() const {
  const std::lock_guard lock{state_->mutex};
  if (state_->due.empty()) return {};
  return state_->due.begin()->first.first;
}

void timer_queue::advance(duration step) {
  ARGOSY_CHECK(manual_);
  const auto state = state_;
  std::unique_lock lock{state->mutex};
  const auto until = state->manual_now + step;
  while (!state->stopped && !state->due.empty() && state->due.begin()->first.first <= until) {
    auto next = state->due.extract(state->due.begin());
    state->manual_now = std::max(state->manual_now, next.key().first);
    lock.unlock();
    next.mapped()();
    next = {};
    lock.lock();
  }
  state->manual_now = std::max(state->manual_now, until);
}

void timer_queue::stop() {
  {
    const std::lock_guard lock{state_->mutex};
    state_->stopped = true;
    state_->changed.notify_all();
  }
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();
  else
    thread_.join();
}

void timer_queue::loop(const std::shared_ptr<shared>& state) {
  std::unique_lock lock{state->mutex};
  while (!state->stopped) {
    if (state->due.empty()) {
      state->changed.wait(lock);
      continue;
    }
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    if (const auto wait = state->due.begin()->first.first - now; wait > duration::zero()) {
      state->changed.wait_for(lock, wait);
      continue;
    }
    auto next = state->due.extract(state->due.begin());
    lock.unlock();
    next.mapped()();
    next = {};
    lock.lock();
  }
}

}  // namespace argosy::bus
