// SPDX-License-Identifier: Apache-2.0
// The EXPLAINER answers questions about rounds from a view of its own. An answer may look at all
// nodes: spawn it detached.
#pragma once

#include "actors/interfaces/rounds/explainer.hpp"
#include "actors/rounds/round_rules.hpp"
#include "actors/spawn.hpp"
#include "runtime/ledger/queue/queue_command.hpp"

namespace argosy::actors {

struct explainer_config {
  std::shared_ptr<const scheduling::config> scheduling;
  round_rules rules;
  ledger::unfit_rules unfit;
};

/// The configuration must be valid.
explainer_actor spawn_explainer(caf::actor_system& system, explainer_config config, run_on where);

}  // namespace argosy::actors
