// SPDX-License-Identifier: Apache-2.0
// The report on one job as text for people. Nothing parses it, so that its words may change.
#pragma once

#include <cstdint>
#include <string>

#include "messages/native/coordinator.hpp"
#include "runtime/model/job.hpp"

namespace argosy::rounds {

/// The verdict in one sentence, and then: for a job that waits its place, who is before it, what
/// stands in its way in each pool with counts, and what would have to change; for one that runs
/// where and since when; for one that was preempted by whom; for one that ended how. `waiting` is
/// only read for a job that waits. `now_ns` is Unix time.
[[nodiscard]] std::string job_report(const model::job_record& job,
                                     const native::placement_report& waiting, std::int64_t now_ns);

}  // namespace argosy::rounds
