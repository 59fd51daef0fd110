// SPDX-License-Identifier: Apache-2.0
#include "messages/view/history_record.hpp"

#include <algorithm>

#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/field_walk.hpp"
#include "runtime/store/key.hpp"

namespace argosy::view {

namespace {

namespace records = argosy::store::v1;
using store::table;

constexpr std::uint32_t history_format = 1;

}  // namespace

result<history_record> decode_history_record(const store::entry& entry) {
  records::History in;
  if (auto ok = codec::decode(entry.value, in, "history record"); !ok)
    return fail(std::move(ok.error()));
  if (auto ok = codec::check_format(in.format(), history_format, "history record"); !ok)
    return fail(std::move(ok.error()));
  constexpr auto bytes = sizeof(std::uint64_t);
  const auto position =
      entry.key.size() < bytes
          ? std::nullopt
          : store::key_reader{entry.key.substr(entry.key.size() - bytes)}.number();
  if (!position) return fail(ec::corrupt, "a key of the history has no position");
  return history_record{
      std::string{entry.key}, {*position}, in.time_ns(), {in.items().begin(), in.items().end()}};
}

result<std::int64_t> history_time(std::string_view value) {
  field_walk walk{value};
  std::int64_t time_ns = 0;
  while (const auto field = walk.next()) {
    if (field == records::History::kTimeNsFieldNumber) {
      if (walk.read(time_ns)) return time_ns;
      return fail(ec::corrupt, "the time of a history record does not decode");
    }
    if (!walk.skip()) break;
  }
  if (!walk.at_end()) return fail(ec::corrupt, "a history record does not decode");
  return time_ns;
}

result<void> put_history_record(store::write_txn& txn, std::string_view prefix,
                                model::log_position position, std::int64_t time_ns,
                                const std::set<std::string>& items) {
  if (items.empty()) return {};
  records::History out;
  out.set_format(history_format);
  out.set_time_ns(time_ns);
  for (const auto& item : items) out.add_items(item);
  const auto key = store::key_builder{}.bytes(prefix).number(position.value).take();
  return txn.put(table::history, key, codec::encode_sorted(out));
}

result<std::optional<history_record>> oldest_record(store::read_txn& txn, std::string_view prefix) {
  auto cursor = txn.open_cursor(table::history);
  if (!cursor) return fail(std::move(cursor.error()));
  auto entry = (*cursor)->seek(prefix);
  if (!entry) return fail(std::move(entry.error()));
  if (!*entry || !(*entry)->key.starts_with(prefix)) return std::optional<history_record>{};
  auto record = decode_history_record(**entry);
  if (!record) return fail(std::move(record.error()));
  return std::optional{std::move(*record)};
}

result<void> expire_records(store::write_txn& txn, std::string_view prefix, std::int64_t before_ns,
                            std::size_t& room, const item_eraser& erase_item) {
  while (room > 0) {
    const auto record = oldest_record(txn, prefix);
    if (!record) return fail(record.error());
    if (!*record || (*record)->time_ns >= before_ns) return {};
    std::size_t count = 1;
    for (const auto& item : (*record)->items) {
      const auto gone = erase_item(**record, item);
      if (!gone) return fail(gone.error());
      count += *gone;
    }
    if (auto gone = txn.erase(table::history, (*record)->key); !gone) return fail(gone.error());
    room -= std::min(room, count);
  }
  return {};
}

}  // namespace argosy::view
