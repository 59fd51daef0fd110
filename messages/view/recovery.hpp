// SPDX-License-Identifier: Apache-2.0
// Makes from a store and a log the state in which actors start: the view up to its position, what
// the log has beyond it, and what the tail has beyond the log. Blocks; runs before there are
// actors.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "messages/view/progress.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

struct state_rules {
  ledger::queue_config queue_rules;
  ledger::cluster_config cluster_rules;
};

struct recovered_state {
  view::view_position position;
  std::map<std::string, std::shared_ptr<ledger::queue_core>> queues;
  std::map<std::string, std::shared_ptr<ledger::cluster_core>> clusters;
  std::uint64_t last_round = 0;
  std::size_t live_jobs = 0;
  std::size_t replayed_batches = 0;  ///< How many batches were taken from the log into the view.
  /// How many batches were appended from the tail to the log.
  std::size_t republished_batches = 0;
};

/// Fails with ec::corrupt, and says what to do, when the store and the log contradict each other in
/// a way that would lose or repeat something; otherwise with the errors of the seams.
[[nodiscard]] result<recovered_state> recover(store::database& database, eventlog::event_log& log,
                                              const state_rules& config);

}  // namespace argosy::view
