// SPDX-License-Identifier: Apache-2.0
// This file declares the table of changes of the scheduling settings, which keeps the newest.
#pragma once

#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Writes the change, and erases the one that is too old for the table by now.
result<void> write_settings_change(store::write_txn& txn,
                                   const ledger::put_settings_change& change);
/// Fails with ec::corrupt when the value does not decode.
[[nodiscard]] result<ledger::put_settings_change> decode_settings_change(const store::entry& entry);
/// All changes that are kept, the oldest first.
[[nodiscard]] result<std::vector<ledger::put_settings_change>> read_settings_changes(
    store::read_txn& txn);

}  // namespace argosy::view
