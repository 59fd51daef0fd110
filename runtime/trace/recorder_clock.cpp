// SPDX-License-Identifier: Apache-2.0
// This file defines the clocks of the recorder: the time of spans, which tests may replace, and
// what it is in Unix time.
#include <atomic>
#include <chrono>

#include "runtime/trace/recorder.hpp"

namespace argosy::trace {

namespace {

std::atomic<std::int64_t (*)() noexcept> time_source{nullptr};

std::int64_t monotonic_nanos() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// What to add to now_nanos() to get nanoseconds since the Unix epoch.
std::int64_t wall_offset() noexcept {
  if (time_source.load(std::memory_order_relaxed) != nullptr) return 0;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
             .count() -
         monotonic_nanos();
}

}  // namespace

std::int64_t now_nanos() noexcept {
  const auto source = time_source.load(std::memory_order_relaxed);
  return source != nullptr ? source() : monotonic_nanos();
}

std::int64_t to_wall_nanos(std::int64_t nanos) noexcept {
  return nanos + wall_offset();
}

void set_time_source(std::int64_t (*source)() noexcept) noexcept {
  time_source.store(source, std::memory_order_relaxed);
}

}  // namespace argosy::trace
