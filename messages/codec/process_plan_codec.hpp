// SPDX-License-Identifier: Apache-2.0
// Derives from a job's specification what running it as one process needs.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"
#include "runtime/model/process_plan.hpp"

namespace argosy::codec {

/// Command, environment and identity as Kubernetes would give them to the container: `$(NAME)` in
/// command, args and values stands for a variable defined before, `$$` for a dollar sign. Adds
/// ARGOSY_JOB_ID, ARGOSY_RUN, ARGOSY_QUEUE, ARGOSY_JOB_SET and those of the gang, and the same
/// under Armada's names. Where containers are wanted, a pod with images becomes those. `obstacle`
/// names what a process cannot do. If the plan is wanted for its annotations alone, all else in it
/// stays empty. ec::corrupt when the specification does not decode.
[[nodiscard]] result<model::process_plan> decode_process_plan(
    const model::start_run& order, model::plan_contents wanted = model::plan_contents::whole);

}  // namespace argosy::codec
