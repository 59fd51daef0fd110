// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/tail_core.hpp"

#include <algorithm>

#include "runtime/base/check.hpp"

namespace argosy::eventlog {

tail_rules tail_rules_for(std::uint64_t store_bytes_max) {
  tail_rules out;
  if (store_bytes_max == 0) return out;
  out.bytes_limit = store_bytes_max / 4;
  out.bytes_max = std::min(out.bytes_max, out.bytes_limit / 2);
  return out;
}

void tail_core::add(model::log_position position, std::uint64_t bytes, boot_time now) {
  while (!entries_.empty() && entries_.back().position >= position) {
    bytes_ -= entries_.back().bytes;
    entries_.pop_back();
  }
  entries_.push_back({position, bytes, now});
  bytes_ += bytes;
}

void tail_core::committed(model::log_position position, boot_time now) {
  // It is the newest or close to it.
  for (auto each = entries_.rbegin(); each != entries_.rend(); ++each) {
    if (each->position < position) return;
    if (each->position == position) each->since = now;
  }
}

std::size_t tail_core::due(boot_time now) const {
  std::size_t count = 0;
  auto bytes = bytes_;
  for (; count + 1 < entries_.size(); ++count) {
    const auto& oldest = entries_[count];
    const auto least = bytes > rules_.bytes_max ? rules_.synced_after : rules_.age_min;
    if (now - oldest.since < least) break;
    bytes -= oldest.bytes;
  }
  return count;
}

void tail_core::drop(std::size_t count) {
  ARGOSY_CHECK(count <= entries_.size());
  for (; count > 0; --count) {
    bytes_ -= entries_.front().bytes;
    entries_.pop_front();
  }
}

}  // namespace argosy::eventlog
