// SPDX-License-Identifier: Apache-2.0
// The STORE is the only writer of the view and of the tail of raw batches. Every message is one
// synchronous transaction: spawn it detached.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "actors/interfaces/log/store.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/log_time.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/eventlog/tail_core.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/store/database.hpp"

namespace argosy::actors {

struct store_config {
  std::shared_ptr<store::database> database;
  const clock_source* clock = nullptr;
  /// It is told how full the database is, and when the tail is full.
  std::shared_ptr<eventlog::log_load> load;
  /// Gives the mark of the log clock, which is stored with each batch; may be empty.
  std::function<clock_mark()> mark;
  eventlog::tail_rules tail;
  std::chrono::seconds trim_period{60};
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

[[nodiscard]] result<void> validate(const store_config& config);

/// The configuration must be valid.
store_actor spawn_store(caf::actor_system& system, store_config config, run_on where);

}  // namespace argosy::actors
