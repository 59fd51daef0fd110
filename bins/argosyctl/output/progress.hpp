// SPDX-License-Identifier: Apache-2.0
// A bar of characters that says how things went, not only how far they came.
#pragma once

#include <cstddef>
#include <string>

namespace argosy::ctl {

/// Numbers of things; what is in none of the first three has not begun.
struct progress {
  std::size_t succeeded = 0;
  std::size_t failed = 0;  ///< Ended in any other way.
  std::size_t running = 0;
  std::size_t all = 0;
};

/// "[####x>>>......]" with `cells` cells: # succeeded, x failed or cancelled, > running, . waiting.
/// There is an x as soon as one thing failed, and a . as long as one thing has not begun.
[[nodiscard]] std::string progress_bar(const progress& of, std::size_t cells);

}  // namespace argosy::ctl
