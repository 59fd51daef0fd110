// SPDX-License-Identifier: Apache-2.0
// This file declares the one question that every actor of the system answers, whatever else it
// does.
#pragma once

#include "actors/interfaces/fwd.hpp"
#include "runtime/metrics/family.hpp"

namespace argosy::actors {

/// Answers what the actor does now, in a few figures. It costs the actor no more than a few
/// microseconds and has no side effect.
using answers_status = caf::replies_to<atom::status, atom::figures>::with<metrics::figure_list>;

/// Any actor, to whoever wants nothing else of it.
using status_actor = caf::typed_actor<answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::metrics::figure_list)
