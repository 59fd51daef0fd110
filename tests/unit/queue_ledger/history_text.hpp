// SPDX-License-Identifier: Apache-2.0
// This file declares changes and cores as text, by which an observer compares two of them.
#pragma once

#include <string>

#include "runtime/ledger/queue/queue_core.hpp"

namespace argosy::ledger {

/// One line for a job.
std::string describe(const model::job_record& record);

/// One line for a change, with everything that is stored by it.
std::string describe(const change& what);

/// The whole observable state: settings, jobs, job sets, gangs, counts.
std::string describe(const queue_core& core);

}  // namespace argosy::ledger
