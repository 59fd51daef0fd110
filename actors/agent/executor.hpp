// SPDX-License-Identifier: Apache-2.0
// This file declares how the EXECUTOR is configured and spawned; its interface lists its
// messages. The rules are in ledger::executor_core, and the
// EXECUTOR_STORE writes what the core decides before it happens. The EXECUTOR owns the backend.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "actors/agent/executor_store.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "actors/spawn.hpp"
#include "runtime/backends/backend.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/agent/executor_core.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

struct executor_actor_config {
  /// The cluster; its incarnation is taken from `memory`.
  model::cluster_info cluster;
  /// The EXECUTOR calls this once. The backend may send its events from any thread.
  std::function<result<std::unique_ptr<backends::backend>>(backends::event_sink)> make_backend;
  /// The agent's facts, runs and reports from before, as load_executor() read them from its store.
  executor_memory memory;
  executor_store_actor store;
  cluster_session_actor session;  ///< The CLUSTER, or a proxy of it.
  const clock_source* clock = nullptr;
  ledger::executor_config rules;
  std::chrono::milliseconds request_timeout{10'000};
  std::chrono::milliseconds store_timeout{30'000};
  /// How long a shutdown waits for stopped runs, and for the control plane.
  std::chrono::milliseconds stop_deadline{2'000};
  /// This is called once a hello was answered and the backend knows its runs.
  std::function<void()> on_ready;
  /// This says what the connection to the control plane is refused, which counts as trouble of the
  /// backend. The EXECUTOR calls it at each heartbeat at least; it may be empty.
  std::function<model::backend_trouble()> link_trouble{};
  /// This is called with why the backend cannot begin runs, or that it can, when that may have
  /// changed.
  std::function<void(const model::backend_trouble& trouble)> on_trouble{};
  /// This is called when the backend does not start or the store cannot be written: the EXECUTOR
  /// ends, and the runs go on. With ec::conflict another agent serves the cluster, and nothing runs
  /// here.
  std::function<void(const error& why)> on_failure;
  /// Called before on_failure if another agent has served the cluster since this one did last.
  std::function<void()> on_outdated;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

[[nodiscard]] result<void> validate(const executor_actor_config& config);

/// The configuration must be valid.
local_executor_actor spawn_executor(caf::actor_system& system, executor_actor_config config);

}  // namespace argosy::actors
