// SPDX-License-Identifier: Apache-2.0
// This file defines what one actor shows of itself at any time: how many messages it has not done,
// since when the oldest of them is there, and what it handles now. The senders' threads and the
// actor's own write it without locks, and any thread reads it. Whoever writes brings the time, so
// that no clock is read for it.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/trace/recorder.hpp"

namespace argosy::trace {

struct actor_gauges {
  /// The messages that are not done, the present one included.
  std::atomic<std::uint64_t> depth{0};
  /// When the oldest of them came, as now_nanos(). A little early where a busy actor waits for a
  /// thread; it has no meaning while depth is 0.
  std::atomic<std::int64_t> oldest_nanos{0};
  /// When the present handler began, as now_nanos(); 0: none runs.
  std::atomic<std::int64_t> begun_nanos{0};
  std::atomic<name_id> message{0};  ///< What the present handler handles, or the last one did.
  std::atomic<std::uint64_t> handled{0};
  std::atomic<std::int64_t> processing_nanos{0};
  std::atomic<std::int64_t> wait_nanos{0};

  /// A message came into the mailbox. The time of the first one is written before it counts, so
  /// that nobody takes that of a message of long ago for it.
  void entered(std::int64_t now) noexcept {
    const bool idle = depth.load(std::memory_order_relaxed) == 0;
    if (idle) oldest_nanos.store(now, std::memory_order_relaxed);
    if (depth.fetch_add(1, std::memory_order_release) == 0 && !idle)
      oldest_nanos.store(now, std::memory_order_relaxed);
  }
  void begun(name_id what, std::int64_t enqueued, std::int64_t now) noexcept {
    oldest_nanos.store(enqueued, std::memory_order_relaxed);
    message.store(what, std::memory_order_relaxed);
    begun_nanos.store(now, std::memory_order_release);
  }
  /// The handler has skipped its message, which stays in the mailbox.
  void put_back() noexcept { begun_nanos.store(0, std::memory_order_relaxed); }
  void ended(std::int64_t waited, std::int64_t took) noexcept {
    begun_nanos.store(0, std::memory_order_relaxed);
    depth.fetch_sub(1, std::memory_order_relaxed);
    add(handled, std::uint64_t{1});
    add(processing_nanos, took);
    add(wait_nanos, waited);
  }

 private:
  /// Only the thread that runs the actor adds, so that no locked instruction is needed.
  template <class T>
  static void add(std::atomic<T>& to, T more) noexcept {
    to.store(to.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

}  // namespace argosy::trace
