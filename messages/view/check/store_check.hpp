// SPDX-License-Identifier: Apache-2.0
// This file declares the check of a control plane's store. Whatever the view says twice has to
// agree, every record has to decode, and the tail has to be a chain that ends where the view does.
// The functions only read; they hold sets of ids of jobs in memory, about 100 bytes for each ended
// job and client id.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/check/report.hpp"
#include "messages/view/progress.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// A function that is called before each table is read.
using table_listener = std::function<void(store::table)>;

/// Checks all tables. `key` is that of the log; null when it is not there, and then the MACs are
/// not checked. Faults go to the report; fails only with errors of the database. Returns the
/// position of the view, or nothing when the store has none that can be read.
[[nodiscard]] result<std::optional<view_position>> check_store(store::read_txn& txn,
                                                               const codec::log_key* key,
                                                               check_report& report,
                                                               const table_listener& reading = {});

/// Reports a fault if `in` has no such key, which a record of another table calls for.
result<void> need(store::read_txn& txn, store::table in, std::string_view key, std::string missing,
                  check_report& report);

// These functions are the parts of check_store().
result<void> check_order(store::read_txn& txn, check_report& report, const table_listener& reading);
result<void> check_jobs(store::read_txn& txn, check_report& report);
result<void> check_job_set_counts(store::read_txn& txn, check_report& report);
result<void> check_queues(store::read_txn& txn, check_report& report);
result<void> check_clusters(store::read_txn& txn, check_report& report);
result<void> check_rounds(store::read_txn& txn, check_report& report);
result<void> check_history(store::read_txn& txn, model::log_position position,
                           check_report& report);
result<void> check_tail(store::read_txn& txn, const view_position& end, const codec::log_key* key,
                        check_report& report);

}  // namespace argosy::view
