// SPDX-License-Identifier: Apache-2.0
// The flight recorder: the last finished spans, found by trace, as many as fit into a number and
// into a number of bytes. Not thread-safe.
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
  /// How many spans are kept, and how many bytes they may take. When either is reached, the oldest
  /// give way.
  struct limits {
    std::size_t spans = 65'536;  ///< At least 1.
    std::size_t bytes = std::size_t{64} << 20;
  };
  explicit span_store(limits most);

  /// A span that takes more than all may take is not kept.
  void add(finished_span span);

  /// All that is left of a trace and of those that its spans have caused by links, in the order of
  /// their start; empty when unknown.
  [[nodiscard]] std::vector<finished_span> of_trace(const trace_id& trace) const;

  /// Spans added after `cursor` (0 at first), at most `limit`, oldest first; moves the cursor on.
  /// Spans that gave way before they were read are skipped.
  [[nodiscard]] std::vector<finished_span> after(std::uint64_t& cursor, std::size_t limit) const;

  void set_limits(limits most);
  void clear();

  [[nodiscard]] std::size_t size() const noexcept { return spans_.size(); }
  /// About how many bytes they take.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// How many spans gave way to others, or were not kept since they were too large.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  /// How many spans were ever kept.
  [[nodiscard]] std::uint64_t added() const noexcept { return first_ + spans_.size(); }

 private:
  void drop_oldest();

  limits most_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
  std::deque<finished_span> spans_;
  /// The running number of spans_.front().
  std::uint64_t first_ = 0;
  /// The running numbers of each trace's spans, ascending.
  absl::flat_hash_map<trace_id, std::deque<std::uint64_t>, std::hash<trace_id>> by_trace_;
  /// The traces that each trace has caused by links, as often as a span says so.
  absl::flat_hash_map<trace_id, std::vector<trace_id>, std::hash<trace_id>> caused_;
};

}  // namespace argosy::trace
