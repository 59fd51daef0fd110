// SPDX-License-Identifier: Apache-2.0
// A ROUND computes plans, each for as long as it takes: spawn it detached. It ends with its owner.
#pragma once

#include "actors/interfaces/rounds/round.hpp"
#include "actors/rounds/round_rules.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::actors {

struct round_config {
  caf::actor_addr owner;
  round_rules rules;
  const clock_source* clock = nullptr;  ///< By which draws end; null: they take their time.
};

/// The configuration must be valid.
round_actor spawn_round(caf::actor_system& system, round_config config, run_on where);

}  // namespace argosy::actors
