// SPDX-License-Identifier: Apache-2.0
// This file declares how a CLUSTER is configured and spawned; its interface lists its
// messages. The rules are in ledger::cluster_core.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/spawn.hpp"
#include "messages/native/contact_board.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/node_core.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::actors {

struct cluster_actor_config {
  /// The core as recovery restored it, or a new one for a cluster that says its first hello.
  std::shared_ptr<ledger::cluster_core> core;
  /// The claim under which this process leads; its epoch must not be 0.
  model::leadership by;
  ledger::node_config node_rules;
  /// The priority classes whose runs may be preempted.
  std::vector<std::string> preemptible_classes;
  root_actor root;
  journal_actor journal;
  coordinator_actor coordinator;
  const clock_source* clock = nullptr;
  /// Counts what waits for the log, and says whether it takes more.
  std::shared_ptr<eventlog::log_load> load;
  std::shared_ptr<native::contact_board> contacts;
  /// After so many bytes a change of the nodes goes on in another record of the log.
  std::size_t part_bytes_max = 256 * 1024;
  std::chrono::milliseconds tick_period{1'000};
  /// The CLUSTER ends when nothing has been known of its cluster for this long.
  std::chrono::milliseconds unknown_max{60'000};
  std::chrono::milliseconds request_timeout = model::request_timeout_default;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

[[nodiscard]] result<void> validate(const cluster_actor_config& config);

/// The configuration must be valid.
cluster_actor spawn_cluster(caf::actor_system& system, cluster_actor_config config);

}  // namespace argosy::actors
