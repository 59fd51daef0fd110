// SPDX-License-Identifier: Apache-2.0
// Why a run comes back, by the word with which its agent ended it. Pure.
#pragma once

#include <optional>

#include "runtime/model/agent.hpp"
#include "runtime/model/event.hpp"
#include "runtime/model/job.hpp"

namespace argosy::ledger {

/// The cause for which the run of the report comes back; nothing: its job fails. Whatever keeps a
/// run from beginning and has no row may be the fault of its job.
[[nodiscard]] std::optional<model::return_cause> return_cause_of(const model::run_report& report,
                                                                 const model::job_record& record);

/// Whether its user says on which nodes the job may run. That it avoids some since a run came back
/// from there is no such word.
[[nodiscard]] bool names_nodes(const model::job_shape& shape);

/// Whether the run was ended by somebody else than its job and its user.
[[nodiscard]] bool is_disruption(const model::run_report& report);

/// Whether the cluster refused this one run, which another cluster may take.
[[nodiscard]] bool is_refusal_of_run(const model::run_report& report);

}  // namespace argosy::ledger
