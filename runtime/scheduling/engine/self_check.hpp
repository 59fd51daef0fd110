// SPDX-License-Identifier: Apache-2.0
// The rules that every plan must keep, checked on the plan and on the snapshot that it was made
// for. What the round did is not read, since a mistake in its books would then hide itself.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <string>

#include "runtime/scheduling/engine/nodes/node_columns.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling::engine {

/// The first rule that the plan breaks, as a sentence; empty if there is none. Jobs that the plan
/// does not name stay where they run. The cost grows with the decisions, the gangs among them, and
/// the nodes that get more than they lose. `nodes` are those of the round.
/// `may_overcommit` tells for which nodes preset `current` is known to give out more than there is;
/// it is asked only about nodes that were given too much.
[[nodiscard]] std::string find_violation(const plan& made, const node_columns& nodes,
                                         absl::FunctionRef<bool(std::uint32_t)> may_overcommit);

/// Takes all decisions out of the plan and sets its `violation`.
void discard(plan& made, std::string violation);

}  // namespace argosy::scheduling::engine
