// SPDX-License-Identifier: Apache-2.0
// RETENTION, of which a process has one, looks from time to time whether the store keeps something
// for longer than it should, and lets it expire by an event of the log.
#pragma once

#include "actors/interfaces/status.hpp"
#include "runtime/ledger/retention.hpp"

namespace argosy::actors {

using retention_actor = caf::typed_actor<
    // Looks now, and again after the period; the number is the timer's generation.
    caf::reacts_to<atom::tick, model::timer_generation>,
    // Goes by these spans from now on.
    caf::reacts_to<atom::settings, ledger::retention_config>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::ledger::retention_config)
