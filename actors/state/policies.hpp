// SPDX-License-Identifier: Apache-2.0
// This file declares how POLICIES is configured and spawned; its interface lists its messages. The
// rules are in ledger::retry_book.
#pragma once

#include <chrono>
#include <memory>

#include "actors/interfaces/root.hpp"
#include "actors/interfaces/state/policies.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::actors {

struct policies_config {
  ledger::retry_book book;  ///< The policies as recovery restored them.
  root_actor root;
  journal_actor journal;
  const clock_source* clock = nullptr;
  /// Counts what waits for the log, and says whether it takes more.
  std::shared_ptr<eventlog::log_load> load;
  std::chrono::milliseconds request_timeout = model::request_timeout_default;
};

[[nodiscard]] result<void> validate(const policies_config& config);

/// The configuration must be valid.
policies_actor spawn_policies(caf::actor_system& system, policies_config config);

}  // namespace argosy::actors
