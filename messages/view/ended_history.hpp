// SPDX-License-Identifier: Apache-2.0
// This file declares what table history says of jobs that have ended. They stand by queue and state
// and then in the order of the log, since an operator may keep some longer than others: the oldest
// of each queue and state is found without passing over those that stay.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "messages/view/history_record.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/retention.hpp"
#include "runtime/model/event.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// The first byte of keys.
inline constexpr char ended_jobs_kind = 4;

/// The prefix under which the records of these jobs stand.
[[nodiscard]] std::string ended_jobs_prefix(std::string_view queue, model::job_state state);

/// Queue and state in a key. Fails with ec::corrupt when there are none.
struct ended_jobs_key {
  std::string_view queue;
  model::job_state state = model::job_state::succeeded;
};
[[nodiscard]] result<ended_jobs_key> decode_ended_jobs_key(std::string_view key);

/// The oldest job of each queue and state, in the order of their keys. Looks at one record of each.
[[nodiscard]] result<std::vector<ledger::oldest_ended>> oldest_ended_jobs(store::read_txn& txn);

/// Erases the ended jobs that the event names, and their entries in indexes.
result<void> expire_ended_jobs(store::write_txn& txn, const model::history_expired& limits,
                               std::size_t& room);

}  // namespace argosy::view
