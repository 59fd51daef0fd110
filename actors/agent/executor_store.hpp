// SPDX-License-Identifier: Apache-2.0
// The EXECUTOR_STORE is the only writer of an agent's store. load_executor() reads back from it
// what the EXECUTOR remembers. It blocks on the disk: spawn it detached.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/interfaces/executor.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/agent/executor_effect.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/store/database.hpp"

namespace argosy::actors {

/// What an agent's store holds.
struct executor_memory {
  ledger::executor_facts facts;
  std::vector<model::agent_run> runs;
  /// The reports that are not acknowledged, in the order of their sequence.
  std::vector<model::run_report> reports;
};

/// Reads the store, which is of this place from now on, durably. One that was made for another
/// place is a copy or was moved: the runs of which it tells are not here, so that it forgets its
/// incarnation, runs and reports, after `on_copy` was called, which may stop this by an error. A
/// store that names no place is of this one. Blocks. It fails with the errors of the store and with
/// ec::corrupt.
[[nodiscard]] result<executor_memory> load_executor(
    store::database& database, const std::string& place,
    const std::function<result<void>()>& on_copy = {});

/// Has the store forget the same, durably, since another agent has served the cluster meanwhile. No
/// EXECUTOR_STORE may have it then. Blocks, and fails as load_executor() does.
[[nodiscard]] result<void> forget_executor(store::database& database);

struct executor_store_config {
  std::shared_ptr<store::database> database;
  /// Only what identifies the agent is written, and only when it changes: runs and reports of
  /// virtual nodes end with the process.
  bool facts_only = false;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

/// The database must be set in the configuration.
executor_store_actor spawn_executor_store(caf::actor_system& system, executor_store_config config,
                                          run_on where);

}  // namespace argosy::actors
