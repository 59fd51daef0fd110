// SPDX-License-Identifier: Apache-2.0
#include "messages/view/call_table.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "messages/codec/log/log_values.hpp"
#include "messages/codec/wire.hpp"
#include "messages/native/page_room.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/record.hpp"
#include "runtime/ledger/audit_shares.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

using store::table;

/// The oldest record; nothing when there is none.
result<std::optional<ledger::put_call>> oldest_call(store::read_txn& txn) {
  auto cursor = txn.open_cursor(table::audit);
  if (!cursor) return fail(std::move(cursor.error()));
  auto entry = (*cursor)->first();
  if (!entry) return fail(std::move(entry.error()));
  if (!*entry) return std::optional<ledger::put_call>{};
  auto call = decode_call(**entry);
  if (!call) return fail(std::move(call.error()));
  return std::optional{std::move(*call)};
}

bool has_outcome(const std::string& outcome, const std::string& wanted) {
  if (wanted == "refused") return outcome != model::call_outcome::ok;
  return wanted.empty() || outcome == wanted;
}

bool has_method(std::string_view method, const std::string& wanted) {
  if (wanted.empty() || method == wanted) return true;
  const auto dot = method.find('.');
  return dot != std::string_view::npos && method.substr(dot + 1) == wanted;
}

bool passes(const ledger::put_call& entry, const native::list_audit& query) {
  const auto& call = entry.call;
  return (query.user.empty() || call.user == query.user) && has_method(call.method, query.method) &&
         (query.queue.empty() || call.queue == query.queue) &&
         has_outcome(call.outcome, query.outcome) &&
         (query.until_ns == 0 || entry.time_ns < query.until_ns);
}

}  // namespace

result<void> write_call(store::write_txn& txn, const ledger::put_call& change) {
  argosy::store::v1::RecordedCall out;
  out.set_format(record_format);
  out.set_time_ns(change.time_ns);
  codec::to_wire(change.call, *out.mutable_call());
  return txn.put(table::audit, store::number_key(change.call.number), codec::encode_sorted(out));
}

result<ledger::put_call> decode_call(const store::entry& entry) {
  argosy::store::v1::RecordedCall in;
  if (auto ok = read_record(entry.value, in, "record of a call"); !ok)
    return fail(std::move(ok.error()));
  return ledger::put_call{in.time_ns(), codec::from_wire(in.call())};
}

result<std::uint64_t> last_call(store::read_txn& txn) {
  const auto newest = store::last(txn, table::audit);
  if (!newest) return fail(newest.error());
  if (!*newest) return std::uint64_t{0};
  const auto number = store::key_reader{(*newest)->key}.number();
  if (!number) return fail(ec::corrupt, "a key of the audit trail is no number");
  return *number;
}

result<void> read_oldest_call(store::read_txn& txn, ledger::oldest_kept& out) {
  auto oldest = oldest_call(txn);
  if (!oldest) return fail(std::move(oldest.error()));
  if (!*oldest) return {};
  const auto newest = last_call(txn);
  if (!newest) return fail(newest.error());
  out.audit_ns = (*oldest)->time_ns;
  out.audit_first = (*oldest)->call.number;
  out.audit_last = *newest;
  return {};
}

result<native::audit_callers> list_callers(store::read_txn& txn,
                                           const native::list_audit_callers& query) {
  native::audit_callers out;
  result<void> outcome;
  const auto scanned = store::scan(
      txn, table::audit, {},
      [&](const store::entry& entry) {
        const auto call = decode_call(entry);
        if (!call) {
          outcome = fail(call.error());
          return false;
        }
        if (out.records.size() == query.limit) {
          out.more = true;
          return false;
        }
        out.records.emplace_back(call->call.number, ledger::audit_caller_of(call->call));
        return true;
      },
      store::number_key(query.after + 1));
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  return out;
}

result<void> expire_calls(store::write_txn& txn, const model::history_expired& limits,
                          std::size_t& room) {
  for (const auto number : limits.audit_numbers) {
    if (room == 0) return {};
    const auto gone = txn.erase(table::audit, store::number_key(number));
    if (!gone) return fail(gone.error());
    --room;
  }
  std::vector<std::string> doomed;
  result<void> outcome;
  const auto scanned = store::scan(txn, table::audit, {}, [&](const store::entry& entry) {
    if (doomed.size() >= room) return false;
    const auto call = decode_call(entry);
    if (!call) outcome = fail(call.error());
    if (!call || call->time_ns >= limits.audit_before_ns) return false;
    doomed.emplace_back(entry.key);
    return true;
  });
  if (!scanned) return scanned;
  if (!outcome) return outcome;
  for (const auto& key : doomed)
    if (auto gone = txn.erase(table::audit, key); !gone) return fail(std::move(gone.error()));
  room -= doomed.size();
  return {};
}

result<native::audit_page> list_calls(store::read_txn& txn, const native::list_audit& query,
                                      std::size_t looked_at_max) {
  native::audit_page page;
  native::page_room room{query.limit};
  std::size_t looked_at = 0;
  std::uint64_t seen = 0;  // The number of the last record that the page is done with.
  result<void> outcome;
  const auto before = query.below == 0 ? std::string{} : store::number_key(query.below);
  const auto scanned = store::scan_reverse(
      txn, table::audit, {},
      [&](const store::entry& entry) {
        auto call = decode_call(entry);
        if (!call) {
          outcome = fail(call.error());
          return false;
        }
        // Times rise with the numbers, so that all others are older still.
        if (call->time_ns < query.since_ns) return false;
        const bool full = looked_at++ == looked_at_max ||
                          (passes(*call, query) && !room.take(entry.value.size() + 64));
        if (full) {
          page.next = seen;
          return false;
        }
        seen = call->call.number;
        if (passes(*call, query)) page.entries.push_back({call->time_ns, std::move(call->call)});
        return true;
      },
      before);
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  return page;
}

}  // namespace argosy::view
