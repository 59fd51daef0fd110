// SPDX-License-Identifier: Apache-2.0
// This file declares how a QUEUE is configured and spawned; its interface lists its
// messages. The rules are in ledger::queue_core. The actor
// applies decided events at once, appends them, and carries out effects and answers when they are
// durable.
#pragma once

#include <chrono>
#include <limits>
#include <memory>

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/interfaces/rounds/coordinator.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "actors/spawn.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::actors {

struct queue_actor_config {
  /// The core as recovery restored it, or a new one for a queue that may be created.
  std::shared_ptr<ledger::queue_core> core;
  root_actor root;
  journal_actor journal;
  coordinator_actor coordinator;
  const clock_source* clock = nullptr;
  model::log_position position{};  ///< The position of the log that the core reflects.
  /// Counts what waits for the log, and says whether it takes more.
  std::shared_ptr<eventlog::log_load> load;
  /// The retry policies that there are.
  ledger::retry_policies_ptr policies = std::make_shared<const ledger::retry_policies>();
  /// A command is refused if what has to be one record of the log takes more bytes than this.
  std::size_t record_bytes_max = 7 * 1024 * 1024;
  /// After so many bytes a decision goes on in another record of the log. A nats-server as it comes
  /// takes records of four such parts.
  std::size_t part_bytes_max = 256 * 1024;
  /// A change of more jobs than this is decided and written in parts of at most so many.
  std::size_t jobs_in_part_max = 1'000;
  /// How many members a gang may have so that its leases fit into one record of the log. The core
  /// refuses larger gangs, also when its own configuration allows them.
  std::size_t gang_members_max = std::numeric_limits<std::size_t>::max();
  std::chrono::milliseconds tick_period{600'000};
  std::chrono::milliseconds request_timeout = model::request_timeout_default;
  /// A job that ends before anything else is decided, if there is one.
  std::optional<ledger::harmful_job> set_aside;
  std::shared_ptr<metrics::board> probes = metrics::make_board();
};

[[nodiscard]] result<void> validate(const queue_actor_config& config);

/// The configuration must be valid.
queue_actor spawn_queue(caf::actor_system& system, queue_actor_config config);

}  // namespace argosy::actors
