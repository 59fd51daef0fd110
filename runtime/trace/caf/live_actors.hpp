// SPDX-License-Identifier: Apache-2.0
// The traced actors that are alive in this process: for the actor table, and so that a test can end
// whatever it left running.
#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>
#include <string>
#include <vector>

#include "runtime/trace/recorder.hpp"

namespace argosy::trace {

/// Called by the mixin. Returns the interned actor type.
[[nodiscard]] name_id actor_started(caf::local_actor& actor, const char* type);

/// Called by the mixin; later calls for the same actor do nothing.
void actor_ended(caf::local_actor& actor) noexcept;

struct live_actor {
  caf::strong_actor_ptr handle;
  std::string type;
};

/// The actors of one system, in the order in which they started.
[[nodiscard]] std::vector<live_actor> live_actors(const caf::actor_system& system);

}  // namespace argosy::trace
