// SPDX-License-Identifier: Apache-2.0
// This file declares the check of the log: every generation is a chain without gaps, one continues
// the other, and the store ends on it. It only reads.
#pragma once

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/check/report.hpp"
#include "messages/view/progress.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Reads all generations of the log, and compares them with a store that ends at `end`: its
/// position, the records of its tail and the specifications of its jobs. Faults go to the report;
/// what an operator once gave up is only noted. Fails only with errors of the seams. The log of
/// `end` is chosen afterwards.
result<void> check_log(eventlog::event_log& log, store::read_txn& txn, const view_position& end,
                       const codec::log_key* key, check_report& report);

}  // namespace argosy::view
