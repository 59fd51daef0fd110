// SPDX-License-Identifier: Apache-2.0
// How argosyd and argosy-agent end: signals, exit codes, the last word, and the limit on stopping.
#pragma once

#include <future>
#include <string_view>
#include <thread>

#include "runtime/base/error.hpp"

namespace argosy {

inline constexpr int failure_code = 1;
inline constexpr int usage_code = 2;
inline constexpr int conflict_code = 6;

/// Says "program: detail" on stderr; the exit code that the error stands for.
int report(std::string_view program, const error& err);

/// Keeps SIGTERM and SIGINT from every thread that starts later; stop_wanted() takes them.
void block_stop_signals();

/// Waits for at most 200 ms; whether SIGTERM or SIGINT came.
[[nodiscard]] bool stop_wanted();

/// Ends the process if it lives for longer than 5 s: the orderly way takes too long.
class watchdog {
 public:
  /// `program` must live as long, as a literal does.
  explicit watchdog(std::string_view program);
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  std::promise<void> done_;
  std::thread thread_;  ///< Last, so that it sees the rest made.
};

}  // namespace argosy
