// SPDX-License-Identifier: Apache-2.0
// A cluster_proxy is the CLUSTER as a remote agent's EXECUTOR sees it. It carries what the agent
// says over the bus to argosy.agent.<cluster>.<what>, long hellos in parts, and hands orders and
// requests for output that come over the bus to the EXECUTOR that said hello.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "actors/interfaces/bus.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "actors/spawn.hpp"
#include "messages/codec/agent/agent_codec.hpp"
#include "runtime/access/order_key.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

struct cluster_proxy_config {
  model::cluster_name cluster;
  bus_actor bus;
  std::chrono::milliseconds timeout{10'000};
  /// How many requests of the control plane may be unanswered at a time.
  std::uint32_t requests_max = 256;
  std::size_t part_bytes_max = codec::frame_part_bytes;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
  model::agent_process process;  ///< model::cluster_info::process
  /// Whose orders are obeyed. Nothing: those of everybody who may publish on the agent's subjects.
  std::optional<access::order_checker> checker{};
};

using remote_cluster_actor =
    cluster_session_actor::extend<caf::reacts_to<atom::frame, native::frame_ptr>, answers_status>;

remote_cluster_actor spawn_cluster_proxy(caf::actor_system& system, cluster_proxy_config config);

}  // namespace argosy::actors
