// SPDX-License-Identifier: Apache-2.0
// This file declares the table history, which says for each position of the log which events, ended
// jobs and client ids it added to the view. So nothing has to be searched when records expire.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/ledger/retention.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Collects what one batch adds.
class history_writer {
 public:
  void add(const ledger::change& change);
  /// Writes the record; nothing is written when the batch added nothing.
  result<void> write(store::write_txn& txn, model::log_position position) const;

 private:
  std::int64_t time_ns_ = 0;
  std::set<std::string> events_;
  /// The ids of ended jobs, by the prefix of their queue and state.
  std::map<std::string, std::set<std::string>> ended_;
  std::set<std::string> client_ids_;
};

/// Each record of the table names items of one kind.
enum class history_kind : char { events = 1, client_ids = 3, ended_jobs = 4 };

/// The items are prefixes of the events' keys, keys of jobs, or keys of client ids.
struct history_entry {
  history_kind what = history_kind::events;
  model::log_position position{};
  std::string queue;  ///< This and the state are those of ended_jobs.
  model::job_state state = model::job_state::succeeded;
  std::vector<std::string> items;
};

/// Fails with ec::corrupt when key or value do not decode.
[[nodiscard]] result<history_entry> decode_history_entry(const store::entry& entry);

[[nodiscard]] result<ledger::oldest_kept> read_oldest_kept(store::read_txn& txn);

/// Erases what the event names. The same view and the same event give the same view at any time.
result<void> expire_history(store::write_txn& txn, const model::history_expired& limits);

}  // namespace argosy::view
