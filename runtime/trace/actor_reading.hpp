// SPDX-License-Identifier: Apache-2.0
// This file defines what one actor shows of itself at a moment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace argosy::trace {

struct actor_reading {
  std::string type;
  std::uint64_t id = 0;
  std::uint64_t depth = 0;
  std::int64_t oldest_nanos = 0;  ///< How long the oldest message that is not done has been there.
  std::int64_t busy_nanos = 0;    ///< For how long the present handler has run; 0: none runs.
  std::string message;            ///< What it handles; empty: nothing.
  std::uint64_t handled = 0;
  std::int64_t processing_nanos = 0;
  std::int64_t wait_nanos = 0;
};
using actor_readings = std::vector<actor_reading>;

}  // namespace argosy::trace
