// SPDX-License-Identifier: Apache-2.0
// An executor_proxy is the EXECUTOR of a remote agent, as its CLUSTER sees it. It carries orders
// and requests for output over the bus to argosy.agent.<cluster>.<process>.<what>.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "actors/interfaces/bus.hpp"
#include "actors/interfaces/executor.hpp"
#include "actors/spawn.hpp"
#include "messages/codec/agent/agent_codec.hpp"
#include "runtime/access/order_key.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

struct executor_proxy_config {
  model::cluster_name cluster;
  bus_actor bus;
  std::chrono::milliseconds timeout{10'000};
  std::size_t part_bytes_max = codec::frame_part_bytes;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
  model::agent_process process{};                ///< model::cluster_info::process of the agent
  std::optional<access::order_signer> signer{};  ///< Nothing: orders are not signed.
};

remote_executor_actor spawn_executor_proxy(caf::actor_system& system, executor_proxy_config config);

}  // namespace argosy::actors
