// SPDX-License-Identifier: Apache-2.0
// The report on the last rounds as text for people. Nothing parses it, so that its words may
// change.
#pragma once

#include <cstdint>
#include <string>

#include "messages/native/round_report.hpp"

namespace argosy::rounds {

struct report_wish {
  model::queue_name queue;     ///< Only this queue; empty: all queues.
  std::int32_t verbosity = 0;  ///< Above 0 each queue is told, above 1 what it uses as well.
  std::int64_t now_ns = 0;     ///< Unix time.
};

/// A part for each pool: which round was the last, what it did, what is in use, and for each queue
/// its shares and what stopped it. With a queue in the wish, its lines are always there.
[[nodiscard]] std::string scheduling_report(const native::round_report& rounds,
                                            const report_wish& wish);

}  // namespace argosy::rounds
