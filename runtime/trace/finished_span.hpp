// SPDX-License-Identifier: Apache-2.0
// A span that ended: a message that an actor handled, or something explicit such as a command, a
// process run or a bus request. Plain data; the wire form is defined where messages are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/trace/context.hpp"

namespace argosy::trace {

struct attribute {
  std::string key;
  std::string value;

  friend bool operator==(const attribute&, const attribute&) = default;
};

struct finished_span {
  trace_id trace;
  span_id span = 0;
  /// 0 for the first span of a trace.
  span_id parent = 0;
  /// The step of another trace that caused this one, the first of its own; invalid for all others.
  context link{};
  /// The name of the message, or of what was done: "submit", "publish argosy.log".
  std::string name;
  /// The actor type ("argosy.queue") or component that did it.
  std::string actor;
  /// The actor's id within its process; 0 outside of actors.
  std::uint64_t instance = 0;
  /// The program, and the cluster where there are several: "argosyd", "argosy-agent/local".
  std::string process;
  /// When the work began, after any wait; nanoseconds since the Unix epoch.
  std::int64_t start_nanos = 0;
  /// How long the message lay in the mailbox before that; 0 for explicit spans.
  std::int64_t wait_nanos = 0;
  std::int64_t duration_nanos = 0;
  /// Whether the handler threw or the operation was marked as failed.
  bool failed = false;
  std::vector<attribute> attributes;

  friend bool operator==(const finished_span&, const finished_span&) = default;
  [[nodiscard]] std::int64_t end_nanos() const noexcept { return start_nanos + duration_nanos; }
};

}  // namespace argosy::trace
