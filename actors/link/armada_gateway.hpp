// SPDX-License-Identifier: Apache-2.0
// This file declares how the ARMADA_GATEWAY is configured and spawned; its interface lists its
// messages. The rules are in ledger::armada_core, of which it has one for each executor.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "actors/interfaces/armada_gateway.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/ledger/armada/armada_rules.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::actors {

struct armada_gateway_config {
  root_actor root;
  const clock_source* clock = nullptr;
  std::vector<ledger::armada_cluster> clusters;  ///< All others are refused.
  std::vector<std::string> preemptible_classes;
  std::vector<std::string> floating_resources;  ///< No node has them.
  std::chrono::milliseconds request_timeout = model::request_timeout_default;
};

armada_gateway_actor spawn_armada_gateway(caf::actor_system& system, armada_gateway_config config);

}  // namespace argosy::actors
