// SPDX-License-Identifier: Apache-2.0
// This file declares the state in which actors start, and reads the part of it that is the view.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/ledger/retry/retry_book.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

struct state_rules {
  ledger::queue_config queue_rules{};
  ledger::cluster_config cluster_rules{};
  /// Whether a new generation of the log may begin though that gives up what only the old one has.
  bool accept_loss = false;
};

struct recovered_state {
  view::view_position position;
  std::map<model::queue_name, std::shared_ptr<ledger::queue_core>> queues;
  std::map<model::cluster_name, std::shared_ptr<ledger::cluster_core>> clusters;
  ledger::retry_book retry_policies;
  std::uint64_t last_round = 0;
  std::uint64_t last_call = 0;  ///< The number of the newest record of the audit trail.
  /// The changes of the scheduling settings that are kept, the oldest first.
  std::vector<ledger::put_settings_change> settings_changes;
  std::vector<model::carried_entry> carried;  ///< The entries that rounds handed on to later ones.
  /// The newest time of an event that is known, in Unix nanoseconds; 0: none is.
  std::int64_t newest_ns = 0;
  std::optional<clock_mark> clock;  ///< The last mark of the process before.
  std::size_t live_jobs = 0;
  std::size_t replayed_batches = 0;  ///< How many batches were taken from the log into the view.
  std::size_t replayed_claims = 0;   ///< How many claims of the lead were among them.
  /// How many batches were appended from the tail to the log.
  std::size_t republished_batches = 0;
  /// How many records of the log were stepped over, because they are not batches of the chain.
  std::size_t foreign_records = 0;
  /// The generation that recovery began, or 0.
  model::log_generation begun_generation{};

  /// The queue or cluster of this name, which is made when there is none.
  ledger::queue_core& queue(const model::queue_name& name, const state_rules& rules);
  ledger::cluster_core& cluster(const model::cluster_name& name, const state_rules& rules);
  /// Applies an event of the log, and returns what the store has to write for it.
  [[nodiscard]] ledger::change_list apply(const model::event& event, const state_rules& rules);
};

/// Reads what rounds hand on. Replay changes it in the database alone, so that it is read last.
[[nodiscard]] result<std::vector<model::carried_entry>> load_carried(store::database& database);

/// Counts the live jobs, tells each cluster which of their runs should be there, and drops queues
/// and clusters of which nothing is left.
void attach_runs(recovered_state& state, const state_rules& rules);

/// Marks the health of nodes and queues as gone that are not there any more: the leader before may
/// have ended before a round recorded that they left.
void forget_departed(recovered_state& state);

enum class view_part : std::uint8_t {
  everything,
  for_rounds,  ///< Without what no round looks at: the specifications of jobs, and client ids.
};

/// Reads the view into an empty state. Fails with ec::corrupt at the first record that does not
/// decode, with ec::conflict if the view is of a log with another key, and with the errors of the
/// database. `give_up` is asked often: true ends it with ec::cancelled; empty: nothing does.
[[nodiscard]] result<void> load_view(store::database& database, const state_rules& rules,
                                     const codec::log_key& key, recovered_state& state,
                                     const std::function<bool()>& give_up = {},
                                     view_part what = view_part::everything);

}  // namespace argosy::view
