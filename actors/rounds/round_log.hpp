// SPDX-License-Identifier: Apache-2.0
// This file declares how the COORDINATOR has a decided round recorded in the log.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/interfaces/rounds/round.hpp"
#include "actors/rounds/coordinator.hpp"
#include "runtime/model/event.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::actors {

/// What a record says of a round besides its request and its plan.
struct round_facts {
  std::uint64_t number = 0;
  model::log_position snapshot;  ///< Up to where the snapshot had heard of the log.
  std::int64_t duration_ns = 0;
  std::vector<model::carried_entry> carried;  ///< What later rounds take over.
};

/// Appends the record. A record that cannot be written is only logged: the round stands by the
/// leases of its plan.
void append_round(coordinator_actor::base& self, const coordinator_config& config,
                  const native::round_request& request, const scheduling::plan& plan,
                  round_facts facts);

}  // namespace argosy::actors
