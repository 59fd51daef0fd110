// SPDX-License-Identifier: Apache-2.0
// This file declares the table of the audit trail, whose records have rising numbers. They leave it
// by their age, or those of callers who have most when there are too many.
#pragma once

#include <cstddef>
#include <cstdint>

#include "messages/native/audit.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/ledger/retention.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

result<void> write_call(store::write_txn& txn, const ledger::put_call& change);
/// Fails with ec::corrupt when key or value do not decode.
[[nodiscard]] result<ledger::put_call> decode_call(const store::entry& entry);

/// The number of the newest record; 0 when there is none.
[[nodiscard]] result<std::uint64_t> last_call(store::read_txn& txn);
/// Says in `out` of when the oldest record is, and which numbers there are.
result<void> read_oldest_call(store::read_txn& txn, ledger::oldest_kept& out);
/// The callers of the records behind a number, the oldest first.
[[nodiscard]] result<native::audit_callers> list_callers(store::read_txn& txn,
                                                         const native::list_audit_callers& query);
/// Erases what the event names, the oldest first, as long as the room for records lasts.
result<void> expire_calls(store::write_txn& txn, const model::history_expired& limits,
                          std::size_t& room);

/// A page of the newest records that pass the filters. It looks at a bounded number of records, so
/// that a page may be empty and yet have a next one.
[[nodiscard]] result<native::audit_page> list_calls(store::read_txn& txn,
                                                    const native::list_audit& query,
                                                    std::size_t looked_at_max);

}  // namespace argosy::view
