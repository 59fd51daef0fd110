// SPDX-License-Identifier: Apache-2.0
// The LEADER, of which a process has one, claims the epoch, watches whether the process is still
// fit to lead, and makes it stand down when it is not.
#pragma once

#include "actors/interfaces/status.hpp"

namespace argosy::actors {

using leader_actor = caf::typed_actor<
    // Claims epoch + 1 through the JOURNAL; answers the epoch. ec::fenced: another leads.
    caf::replies_to<atom::claim>::with<model::epoch>,
    // Says that the JOURNAL or the STORE cannot go on.
    caf::reacts_to<atom::stand_down, std::string>,
    // Says that an agent of this control plane has seen this epoch, which is above ours.
    caf::reacts_to<atom::verify, model::epoch>, caf::reacts_to<atom::tick, model::timer_generation>,
    // Answers the epoch that this process holds; 0 when it does not lead.
    caf::replies_to<atom::status>::with<model::epoch>, answers_status>;

}  // namespace argosy::actors
