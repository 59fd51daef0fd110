// SPDX-License-Identifier: Apache-2.0
// A READER makes a read transaction of the store for each query, and one for each piece of a list.
// It blocks on the disk: spawn it detached.
#pragma once

#include <memory>

#include "actors/interfaces/log/reader.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/result.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/store/database.hpp"

namespace argosy::actors {

struct reader_config {
  std::shared_ptr<store::database> database;
  std::uint32_t page_max = 100'000;  ///< How many jobs or events one answer holds at most.
  /// How many jobs a list looks at before other queries get their turn.
  std::size_t looked_at_max = 10'000;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

[[nodiscard]] result<void> validate(const reader_config& config);

/// The configuration must be valid.
reader_actor spawn_reader(caf::actor_system& system, reader_config config, run_on where);

}  // namespace argosy::actors
