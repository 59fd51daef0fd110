// SPDX-License-Identifier: Apache-2.0
// Takes a plan apart into the part of each queue. It knows no actor.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "messages/native/queue.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::rounds {

/// What each queue is asked to do. `snapshot` is the one that the plan was made from.
[[nodiscard]] std::map<model::queue_name, std::shared_ptr<ledger::place_request>> split_plan(
    const scheduling::plan& plan, const scheduling::snapshot& snapshot,
    const model::pool_name& pool, std::uint64_t round);

}  // namespace argosy::rounds
