// SPDX-License-Identifier: Apache-2.0
// Reads on a thread of its own what a screen shows, again and again, so that keys act at once
// however long the server takes.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "bins/argosyctl/verbs/top/screen_content.hpp"
#include "bins/argosyctl/verbs/top/screen_source.hpp"

namespace argosy::ctl {

class background_reader {
 public:
  using read_function = std::function<screen_content(const screen_source&)>;
  using answer = std::pair<screen_source, screen_content>;

  /// Calls `read` on the thread, each `period` and at once for another source. A source that takes
  /// long to read is read more rarely.
  background_reader(read_function read, std::chrono::milliseconds period);
  /// Waits for the call of `read` that goes on.
  ~background_reader();
  background_reader(const background_reader&) = delete;
  background_reader& operator=(const background_reader&) = delete;

  /// Says what is to be read from now on.
  void want(const screen_source& source);
  /// Takes what was read since the last call, if anything was.
  [[nodiscard]] std::optional<answer> take();

 private:
  void work();

  read_function read_;
  std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<screen_source> wanted_;
  std::optional<answer> answer_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace argosy::ctl
