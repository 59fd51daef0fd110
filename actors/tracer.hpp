// SPDX-License-Identifier: Apache-2.0
// The TRACER: see its interface. Draining and searching take a while: spawn it detached.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "actors/interfaces/tracer.hpp"
#include "actors/spawn.hpp"

namespace argosy::actors {

struct tracer_config {
  std::chrono::milliseconds drain_period{500};
  /// Where spans of this process also go, as they end; empty: nowhere. Called by the TRACER.
  std::function<void(std::vector<trace::finished_span>)> ship;
};

tracer_actor spawn_tracer(caf::actor_system& system, tracer_config config, run_on where);

}  // namespace argosy::actors
