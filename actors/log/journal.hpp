// SPDX-License-Identifier: Apache-2.0
// The JOURNAL groups the appends that arrived during the last round trip into one batch. It
// publishes the batch to the log while the STORE writes it to the tail, and answers when both are
// done and the view shows it. One batch is under way at a time. It blocks on the log: spawn it
// detached.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "actors/interfaces/log/journal.hpp"
#include "actors/interfaces/log/store.hpp"
#include "actors/spawn.hpp"
#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/eventlog/log_load.hpp"
#include "runtime/ledger/claim_policy.hpp"
#include "runtime/metrics/board.hpp"
#include "runtime/model/server_limits.hpp"

namespace argosy::actors {

struct journal_config {
  std::shared_ptr<eventlog::event_log> log;
  store_actor store;
  const clock_source* clock = nullptr;
  /// Counts what waits for the log; it is told when the log is full.
  std::shared_ptr<eventlog::log_load> load;
  std::shared_ptr<const codec::log_key> key;  ///< Signs and knows the batches of this log.
  view::view_position start;                  ///< The position of the view after recovery.
  native::plane_rules planes{};
  std::size_t batch_bytes_max =
      model::log_limits{}.batch_bytes_max.bytes;  ///< A single decision may exceed it.
  std::chrono::milliseconds retry_delay{200};
  std::chrono::milliseconds store_timeout{30'000};
  std::shared_ptr<metrics::board> probes = metrics::make_board();
  /// Called with whoever has claimed the lead, before the JOURNAL gives up for it; it may be empty.
  std::function<void(const ledger::leader_standing& who)> on_rival;
};

[[nodiscard]] result<void> validate(const journal_config& config);

/// The configuration must be valid.
journal_actor spawn_journal(caf::actor_system& system, journal_config config, run_on where);

}  // namespace argosy::actors
