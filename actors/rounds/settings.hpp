// SPDX-License-Identifier: Apache-2.0
// This file declares how SETTINGS is configured and spawned; its interface lists its messages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/interfaces/root.hpp"
#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/interfaces/rounds/settings.hpp"
#include "actors/spawn.hpp"
#include "messages/native/contact_board.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/log_load.hpp"

namespace argosy::actors {

struct settings_config {
  /// Null: settings cannot change, as in tests of other things.
  std::shared_ptr<native::settings_source> source;
  std::vector<ledger::put_settings_change> history;  ///< The changes that the view has.
  root_actor root;
  journal_actor journal;
  coordinator_actor coordinator;
  const clock_source* clock = nullptr;
  /// Counts what waits for the log, and says whether it takes more.
  std::shared_ptr<eventlog::log_load> load;
  std::shared_ptr<const native::contact_board> contacts;  ///< Says which pools clusters have.
};

[[nodiscard]] result<void> validate(const settings_config& config);

/// The configuration must be valid. The actor reads files.
settings_actor spawn_settings(caf::actor_system& system, settings_config config, run_on where);

}  // namespace argosy::actors
