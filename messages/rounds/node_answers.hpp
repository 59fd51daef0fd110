// SPDX-License-Identifier: Apache-2.0
// This file declares what is said of one node to those who ask why a job does not run there, or
// what could. The EXPLAINER, which owns a snapshot, calls it; it knows no actor.
#pragma once

#include "messages/native/round_report.hpp"
#include "messages/rounds/round_history.hpp"

namespace argosy::rounds {

/// What the node is to the job, with what the last round of the node's pool said of it. The
/// snapshot must be settled, here and below.
[[nodiscard]] native::job_on_node answer(const round_history& history, const delta_fold& fold,
                                         const native::job_on_node_question& question);

/// Which waiting jobs the node could run. It looks at 100,000 jobs at most.
[[nodiscard]] native::node_answer answer(const round_history& history, const delta_fold& fold,
                                         const native::node_question& question);

}  // namespace argosy::rounds
