// SPDX-License-Identifier: Apache-2.0
// This file declares the steps of a job's story that concern one run: its lease, its life at the
// backend and its end. EXECUTORs record the run itself, QUEUEs the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/native/job_trace.hpp"
#include "runtime/ledger/queue/queue_command.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::native {

/// The step from the submission of the job to its lease in this round. Times are Unix time in
/// nanoseconds.
[[nodiscard]] job_span lease_span(const ledger::placed_run& run, std::uint64_t round,
                                  std::string actor, std::int64_t now_ns);

/// The step from the start of the run, or from `end` if it never started, to `end`, its last event.
[[nodiscard]] job_span run_span(const model::agent_run& run, const model::run_event& end,
                                std::string actor);

/// The step from the end of the run to now, when its queue heard of it.
[[nodiscard]] job_span end_span(const model::run_report& report, const model::queue_name& queue,
                                std::string actor, std::int64_t now_ns);

/// Records the end_span() of every report that says that a run has ended.
void record_ends(const std::vector<model::run_report>& reports, const model::queue_name& queue,
                 const std::string& actor, std::int64_t now_ns);

}  // namespace argosy::native
