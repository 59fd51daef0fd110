// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/ending.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>

namespace argosy {

namespace {

constexpr std::chrono::seconds stop_limit{5};
constexpr timespec signal_slice{0, 200'000'000};

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

sigset_t reload_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

int report(std::string_view program, const error& err) {
  std::cerr << program << ": " << err.detail << '\n';
  return err.code == ec::conflict           ? conflict_code
         : err.code == ec::invalid_argument ? usage_code
                                            : failure_code;
}

void block_stop_signals() {
  const auto signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool stop_wanted() {
  const auto signals = stop_signals();
  return sigtimedwait(&signals, nullptr, &signal_slice) > 0;
}

void block_reload_signal() {
  const auto signals = reload_signal();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool reload_wanted() {
  const auto signals = reload_signal();
  constexpr timespec at_once{0, 0};
  return sigtimedwait(&signals, nullptr, &at_once) > 0;
}

watchdog::watchdog(std::string_view program)
    : thread_([program, done = done_.get_future()] {
        if (done.wait_for(stop_limit) == std::future_status::ready) return;
        std::cerr << program << ": stopping took longer than 5 s; ending at once\n";
        _exit(failure_code);
      }) {}

watchdog::~watchdog() {
  done_.set_value();
  thread_.join();
}

}  // namespace argosy
