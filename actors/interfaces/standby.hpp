// SPDX-License-Identifier: Apache-2.0
// The STANDBY, which a process has while it does not lead, asks who does, keeps the store as far as
// the leader has come, and finds out when this process may claim the lead.
#pragma once

#include "actors/interfaces/bus.hpp"
#include "actors/interfaces/status.hpp"
#include "runtime/ledger/candidate_core.hpp"
#include "runtime/ledger/claim_policy.hpp"

namespace argosy::native {

/// The report says how the question who leads was answered.
struct lead_report {
  /// It is empty while this process has no connection.
  std::optional<ledger::lead_answer> answer;
  ledger::leader_standing standing;  ///< The leader gave it, if one answered.
};

}  // namespace argosy::native

namespace argosy::actors {

using standby_actor = caf::typed_actor<caf::reacts_to<atom::respond, native::lead_report>,
                                       // Goes on with what the leader has told of.
                                       caf::reacts_to<atom::read_log>,
                                       caf::reacts_to<atom::tick, model::timer_generation>,
                                       // Another plane asks for the lead, or answers.
                                       caf::reacts_to<atom::bind, native::frame_ptr, bool>,
                                       // Ends the actor; nothing is told any more.
                                       caf::reacts_to<atom::shutdown>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::lead_report)
