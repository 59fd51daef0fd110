// SPDX-License-Identifier: Apache-2.0
// This file declares how a NODE is configured and spawned; its interface lists its
// messages. The rules are in ledger::node_core.
#pragma once

#include <memory>
#include <string>

#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/interfaces/state/node.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/ledger/node_core.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

struct node_actor_config {
  model::cluster_name cluster;
  model::pool_name pool;
  ledger::node_config rules;
  coordinator_actor coordinator;
  const clock_source* clock = nullptr;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
  cluster_actor parent{};  ///< Hears of quarantines; null: nobody does.
};

/// The configuration must be valid.
node_actor spawn_node(caf::actor_system& system, node_actor_config config);

}  // namespace argosy::actors
