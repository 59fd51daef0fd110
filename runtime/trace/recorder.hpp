// SPDX-License-Identifier: Apache-2.0
// The process's recorder. Hot paths (note_*) touch only their own thread's memory: counters by
// edge, and a ring of span records that drain() moves into the flight recorder. A full ring is
// drained by its own thread, so that nothing is lost where nobody else drains. Every function may
// be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/trace/context.hpp"
#include "runtime/trace/finished_span.hpp"
#include "runtime/trace/flow.hpp"

namespace argosy::trace {

/// Stands for a name that is kept for the life of the process; 0 is the empty name.
using name_id = std::uint16_t;

/// The same name gives the same id. Past 65,000 names all others share one, "other".
[[nodiscard]] name_id intern(std::string_view name);
[[nodiscard]] std::string name_of(name_id id);

namespace detail {
extern std::atomic<bool> switched_on;
}

/// Whether messages are recorded. They are at first.
[[nodiscard]] inline bool enabled() noexcept {
  return detail::switched_on.load(std::memory_order_relaxed);
}
void set_enabled(bool on) noexcept;

/// The name under which this process's spans appear.
void set_process_name(std::string name);

/// How many spans the flight recorder keeps, and how many bytes they may take; 65,536 and 64 MiB at
/// first.
void set_span_capacity(std::size_t spans, std::size_t bytes = std::size_t{64} << 20);

/// The recorder's monotonic clock, in nanoseconds.
[[nodiscard]] std::int64_t now_nanos() noexcept;

/// Converts a time of now_nanos() to nanoseconds since the Unix epoch, by the present difference of
/// the two clocks.
[[nodiscard]] std::int64_t to_wall_nanos(std::int64_t nanos) noexcept;

/// Replaces the clock of now_nanos(), for tests and the simulator; then it is also the wall clock.
/// Null restores the real clocks.
void set_time_source(std::int64_t (*source)() noexcept) noexcept;

/// One kind of message between two actor types.
struct edge {
  name_id from = 0;
  name_id to = 0;
  name_id message = 0;
};

/// A message whose handler returned. Times are now_nanos().
struct handled_message {
  edge kind;
  /// The handler's own context; its parent is the context at the time of sending.
  context ctx;
  span_id parent = 0;
  std::uint64_t instance = 0;
  std::int64_t enqueued_nanos = 0;
  std::int64_t begun_nanos = 0;
  std::int64_t ended_nanos = 0;
  std::uint64_t depth = 0;
  bool failed = false;
};

void note_sent(const edge& kind) noexcept;
void note_dropped(const edge& kind) noexcept;
/// Counts always; records a span if the context is valid and sampled.
void note_handled(const handled_message& message);

/// Adds a span: an explicit one of this process (an empty process name is filled in), or one that
/// arrived from another.
void add_span(finished_span span);

/// Moves what the threads' rings hold into the flight recorder.
void drain();

/// What the flight recorder holds of a trace, in the order of sending. Drains first.
[[nodiscard]] std::vector<finished_span> spans_of(const trace_id& trace);

/// Spans recorded after `cursor`, which starts at 0 and is moved on; for shipping them elsewhere.
[[nodiscard]] std::vector<finished_span> spans_after(std::uint64_t& cursor, std::size_t limit);

/// The spans that ended in the last time; all that are there if no time is given.
[[nodiscard]] std::vector<finished_span> recent_spans(
    std::chrono::nanoseconds last = std::chrono::nanoseconds::max());

/// The counters of all threads, one entry for each edge, ordered by names.
[[nodiscard]] std::vector<flow_edge> flow();

/// How many spans the flight recorder holds. What threads have not handed over yet is not counted.
[[nodiscard]] std::size_t spans_kept();
/// About how many bytes these take.
[[nodiscard]] std::size_t span_bytes_kept();
/// How many spans the flight recorder has dropped, to keep newer ones or since they were too large.
[[nodiscard]] std::uint64_t spans_dropped();

/// Spans lost because a ring was full while another thread drained.
[[nodiscard]] std::uint64_t spans_lost() noexcept;

/// Forgets spans and counters, so that each test starts from nothing. No other thread may record.
void reset();

}  // namespace argosy::trace
