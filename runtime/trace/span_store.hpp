// SPDX-License-Identifier: Apache-2.0
// The flight recorder: the last N finished spans, found by trace. Not thread-safe.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "runtime/trace/finished_span.hpp"

namespace argosy::trace {

class span_store {
 public:
  /// `capacity` must be at least 1. When the store is full, the oldest span gives way.
  explicit span_store(std::size_t capacity);

  void add(finished_span span);

  /// All that is left of a trace, in the order of their start; empty when unknown.
  [[nodiscard]] std::vector<finished_span> of_trace(const trace_id& trace) const;

  /// Spans added after `cursor` (0 at first), at most `limit`, oldest first; moves the cursor on.
  /// Spans that gave way before they were read are skipped.
  [[nodiscard]] std::vector<finished_span> after(std::uint64_t& cursor, std::size_t limit) const;

  void set_capacity(std::size_t capacity);
  void clear();

  [[nodiscard]] std::size_t size() const noexcept { return spans_.size(); }
  /// How many spans were ever added.
  [[nodiscard]] std::uint64_t added() const noexcept { return first_ + spans_.size(); }

 private:
  void drop_oldest();

  std::size_t capacity_;
  std::deque<finished_span> spans_;
  /// The running number of spans_.front().
  std::uint64_t first_ = 0;
  /// The running numbers of each trace's spans, ascending.
  absl::flat_hash_map<trace_id, std::deque<std::uint64_t>, std::hash<trace_id>> by_trace_;
};

}  // namespace argosy::trace
