// SPDX-License-Identifier: Apache-2.0
// What a backend tells of its runs, for tests that wait for it, and orders to start runs.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/backends/backend.hpp"

namespace argosy::backends {

/// Keeps all events. It has to live longer than the backend that tells them.
class run_events {
 public:
  [[nodiscard]] event_sink sink() {
    return [this](std::vector<run_event> events) {
      EXPECT_FALSE(events.empty());
      const std::lock_guard guard{mutex_};
      for (auto& event : events) events_.push_back(std::move(event));
      changed_.notify_all();
    };
  }

  /// The first event of the run that the condition holds for; waits up to 20 s.
  run_event wait_for(const model::run_key& run,
                     const std::function<bool(const run_event&)>& wanted) {
    std::unique_lock guard{mutex_};
    run_event out;
    const auto found = [&] {
      for (const auto& event : events_)
        if (event.run == run && wanted(event)) {
          out = event;
          return true;
        }
      return false;
    };
    EXPECT_TRUE(changed_.wait_for(guard, std::chrono::seconds{20}, found))
        << "no such event of " << to_string(run);
    return out;
  }
  run_event end_of(const model::run_key& run) {
    return wait_for(run, [](const run_event& event) { return is_final(event.phase); });
  }
  run_event running(const model::run_key& run) {
    return wait_for(
        run, [](const run_event& event) { return event.phase == model::run_phase::running; });
  }

  [[nodiscard]] std::vector<run_event> of(const model::run_key& run) {
    const std::lock_guard guard{mutex_};
    std::vector<run_event> out;
    for (const auto& event : events_)
      if (event.run == run) out.push_back(event);
    return out;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<run_event> events_;
};

/// An order to start the first run of a job that no other order of this process names.
[[nodiscard]] inline std::shared_ptr<model::start_run> order_of_new_job() {
  static std::uint8_t serial = 0;
  auto order = std::make_shared<model::start_run>();
  order->run.job.bytes[0] = 1;
  order->run.job.bytes[15] = ++serial;
  order->run.number = 1;
  order->grace_seconds = 1;
  return order;
}

}  // namespace argosy::backends
