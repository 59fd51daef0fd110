// SPDX-License-Identifier: Apache-2.0
// This file declares the table of operations, which has those that are running and those that ended
// last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "messages/native/operations.hpp"
#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// A key of the table. Ids begin with a time, so that later operations have higher keys.
[[nodiscard]] std::string operation_key(const ulid& id, std::string_view queue);

/// Writes the operation. If it has ended, those that ended too long ago for the table are erased.
result<void> write_operation(store::write_txn& txn, const ledger::put_operation& change);
/// Fails with ec::corrupt when the value does not decode.
[[nodiscard]] result<model::operation> decode_operation(const store::entry& entry);

/// The operations that go on, the oldest first.
[[nodiscard]] result<std::vector<model::operation>> running_operations(store::read_txn& txn);
/// A page of operations that pass the filters, the newest first.
[[nodiscard]] result<native::operation_page> list_operations(store::read_txn& txn,
                                                             const native::list_operations& query);

}  // namespace argosy::view
