// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/stuck_watch.hpp"

#include <algorithm>
#include <utility>

#include "runtime/trace/render_text.hpp"

namespace argosy::trace {

actor_readings stuck_watch::look(const actor_readings& now) {
  actor_readings fresh;
  std::vector<place> stuck;
  for (const auto& reading : now) {
    if (reading.busy_nanos < limit_.count()) continue;
    place at{reading.type, reading.id, reading.handled};
    if (std::find(known_.begin(), known_.end(), at) == known_.end()) fresh.push_back(reading);
    stuck.push_back(std::move(at));
  }
  known_ = std::move(stuck);
  return fresh;
}

const actor_reading* longest_at_work(const actor_readings& readings,
                                     std::chrono::nanoseconds limit) {
  const actor_reading* longest = nullptr;
  for (const auto& reading : readings)
    if (reading.busy_nanos > 0 && reading.busy_nanos >= limit.count() &&
        (longest == nullptr || reading.busy_nanos > longest->busy_nanos))
      longest = &reading;
  return longest;
}

std::string stuck_text(const actor_reading& reading) {
  const auto behind = reading.depth > 0 ? reading.depth - 1 : 0;
  return "the " + std::string{short_actor_name(reading.type)} + " (id " +
         std::to_string(reading.id) + ") has been at '" + reading.message + "' for " +
         duration_text(reading.busy_nanos) + ", and " + std::to_string(behind) +
         (behind == 1 ? " message waits behind it" : " messages wait behind it");
}

}  // namespace argosy::trace
