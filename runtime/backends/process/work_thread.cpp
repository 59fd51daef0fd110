// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/work_thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "runtime/base/check.hpp"

namespace argosy::backends {

work_thread::work_thread()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  ARGOSY_CHECK(epoll_ && wake_);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_.get();
  ARGOSY_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) == 0);
  // This thread blocks all signals; the other threads take those sent to the process.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread{[this] { run(); }};
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_setname_np(thread_.native_handle(), "argosy-runs");
}

work_thread::~work_thread() {
  stop();
}

void work_thread::post(task what) {
  {
    const std::lock_guard guard{mutex_};
    if (stopping_) return;
    posted_.push_back(std::move(what));
  }
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

void work_thread::stop() {
  {
    const std::lock_guard guard{mutex_};
    stopping_ = true;
  }
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
  if (thread_.joinable()) thread_.join();
}

void work_thread::watch(int fd, task on_readable) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  ARGOSY_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0);
  watched_[fd] = std::move(on_readable);
}

void work_thread::unwatch(int fd) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  watched_.erase(fd);
}

void work_thread::call_at(boot_time when, task what) {
  timers_.push_back({when, std::move(what)});
}

int work_thread::timeout_ms() const {
  if (timers_.empty()) return -1;
  const auto first = std::min_element(timers_.begin(), timers_.end(),
                                      [](const auto& a, const auto& b) { return a.when < b.when; });
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(first->when - boot_now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(wait, 0, 60'000));
}

void work_thread::run_due() {
  const auto now = boot_now();
  const auto due = std::stable_partition(timers_.begin(), timers_.end(),
                                         [now](const auto& each) { return each.when > now; });
  std::vector<timer> calls{std::make_move_iterator(due), std::make_move_iterator(timers_.end())};
  timers_.erase(due, timers_.end());
  for (auto& call : calls) call.what();
}

void work_thread::run_posted() {
  std::vector<task> tasks;
  {
    const std::lock_guard guard{mutex_};
    tasks.swap(posted_);
  }
  for (auto& each : tasks) each();
}

void work_thread::run() {
  std::array<epoll_event, 64> events{};
  for (;;) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), timeout_ms());
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == wake_.get()) {
        std::uint64_t value = 0;
        static_cast<void>(!::read(fd, &value, sizeof value));
      } else if (const auto found = watched_.find(fd); found != watched_.end()) {
        const auto call = found->second;
        call();
      }
    }
    run_posted();
    run_due();
    const std::lock_guard guard{mutex_};
    if (stopping_) return;
  }
}

}  // namespace argosy::backends
