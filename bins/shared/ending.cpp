// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/ending.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string>

#include "runtime/logging/reopen.hpp"

namespace argosy {

namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

bool has_terminal = false;
std::atomic<bool> reload_came{false};

}  // namespace

int after_output(std::string_view program, int code, std::string_view made) {
  errno = 0;
  if (std::cout.flush()) return code;
  // What was written before may have failed already; another byte fails for the same reason.
  if (errno == 0) static_cast<void>(::write(STDOUT_FILENO, "\n", 1) < 0);
  std::cerr << program << ": cannot write to stdout"
            << (errno != 0 ? std::string{": "} + std::strerror(errno) : std::string{})
            << (code == 0 && !made.empty() ? "; " : "") << (code == 0 ? made : "") << '\n';
  return code == 0 ? failure_code : code;
}

int report(std::string_view program, const error& err) {
  std::cerr << program << ": " << err.detail << '\n';
  return err.code == ec::conflict           ? conflict_code
         : err.code == ec::invalid_argument ? usage_code
                                            : failure_code;
}

void block_signals() {
  has_terminal = isatty(STDERR_FILENO) == 1;
  const auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool stop_wanted(std::chrono::milliseconds wait) {
  const auto signals = stop_signals();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
  const timespec slice{seconds.count(), std::chrono::nanoseconds{wait - seconds}.count()};
  const auto came = sigtimedwait(&signals, nullptr, &slice);
  if (came != SIGHUP) return came > 0;
  // The terminal in which the process was started has been closed.
  if (has_terminal && isatty(STDERR_FILENO) == 0) return true;
  logging::reopen();
  reload_came = true;
  return false;
}

bool reload_wanted() {
  return reload_came.exchange(false);
}

watchdog::watchdog(std::string_view program, std::chrono::milliseconds limit,
                   std::string_view words)
    : thread_([program, limit, words, done = done_.get_future()] {
        if (done.wait_for(limit) == std::future_status::ready) return;
        std::cerr << program << ": " << words << '\n';
        _exit(failure_code);
      }) {}

watchdog::~watchdog() {
  done_.set_value();
  thread_.join();
}

}  // namespace argosy
