// SPDX-License-Identifier: Apache-2.0
// This file declares how a GANG is configured and spawned; its interface lists its
// messages. The rules are in ledger::gang_core.
#pragma once

#include <memory>

#include "actors/interfaces/state/gang.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "actors/spawn.hpp"
#include "runtime/ledger/gang_core.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

struct gang_config {
  queue_actor queue;
  std::shared_ptr<const model::gang_info> info;
  std::vector<ledger::gang_member> members;  ///< The members that recovery found.
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

/// The configuration must be valid.
gang_actor spawn_gang(caf::actor_system& system, gang_config config);

}  // namespace argosy::actors
