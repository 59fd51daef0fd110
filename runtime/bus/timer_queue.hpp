// SPDX-License-Identifier: Apache-2.0
// A timer_queue holds the time-outs of the bus: functions that run once, later. Either a thread of
// the queue runs them by the steady clock, or a test advances the time by hand. It is internal to
// the bus.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace argosy::bus {

class timer_queue {
 public:
  using duration = std::chrono::nanoseconds;
  using ticket = std::pair<duration, std::uint64_t>;

  explicit timer_queue(bool manual);
  ~timer_queue();
  timer_queue(const timer_queue&) = delete;
  timer_queue& operator=(const timer_queue&) = delete;

  [[nodiscard]] duration now() const;
  /// The function runs on the queue's thread, or in advance(). It must not throw.
  ticket schedule(duration delay, std::function<void()> run);
  /// Cancels a function. It does not wait for one that runs already.
  void cancel(const ticket& which);
  /// When the next function runs; nothing if none waits.
  [[nodiscard]] std::optional<duration> next_due() const;
  /// Runs what falls due, in order, each at its own time. It is for manual time only.
  void advance(duration step);
  /// Ends the thread; nothing runs afterwards, but for the timer that calls it.
  void stop();

 private:
  /// Outlives the queue when the queue is destroyed from within one of its own timers.
  struct shared;
  static void loop(const std::shared_ptr<shared>& state);

  const bool manual_;
  std::shared_ptr<shared> state_;
  std::thread thread_;
};

}  // namespace argosy::bus
