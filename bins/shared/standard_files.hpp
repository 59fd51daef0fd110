// SPDX-License-Identifier: Apache-2.0
// Every program makes sure first that the numbers 0, 1 and 2 are taken. A program that is started
// without one of its standard files would give that number to the next socket or file that it
// opens, and would then read jobs from it, or write its output or its log into it.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace argosy {

/// Opens /dev/null for each standard file that is closed. stdin is opened for writing and stdout
/// for reading alone, so that whoever wants to use it gets EBADF and can say so, and does not take
/// it for an empty input or a successful output; a diagnosis on stderr is dropped. It is the first
/// thing in main(), before there are threads. The process ends where /dev/null cannot be opened.
inline void open_standard_files() {
  constexpr std::array modes{O_WRONLY, O_RDONLY, O_WRONLY};
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // The lowest free number is this one, since all below it are open.
    if (::open("/dev/null", modes[static_cast<std::size_t>(number)]) != number) std::_Exit(1);
  }
}

}  // namespace argosy
