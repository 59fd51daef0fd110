// SPDX-License-Identifier: Apache-2.0
// This file declares how a QUEUE decides a change of very many jobs part by part, and what the log
// is told of it as an operation.
#pragma once

#include <functional>
#include <optional>

#include "messages/native/queue.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/ledger/queue/queue_core.hpp"

namespace argosy::actors {

/// Decides what becomes of some of the jobs of a change.
using decide_part =
    std::function<ledger::decision<ledger::selection_reply>(const ledger::job_selection&)>;

// How the jobs of a part are cancelled, preempted, reprioritised, held or released. The core and
// the clock must outlive what is returned.
[[nodiscard]] decide_part decider(const ledger::queue_core& core, const clock_source& clock,
                                  const native::cancel_request& wanted);
[[nodiscard]] decide_part decider(const ledger::queue_core& core, const clock_source& clock,
                                  const native::reprioritize_request& wanted);
[[nodiscard]] decide_part decider(const ledger::queue_core& core, const clock_source& clock,
                                  const native::hold_request& wanted);
/// The same for an operation that another process has begun.
[[nodiscard]] decide_part decider(const ledger::queue_core& core, const clock_source& clock,
                                  const model::operation& begun);

// The operation that begins with the request if it changes very many jobs. Nothing is recorded of a
// request that names its jobs one by one, or has no id for an operation: nobody could go on with
// it.
[[nodiscard]] std::optional<model::operation> operation_of(const native::cancel_request& wanted);
[[nodiscard]] std::optional<model::operation> operation_of(
    const native::reprioritize_request& wanted);
[[nodiscard]] std::optional<model::operation> operation_of(const native::hold_request& wanted);

}  // namespace argosy::actors
