// SPDX-License-Identifier: Apache-2.0
// This file declares how the BUS is configured and spawned; its interface lists its
// messages. Frames arrive on threads of the connection, which
// only count and enqueue them. Answers may block for a moment: spawn it detached.
#pragma once

#include <memory>

#include "actors/interfaces/bus.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

struct bus_config {
  std::shared_ptr<bus::connection> connection;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
  /// Whether requests come from transports of this process, which say in a header who calls.
  bool callers_in_header = false;
  /// Whether a server lies between this process and those whom it answers, which keeps what they
  /// do not read: then each is answered at border::answer_rate.
  bool limits_answers = false;
};

[[nodiscard]] result<void> validate(const bus_config& config);

/// The configuration must be valid.
bus_actor spawn_bus(caf::actor_system& system, bus_config config, run_on where);

}  // namespace argosy::actors
