// SPDX-License-Identifier: Apache-2.0
// This file declares how a committed batch is folded into the view, inside one transaction. The
// STORE does so all the time, and recovery does so with what the log has beyond the view.
#pragma once

#include <functional>

#include "messages/native/journal.hpp"
#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Writes all changes and the new position. `indexed` is called with each event of a job set. The
/// caller commits.
result<void> write_batch(store::write_txn& txn, const native::committed_batch& batch,
                         const std::function<void(const ledger::index_event&)>& indexed);

}  // namespace argosy::view
