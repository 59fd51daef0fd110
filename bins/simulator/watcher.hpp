// SPDX-License-Identifier: Apache-2.0
// A watcher is a user who follows the events of a job set, and comes back with the last id that he
// saw whenever his stream ends.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bins/simulator/user_end.hpp"
#include "runtime/bus/stream.hpp"

namespace argosy::sim {

class watcher {
 public:
  /// An event's id and what it says.
  using event = std::pair<std::string, std::string>;

  /// `around` outlives it. With `only_past` it reads what there is, and ends.
  watcher(surroundings& around, std::string queue, std::string job_set, bool only_past = false);
  ~watcher();
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;

  [[nodiscard]] const std::string& queue() const noexcept { return queue_; }
  [[nodiscard]] const std::string& job_set() const noexcept { return job_set_; }
  [[nodiscard]] const std::vector<event>& seen() const noexcept { return seen_; }
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  [[nodiscard]] std::size_t opened() const noexcept { return opened_; }

  [[nodiscard]] user_end& end() noexcept { return end_; }

 private:
  void open();
  void take(const bus::frame& item);

  surroundings& around_;
  const std::string queue_;
  const std::string job_set_;
  const bool only_past_;
  user_end end_;
  bus::stream stream_;
  std::vector<event> seen_;
  bool ended_ = false;
  std::size_t opened_ = 0;
  /// What comes later, when this is gone, asks it.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// What is wrong with what he saw, if these are all events of the job set in their order; empty:
/// nothing. What he has not seen yet is not missing.
[[nodiscard]] std::string compare(const watcher& with, const std::vector<watcher::event>& all);

}  // namespace argosy::sim
