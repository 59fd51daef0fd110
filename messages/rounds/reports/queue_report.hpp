// SPDX-License-Identifier: Apache-2.0
// The report on one queue as text for people. Nothing parses it, so that its words may change.
#pragma once

#include <cstdint>
#include <string>

#include "messages/native/queue.hpp"
#include "messages/native/round_report.hpp"

namespace argosy::rounds {

/// What the queue has, what it is due and wants in each pool, its limits, and what stopped its jobs
/// in the last rounds. Above a verbosity of 0 it also tells the rounds themselves and what the
/// queue uses. `now_ns` is Unix time.
[[nodiscard]] std::string queue_report(const native::queue_status& queue,
                                       const native::round_report& rounds, std::int32_t verbosity,
                                       std::int64_t now_ns);

}  // namespace argosy::rounds
