// SPDX-License-Identifier: Apache-2.0
// How argosyd and argosy-agent end: signals, exit codes, the last message, and the limit on
// stopping.
#pragma once

#include <chrono>
#include <future>
#include <string_view>
#include <thread>

#include "runtime/base/error.hpp"

namespace argosy {

inline constexpr int failure_code = 1;
inline constexpr int usage_code = 2;
inline constexpr int conflict_code = 6;
inline constexpr int lease_lost_code = 7;

/// Prints "program: detail" to stderr and returns the exit code that the error stands for.
int report(std::string_view program, const error& err);

/// Ends a program that printed to std::cout. Returns its exit code, and failure_code instead of 0,
/// with a sentence on stderr, if something of that could not be written. The sentence ends with
/// what was `made` all the same.
int after_output(std::string_view program, int code, std::string_view made = {});

/// Keeps SIGTERM, SIGINT and SIGHUP from every thread that starts later; stop_wanted() takes them.
void block_signals();

/// Waits for at most `wait` and returns whether the process shall end: SIGTERM or SIGINT came, or
/// SIGHUP since the terminal of stderr was closed. Any other SIGHUP reopens the log file. Returns
/// true once for each signal.
[[nodiscard]] bool stop_wanted(std::chrono::milliseconds wait = std::chrono::milliseconds{200});

/// Returns at once whether stop_wanted() has taken a SIGHUP since the last call.
[[nodiscard]] bool reload_wanted();

inline constexpr std::chrono::milliseconds stop_limit{5'000};
/// A program that reads the store of a running argosyd keeps it from using its room again, and has
/// this time.
inline constexpr std::chrono::hours reading_limit{2};

/// Ends the process, with exit code 1, if the watchdog lives for longer than `limit`.
class watchdog {
 public:
  /// `program` and `words`, which say on stderr what took too long, must outlive the watchdog, as
  /// literals do.
  explicit watchdog(std::string_view program, std::chrono::milliseconds limit = stop_limit,
                    std::string_view words = "stopping took longer than 5 s; ending at once");
  ~watchdog();
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  std::promise<void> done_;
  /// The thread is the last member, so that it starts when all others are made.
  std::thread thread_;
};

}  // namespace argosy
