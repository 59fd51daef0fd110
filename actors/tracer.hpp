// SPDX-License-Identifier: Apache-2.0
// This file declares how the TRACER is configured and spawned; its interface lists its
// messages. Draining and searching take a while: spawn it
// detached.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "actors/interfaces/tracer.hpp"
#include "actors/spawn.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::actors {

struct tracer_config {
  std::chrono::milliseconds drain_period = model::trace_collect_period_default;
  /// Sends spans of this process elsewhere as they end; empty: they go nowhere else. The TRACER
  /// calls it.
  std::function<void(std::vector<trace::finished_span>)> ship{};
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

tracer_actor spawn_tracer(caf::actor_system& system, tracer_config config, run_on where);

}  // namespace argosy::actors
