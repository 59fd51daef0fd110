// SPDX-License-Identifier: Apache-2.0
// The clock of a cluster of the tests, which may differ from this machine's.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

namespace argosy::testing {

class cluster_clock {
 public:
  using seconds = std::chrono::seconds;

  /// It is so far ahead of this machine's clock from now on; negative: behind it.
  void set_ahead(seconds ahead) { ahead_ = ahead.count(); }
  [[nodiscard]] std::chrono::sys_seconds now() const;
  /// "2026-11-22T10:00:00Z"
  [[nodiscard]] std::string text() const;
  /// "Sun, 22 Nov 2026 10:00:00 GMT"
  [[nodiscard]] std::string date() const;

 private:
  std::atomic<seconds::rep> ahead_ = 0;
};

}  // namespace argosy::testing
