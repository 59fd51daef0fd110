// SPDX-License-Identifier: Apache-2.0
// Runs that say nothing of their job, since a cluster takes nobody's runs, or since their gang came
// back. They count nowhere, so that a job may have any number of them, of which few keep a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/model/job.hpp"

namespace argosy::ledger {

/// The last run of the job has come back: leaves out one of those in vain that end the list, if the
/// one before it is of the same cluster and reason, or if they are many.
void leave_out_runs(model::job_record& record);

/// How many runs right before the one at this place of the list were left out.
[[nodiscard]] std::uint32_t left_out_before(const model::job_record& record,
                                            std::size_t run) noexcept;
/// The same as a sentence; empty if there are none.
[[nodiscard]] std::string note_left_out(const model::job_record& record, std::size_t run);

}  // namespace argosy::ledger
