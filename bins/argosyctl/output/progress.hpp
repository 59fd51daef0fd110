// SPDX-License-Identifier: Apache-2.0
// A bar of characters that shows how things ended, and not only how far they came.
#pragma once

#include <cstddef>
#include <string>

namespace argosy::ctl {

/// The numbers of things in each state; things in none of the first three have not begun.
struct progress {
  std::size_t succeeded = 0;
  std::size_t failed = 0;  ///< Things that ended in any other way.
  std::size_t running = 0;
  std::size_t all = 0;
};

/// A bar of `cells` cells, such as "[####x>>>......]": # succeeded, x failed or cancelled, >
/// running, . waiting. There is an x as soon as one thing failed, and a . as long as one has not
/// begun.
[[nodiscard]] std::string progress_bar(const progress& of, std::size_t cells);

}  // namespace argosy::ctl
