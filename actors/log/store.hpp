// SPDX-License-Identifier: Apache-2.0
// The STORE is the only writer of the view and of the tail of raw batches. Every message is one
// synchronous transaction: spawn it detached.
#pragma once

#include <chrono>
#include <memory>

#include "actors/interfaces/log/store.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/store/database.hpp"

namespace argosy::actors {

struct store_config {
  std::shared_ptr<store::database> database;
  const clock_source* clock = nullptr;
  /// It is told how full the database is.
  std::shared_ptr<eventlog::log_load> load;
  /// A batch leaves the tail when it is older than this, and when the tail is larger than the
  /// limit.
  std::chrono::seconds tail_age_min{600};
  std::uint64_t tail_bytes_max = std::uint64_t{1} << 30;
  std::chrono::seconds trim_period{60};
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

[[nodiscard]] result<void> validate(const store_config& config);

/// The configuration must be valid.
store_actor spawn_store(caf::actor_system& system, store_config config, run_on where);

}  // namespace argosy::actors
