// SPDX-License-Identifier: Apache-2.0
#include "messages/view/operation_table.hpp"

#include <utility>

#include "messages/codec/log/log_values.hpp"
#include "messages/codec/wire.hpp"
#include "messages/native/page_room.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/record.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

using store::table;

/// Erases operations that have ended, except for those that began last.
result<void> forget_old_operations(store::write_txn& txn) {
  std::vector<std::string> doomed;
  std::size_t ended = 0;
  result<void> outcome;
  const auto scanned = store::scan_reverse(txn, table::operations, {}, [&](const auto& entry) {
    const auto known = decode_operation(entry);
    if (!known) {
      outcome = fail(known.error());
      return false;
    }
    if (!known->is_running() && ++ended > model::operations_kept) doomed.emplace_back(entry.key);
    return true;
  });
  if (!scanned) return scanned;
  if (!outcome) return outcome;
  for (const auto& key : doomed)
    if (auto gone = txn.erase(table::operations, key); !gone) return fail(std::move(gone.error()));
  return {};
}

bool passes(const model::operation& operation, const native::list_operations& query) {
  return (!query.running_only || operation.is_running()) &&
         to_string(operation.id).starts_with(query.id);
}

}  // namespace

std::string operation_key(const ulid& id, std::string_view queue) {
  return store::key_builder{}.bytes(codec::to_wire(id)).bytes(queue).take();
}

result<void> write_operation(store::write_txn& txn, const ledger::put_operation& change) {
  argosy::store::v1::RecordedOperation out;
  out.set_format(record_format);
  codec::to_wire(change.operation, *out.mutable_operation());
  const auto& operation = change.operation;
  const auto key = operation_key(operation.id, operation.queue);
  if (auto ok = txn.put(table::operations, key, codec::encode_sorted(out)); !ok) return ok;
  return operation.is_running() ? result<void>{} : forget_old_operations(txn);
}

result<model::operation> decode_operation(const store::entry& entry) {
  argosy::store::v1::RecordedOperation in;
  if (auto ok = read_record(entry.value, in, "record of an operation"); !ok)
    return fail(std::move(ok.error()));
  return codec::from_wire(in.operation());
}

result<std::vector<model::operation>> running_operations(store::read_txn& txn) {
  std::vector<model::operation> out;
  auto read = store::each(txn, table::operations, [&](const store::entry& entry) -> result<void> {
    auto known = decode_operation(entry);
    if (!known) return fail(std::move(known.error()));
    if (known->is_running()) out.push_back(std::move(*known));
    return {};
  });
  if (!read) return fail(std::move(read.error()));
  return out;
}

result<native::operation_page> list_operations(store::read_txn& txn,
                                               const native::list_operations& query) {
  native::operation_page page;
  native::page_room room{query.limit};
  result<void> outcome;
  const auto before =
      query.after ? operation_key(query.after->id, query.after->queue) : std::string{};
  const auto scanned = store::scan_reverse(
      txn, table::operations, {},
      [&](const store::entry& entry) {
        auto known = decode_operation(entry);
        if (!known) {
          outcome = fail(known.error());
          return false;
        }
        if (!passes(*known, query)) return true;
        if (!room.take(entry.value.size() + 64)) {
          const auto& last = page.operations.back();
          page.next = {last.id, last.queue};
          return false;
        }
        page.operations.push_back(std::move(*known));
        return true;
      },
      before);
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  return page;
}

}  // namespace argosy::view
