// SPDX-License-Identifier: Apache-2.0
// What every plan must keep, asked of the plan and of the world that it was made for. What the
// round did to its space is not read: a mistake in the engine's books must not excuse itself.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <string>

#include "runtime/scheduling/engine/nodes/space.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling::engine {

/// The first rule that the plan breaks, as a sentence; empty if there is none. Jobs that the plan
/// does not name stay where they run. Costs a look at each decision, at the gangs among them and at
/// each node that gets more than it loses.
/// `nodes` and `pool` are those of the round. `may_overcommit` tells of which nodes preset
/// `current` is known to give more than there is; it is asked only about nodes that were given too
/// much.
[[nodiscard]] std::string find_violation(const plan& made, const space& nodes, std::uint32_t pool,
                                         absl::FunctionRef<bool(std::uint32_t)> may_overcommit);

/// Takes all decisions out of the plan and leaves why.
void discard(plan& made, std::string violation);

}  // namespace argosy::scheduling::engine
