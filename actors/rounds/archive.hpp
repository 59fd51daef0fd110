// SPDX-License-Identifier: Apache-2.0
// This file declares how the ARCHIVE is spawned; its interface lists its messages.
#pragma once

#include <chrono>
#include <memory>

#include "actors/interfaces/rounds/archive.hpp"
#include "actors/spawn.hpp"
#include "messages/past/archive.hpp"

namespace argosy::actors {

struct archive_config {
  std::shared_ptr<past::archive> archive;  ///< Null: no round of the past can be explained.
  /// For so long after a question the rounds are kept that it was about, which take as much memory
  /// as the live jobs of their time.
  std::chrono::milliseconds kept_for{60'000};
  /// For so long the history of one job is looked at, while other questions wait.
  std::chrono::milliseconds history_time{20'000};
};

/// The actor blocks.
archive_actor spawn_archive(caf::actor_system& system, archive_config config, run_on where);

}  // namespace argosy::actors
