// SPDX-License-Identifier: Apache-2.0
// This file declares how the record of an operation names the jobs that a command is about.
#pragma once

#include "runtime/ledger/queue/queue_command.hpp"

namespace argosy::ledger {

/// The selection that the operation was asked for. It does not name single jobs.
[[nodiscard]] job_selection selection_of(const model::operation& of);
/// Says in the operation which jobs are meant; ids are left out.
void describe(const job_selection& which, model::operation& out);

}  // namespace argosy::ledger
