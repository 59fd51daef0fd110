// SPDX-License-Identifier: Apache-2.0
// The EXECUTOR: see its interface. The rules are ledger::executor_core; what it decides is written
// by the EXECUTOR_STORE before it happens. It owns the backend.
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

namespace argosy::actors {

struct executor_actor_config {
  model::cluster_info cluster;  ///< The incarnation is taken from the memory.
  /// Called once, by the EXECUTOR; events may come from any thread.
  std::function<result<std::unique_ptr<backends::backend>>(backends::event_sink)> make_backend;
  executor_memory memory;  ///< From load_executor().
  executor_store_actor store;
  cluster_session_actor session;  ///< The CLUSTER, or a proxy of it.
  const clock_source* clock = nullptr;
  ledger::executor_config rules;
  std::chrono::milliseconds request_timeout{10'000};
  std::chrono::milliseconds store_timeout{30'000};
  /// How long a shutdown waits for stopped runs, and for the control plane.
  std::chrono::milliseconds stop_deadline{2'000};
  /// After the first hello was answered.
  std::function<void()> on_ready;
  /// The backend does not start, or the store cannot be written: the EXECUTOR ends, runs go on.
  /// ec::conflict: another agent serves the cluster, and nothing runs here any more.
  std::function<void(const error& why)> on_failure;
};

[[nodiscard]] result<void> validate(const executor_actor_config& config);

/// The configuration must be valid.
local_executor_actor spawn_executor(caf::actor_system& system, executor_actor_config config);

}  // namespace argosy::actors
