// SPDX-License-Identifier: Apache-2.0
// The return of victims to room that nobody took.
#pragma once

#include <vector>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/steps/decisions.hpp"
#include "runtime/scheduling/engine/steps/evictor.hpp"
#include "runtime/scheduling/engine/steps/preemption_budget.hpp"
#include "runtime/scheduling/engine/steps/trial.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

/// Brings evicted jobs back for which there is room on their nodes, whole gangs at a time, the best
/// entitled ones first. `untouched` are those that would have been back before all others.
void bring_back(world& w, books& sums, trial& under_way, decisions& noted,
                preemption_budget& budget, const std::vector<untouched_jobs>& untouched);

}  // namespace argosy::scheduling::engine
