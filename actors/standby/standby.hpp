// SPDX-License-Identifier: Apache-2.0
// This file declares how the STANDBY is configured and spawned; its interface lists its messages.
// What it decides is in candidacy and ledger::candidate_core.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "actors/interfaces/standby.hpp"
#include "actors/spawn.hpp"
#include "actors/standby/candidacy.hpp"
#include "messages/probes/standby_probe.hpp"

namespace argosy::actors {

/// How the waiting for the lead ended.
enum class standby_end : std::uint8_t {
  may_claim,       ///< Nobody leads, and this process may.
  needs_snapshot,  ///< The log does not have what follows the store, and the leader's snapshots do.
};

struct standby_config {
  /// Nobody else may use it until the actor has ended.
  std::shared_ptr<candidacy> candidate;
  std::shared_ptr<bus::connection> connection;
  const clock_source* clock = nullptr;
  ledger::candidate_times times{};
  /// This process shows itself there, so that it is seen also when nobody leads.
  std::shared_ptr<probes::standby_probe> waiting;
  /// Takes in a sentence why this process does not lead.
  std::function<void(const std::string&)> tell;
  /// Whether the process is about to end, which gives up what takes long; empty: it is not.
  std::function<bool()> give_up{};
  /// Called once, on the actor's thread, unless the actor is ended before.
  std::function<void(standby_end)> on_end;
  std::chrono::milliseconds ask_period{250};
  /// For how long reading the log ahead waits. So long questions of other planes wait as well.
  std::chrono::milliseconds read_wait{100};
  std::chrono::milliseconds answer_limit{500};
};

/// It blocks on the log and the store: spawn it on a thread of its own.
standby_actor spawn_standby(caf::actor_system& system, standby_config config, run_on where);

}  // namespace argosy::actors
