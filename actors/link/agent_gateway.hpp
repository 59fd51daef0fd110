// SPDX-License-Identifier: Apache-2.0
// The AGENT_GATEWAY turns the requests of remote agents into messages to their CLUSTERs, and gives
// each CLUSTER a proxy that carries its orders to the agent.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "actors/interfaces/bus.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/interfaces/tracer.hpp"
#include "actors/spawn.hpp"
#include "runtime/access/order_key.hpp"
#include "runtime/ledger/cluster/cluster_effect.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::actors {

struct agent_gateway_config {
  bus_actor bus;
  root_actor root;
  tracer_actor tracer;
  /// The claim under which this process leads. Hellos of unknown clusters are answered with it.
  model::leadership by;
  ledger::cluster_config cluster_rules;
  std::uint32_t requests_max = 1024;  ///< How many requests may be unanswered at a time.
  std::chrono::milliseconds request_timeout = model::request_timeout_default;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
  std::optional<access::order_signer> signer{};  ///< Nothing: orders are not signed.
};

/// Spawns the AGENT_GATEWAY, which itself asks the BUS for the subjects argosy.agent.*.*.
gateway_actor spawn_agent_gateway(caf::actor_system& system, agent_gateway_config config);

}  // namespace argosy::actors
