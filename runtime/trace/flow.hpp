// SPDX-License-Identifier: Apache-2.0
// This file tells who sent what to whom, by actor type: the counters behind the message-flow
// graph and the actor metrics. Counts are totals since the process started (or tracing was first
// switched on).
#pragma once

#include <cstdint>
#include <string>

#include "runtime/trace/histogram.hpp"

namespace argosy::trace {

struct flow_edge {
  /// The sending actor type; empty when the message came from outside of actors (bus, timer, main).
  std::string from;
  std::string to;
  /// The message's atom or type; replies are written "reply NAME".
  std::string message;
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  /// The number of messages destroyed unhandled, since the receiver ended.
  std::uint64_t dropped = 0;
  /// The number of messages whose handler threw.
  std::uint64_t failed = 0;
  /// The deepest mailbox that such a message met when it was taken out, itself included.
  std::uint64_t depth_max = 0;
  histogram wait;
  histogram processing;

  /// The number of messages that lie in mailboxes now; approximate while threads run.
  [[nodiscard]] std::uint64_t waiting() const noexcept {
    const auto gone = handled + dropped;
    return sent > gone ? sent - gone : 0;
  }
};

}  // namespace argosy::trace
