// SPDX-License-Identifier: Apache-2.0
// A ROUND computes one plan and ends. It computes for as long as it takes: spawn it detached.
#pragma once

#include "actors/interfaces/rounds/round.hpp"
#include "actors/rounds/round_rules.hpp"
#include "actors/spawn.hpp"

namespace argosy::actors {

struct round_config {
  std::uint64_t number = 0;  ///< The number of the round, which names it in log lines.
  round_rules rules;
};

/// The configuration must be valid.
round_actor spawn_round(caf::actor_system& system, round_config config, run_on where);

}  // namespace argosy::actors
