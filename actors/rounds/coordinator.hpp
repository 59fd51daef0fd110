// SPDX-License-Identifier: Apache-2.0
// The COORDINATOR runs the cycle: it asks for cuts, folds them, runs a ROUND for each pool, hands
// the plan to the QUEUEs, and then the orders to the CLUSTERs. It keeps the snapshot; only the
// QUEUEs know what really runs.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/interfaces/rounds/explainer.hpp"
#include "actors/rounds/round_rules.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/cycle_core.hpp"
#include "runtime/ledger/health/health_core.hpp"
#include "runtime/ledger/queue/queue_command.hpp"
#include "runtime/scheduling/config.hpp"

namespace argosy::actors {

struct coordinator_config {
  std::shared_ptr<const scheduling::config> scheduling;
  round_rules rules;
  std::uint64_t config_version = 0;  ///< The hash of the scheduling settings, for the log.
  journal_actor journal;
  root_actor root;
  explainer_actor explainer;  ///< It is told all that changes the snapshot.
  const clock_source* clock = nullptr;
  model::log_position position{};   ///< The position of the log at the start.
  std::uint64_t rounds_before = 0;  ///< The number of the last round on record.
  /// The queues that have runs or may have. No round takes place before all have told of them.
  std::set<std::string> first_queues;
  /// The entries that earlier rounds handed on, as the view has them.
  std::vector<model::carried_entry> carried;
  ledger::health_config health;
  ledger::unfit_rules unfit;
  bool safe_mode = false;  ///< No rounds are decided.
  std::uint64_t seed = 0;
  ledger::cycle_times times;
  /// How long it may take to record a round in the log.
  std::chrono::milliseconds record_timeout{60'000};
  run_on rounds_on = run_on::own_thread;
};

[[nodiscard]] result<void> validate(const coordinator_config& config);

/// The configuration must be valid.
coordinator_actor spawn_coordinator(caf::actor_system& system, coordinator_config config);

}  // namespace argosy::actors
