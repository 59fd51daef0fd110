// SPDX-License-Identifier: Apache-2.0
// This file declares how AUDIT is configured and spawned; its interface lists its messages. What is
// recorded and what is left out is decided by ledger::audit_core.
#pragma once

#include <chrono>
#include <memory>

#include "actors/interfaces/log/audit.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/ledger/audit_core.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

struct audit_config {
  ledger::audit_core core;
  root_actor root;
  journal_actor journal;
  const clock_source* clock = nullptr;
  /// Counts what waits for the log, and says whether it takes more.
  std::shared_ptr<eventlog::log_load> load;
  /// For how long records gather before they are written. Each write makes the next submission wait
  /// for the log once more, so that there should be few.
  std::chrono::milliseconds gather{250};
  /// About how many bytes of records one record of the log holds at most.
  std::size_t part_bytes_max = 256u << 10;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

[[nodiscard]] result<void> validate(const audit_config& config);

/// The configuration must be valid.
audit_actor spawn_audit(caf::actor_system& system, audit_config config);

}  // namespace argosy::actors
