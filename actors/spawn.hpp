// SPDX-License-Identifier: Apache-2.0
// This file declares how actors are spawned. Whether one gets a thread of its own is decided where
// the system is put together; deterministic tests run everything on the pool.
#pragma once

#include <caf/actor_system.hpp>
#include <utility>

namespace argosy::actors {

enum class run_on : bool { pool, own_thread };

/// Spawns an actor where `run_on` says. The spawn functions of the actors use it.
template <class Behavior, class Config>
auto spawn_actor(caf::actor_system& system, run_on where, Behavior behavior, Config config) {
  if (where == run_on::own_thread) return system.spawn<caf::detached>(behavior, std::move(config));
  return system.spawn(behavior, std::move(config));
}

}  // namespace argosy::actors
