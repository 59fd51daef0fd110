// SPDX-License-Identifier: Apache-2.0
// This file declares how the LEADER is configured and spawned; its interface lists its
// messages. The rules are in ledger::leader_core; the log
// decides who leads.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "actors/interfaces/leader.hpp"
#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

struct leader_config {
  std::string holder;            ///< Names who claims the lead: host and process.
  model::claim_nonce nonce;      ///< A number that no other claim has.
  std::string control_plane;     ///< The id of the control plane; empty: none, in tests.
  model::leader_elected before;  ///< The last claim in the log; its epoch is 0 when there is none.
  model::epoch granted{};        ///< The epoch that other planes have granted; 0: none.
  journal_actor journal;
  root_actor root;
  const clock_source* clock = nullptr;
  ledger::leader_times times;
  std::chrono::milliseconds claim_timeout{60'000};
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

[[nodiscard]] result<void> validate(const leader_config& config);

/// The configuration must be valid.
leader_actor spawn_leader(caf::actor_system& system, leader_config config);

}  // namespace argosy::actors
