// SPDX-License-Identifier: Apache-2.0
// How a log line looks: pure functions. No control character of a message or value reaches the
// output; bytes that are not UTF-8 are replaced.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::logging {

struct line {
  wall_time time;
  level severity = level::info;
  std::string_view component;
  std::string_view message;
  std::span<const field> fields;
  /// The trace id in hex digits, or empty.
  std::string trace;
  std::string span;
  /// "journal.cpp:42".
  std::string source;
  /// The number of lines of this call site that were left out before this one.
  std::uint64_t suppressed = 0;
};

/// "2026-01-31T12:00:00.123Z INFO    journal: batch committed events=3"; no line feed. With
/// `colour` the level is coloured for a terminal.
[[nodiscard]] std::string text_line(const line& entry, bool colour);

/// One JSON object; no line feed.
[[nodiscard]] std::string json_line(const line& entry);

/// A JSON string with its quotes.
[[nodiscard]] std::string json_text(std::string_view text);

/// A text with control characters written as \n, \t or \x1b and a backslash doubled.
[[nodiscard]] std::string escape(std::string_view text);

/// "2026-01-31T12:00:00.123Z".
[[nodiscard]] std::string utc_text(wall_time time);

}  // namespace argosy::logging
