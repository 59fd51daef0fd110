// SPDX-License-Identifier: Apache-2.0
// Finds actors that have been at one message for too long. Pure: whoever watches brings the
// readings.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/trace/actor_reading.hpp"

namespace argosy::trace {

class stuck_watch {
 public:
  explicit stuck_watch(std::chrono::nanoseconds limit) : limit_(limit) {}

  /// The actors that are found stuck for the first time at their present message.
  [[nodiscard]] actor_readings look(const actor_readings& now);

 private:
  /// The type, the id and the number of messages before the one at which it is stuck.
  using place = std::tuple<std::string, std::uint64_t, std::uint64_t>;

  std::chrono::nanoseconds limit_;
  std::vector<place> known_;
};

/// The actor that has been at its message for longest, if that is at least the limit; null if none
/// has.
[[nodiscard]] const actor_reading* longest_at_work(const actor_readings& readings,
                                                   std::chrono::nanoseconds limit);

/// "the queue (id 12) has been at 'place' for 31.0 s, and 40 messages wait behind it".
[[nodiscard]] std::string stuck_text(const actor_reading& reading);

}  // namespace argosy::trace
