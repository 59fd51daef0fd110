// SPDX-License-Identifier: Apache-2.0
// This file declares how the page /status learns what the actors of a process do. It asks them from
// a thread that is no actor.
#pragma once

#include <caf/actor_system.hpp>
#include <chrono>
#include <vector>

#include "runtime/metrics/status.hpp"

namespace argosy::actors {

/// Asks every actor for its figures, but at most ten of each type. Blocks until all have answered
/// or the time is over; those that did not answer are counted as silent. The parts come by name.
[[nodiscard]] std::vector<metrics::part_status> ask_all_parts(
    caf::actor_system& system, std::chrono::milliseconds limit = std::chrono::seconds{1});

}  // namespace argosy::actors
