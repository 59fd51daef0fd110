// SPDX-License-Identifier: Apache-2.0
// The only way in which tests send signals to a process that they know by its id.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdio>
#include <cstdlib>

namespace argosy::testing {

/// Aborts on the id of no single process: kill(-1) would end everything on the machine, so an
/// unchecked "not found" must never get there. A process that is gone already is no error.
inline void send_signal(pid_t pid, int number) {
  if (pid <= 1) {
    std::fprintf(stderr, "a test wants to signal process %d\n", static_cast<int>(pid));
    std::abort();
  }
  static_cast<void>(::kill(pid, number));
}

}  // namespace argosy::testing
