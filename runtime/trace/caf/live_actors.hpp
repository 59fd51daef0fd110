// SPDX-License-Identifier: Apache-2.0
// The traced actors that are alive in this process: for the actor table, and so that a test can end
// whatever it left running.
#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "runtime/trace/actor_reading.hpp"
#include "runtime/trace/caf/actor_gauges.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::trace {

/// Called by the mixin. Returns the interned actor type. The gauges must last until actor_ended().
[[nodiscard]] name_id actor_started(caf::local_actor& actor, const char* type,
                                    const actor_gauges& gauges);

/// Called by the mixin; later calls for the same actor do nothing.
void actor_ended(caf::local_actor& actor) noexcept;

struct live_actor {
  caf::strong_actor_ptr handle;
  std::string type;
};

/// The actors of one system, in the order in which they started.
[[nodiscard]] std::vector<live_actor> live_actors(const caf::actor_system& system);

/// The readings of the traced actors of the process, in the order in which they started; only of
/// those that have been at their message for `busy_from`, if that is above 0. It sends nothing and
/// waits for no actor, so that it also works when all of them hang.
[[nodiscard]] actor_readings read_actors(std::chrono::nanoseconds busy_from = {});

}  // namespace argosy::trace
