// SPDX-License-Identifier: Apache-2.0
// Sends signals to processes by their id. Tests send them in no other way.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdio>
#include <cstdlib>

namespace argosy::testing {

/// Sends the signal. It aborts if the id names no single process: kill(-1) would end everything on
/// the machine, so that an unchecked "not found" must never get there. A process that is gone
/// already is no error.
inline void send_signal(pid_t pid, int number) {
  if (pid <= 1) {
    std::fprintf(stderr, "a test wants to signal process %d\n", static_cast<int>(pid));
    std::abort();
  }
  static_cast<void>(::kill(pid, number));
}

}  // namespace argosy::testing
