// SPDX-License-Identifier: Apache-2.0
// This file declares how the RETENTION actor is configured and spawned; its interface lists its
// messages.
#pragma once

#include <chrono>
#include <memory>

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/log/reader.hpp"
#include "actors/interfaces/log/retention.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/retention.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::actors {

struct retention_actor_config {
  ledger::retention_config rules;
  reader_actor reader;
  journal_actor journal;
  const clock_source* clock = nullptr;
  std::chrono::milliseconds request_timeout = model::request_timeout_default;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

[[nodiscard]] result<void> validate(const retention_actor_config& config);

/// The configuration must be valid.
retention_actor spawn_retention(caf::actor_system& system, retention_actor_config config);

}  // namespace argosy::actors
