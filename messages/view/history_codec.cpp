// SPDX-License-Identifier: Apache-2.0
#include "messages/view/history_codec.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "messages/codec/log/log_values.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/audit/call_table.hpp"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/search/postings.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

using codec::check_format;
using codec::decode;

using codec::from_wire;
using codec::to_wire;

namespace {

namespace records = argosy::store::v1;
using store::table;
using store::write_txn;

constexpr std::uint32_t history_format = 1;

using kind = history_kind;

std::string kind_prefix(kind which) {
  return std::string(1, static_cast<char>(which));
}

result<records::History> decode_history(std::string_view value) {
  records::History in;
  if (auto ok = decode(value, in, "history record"); !ok) return fail(std::move(ok.error()));
  if (auto ok = check_format(in.format(), history_format, "history record"); !ok)
    return fail(std::move(ok.error()));
  return in;
}

result<void> write_items(write_txn& txn, kind which, std::uint64_t position, std::int64_t time_ns,
                         const std::set<std::string>& items) {
  if (items.empty()) return {};
  records::History out;
  out.set_format(history_format);
  out.set_time_ns(time_ns);
  for (const auto& item : items) out.add_items(item);
  const auto key = store::key_builder{}.bytes(kind_prefix(which)).number(position).take();
  return txn.put(table::history, key, out.SerializeAsString());
}

result<void> erase(write_txn& txn, table in, std::string_view key) {
  if (auto gone = txn.erase(in, key); !gone) return fail(std::move(gone.error()));
  return {};
}

/// Erases the events of one position in one job set; returns how many there were.
result<std::size_t> erase_events(write_txn& txn, const std::string& prefix,
                                 std::uint64_t position) {
  const auto from = store::key_builder{}.bytes(prefix).number(position).take();
  const auto to = store::key_builder{}.bytes(prefix).number(position + 1).take();
  return store::erase_range(txn, table::events, from, to, std::numeric_limits<std::size_t>::max());
}

result<void> erase_job(write_txn& txn, const std::string& id) {
  auto value = txn.get(table::jobs_done, id);
  if (!value) return fail(std::move(value.error()));
  if (!*value) return {};
  auto job = decode_job(txn, **value, false);
  if (!job) return fail(std::move(job.error()));
  const auto key = job_set_prefix(job->header->queue, job->header->job_set).append(id);
  if (auto ok = erase(txn, table::job_sets, key); !ok) return ok;
  if (auto ok = uncount_job(txn, *job); !ok) return ok;
  if (auto ok = erase_postings(txn, *job); !ok) return ok;
  if (auto ok = erase(txn, table::specs, id); !ok) return ok;
  return erase(txn, table::jobs_done, id);
}

/// Erases the client id unless it was used again since.
result<void> erase_client_id(write_txn& txn, const std::string& key, std::int64_t before_ns) {
  auto value = txn.get(table::client_ids, key);
  if (!value) return fail(std::move(value.error()));
  if (!*value) return {};
  auto known = decode_client_id({key, **value});
  if (!known) return fail(std::move(known.error()));
  if (known->used_ns >= before_ns) return {};
  return erase(txn, table::client_ids, key);
}

/// What one batch added of one kind.
struct added_batch {
  std::string key;
  std::uint64_t position = 0;
  std::int64_t time_ns = 0;
  std::vector<std::string> items;
};

result<added_batch> decode_added(const store::entry& entry) {
  auto record = decode_history(entry.value);
  if (!record) return fail(std::move(record.error()));
  const auto position = store::key_reader{entry.key.substr(1)}.number();
  if (!position) return fail(ec::corrupt, "a key of the history has no position");
  return added_batch{std::string{entry.key},
                     *position,
                     record->time_ns(),
                     {record->items().begin(), record->items().end()}};
}

/// The oldest batch that added records of the kind; nothing when there is none.
result<std::optional<added_batch>> oldest_batch(store::read_txn& txn, kind which) {
  auto cursor = txn.open_cursor(table::history);
  if (!cursor) return fail(std::move(cursor.error()));
  const auto prefix = kind_prefix(which);
  auto entry = (*cursor)->seek(prefix);
  if (!entry) return fail(std::move(entry.error()));
  if (!*entry || !(*entry)->key.starts_with(prefix)) return std::optional<added_batch>{};
  auto batch = decode_added(**entry);
  if (!batch) return fail(std::move(batch.error()));
  return std::optional{std::move(*batch)};
}

/// Erases what the batch added and returns how many records that were.
result<std::size_t> erase_batch(write_txn& txn, kind which, const added_batch& batch,
                                std::int64_t before_ns) {
  std::size_t count = 1;
  for (const auto& item : batch.items) {
    if (which == kind::events) {
      auto gone = erase_events(txn, item, batch.position);
      if (!gone) return gone;
      count += *gone;
      continue;
    }
    auto ok = which == kind::jobs ? erase_job(txn, item) : erase_client_id(txn, item, before_ns);
    if (!ok) return fail(std::move(ok.error()));
    ++count;
  }
  if (auto ok = erase(txn, table::history, batch.key); !ok) return fail(std::move(ok.error()));
  return count;
}

/// Erases the oldest batches first, as long as they are older and the room for records lasts. A
/// batch goes as a whole.
result<void> expire(write_txn& txn, kind which, std::int64_t before_ns, std::size_t& room) {
  while (room > 0) {
    auto batch = oldest_batch(txn, which);
    if (!batch) return fail(std::move(batch.error()));
    if (!*batch || (*batch)->time_ns >= before_ns) return {};
    auto gone = erase_batch(txn, which, **batch, before_ns);
    if (!gone) return fail(std::move(gone.error()));
    room -= std::min(room, *gone);
  }
  return {};
}

result<std::int64_t> round_time(const store::entry& entry) {
  records::Round in;
  if (auto ok = decode(entry.value, in, "round record"); !ok) return fail(std::move(ok.error()));
  return in.time_ns();
}

/// The time of the oldest round; nothing when there is none but the newest, which stays.
result<std::optional<std::int64_t>> oldest_round(store::read_txn& txn) {
  auto cursor = txn.open_cursor(table::rounds);
  if (!cursor) return fail(std::move(cursor.error()));
  auto entry = (*cursor)->first();
  if (!entry) return fail(std::move(entry.error()));
  if (!*entry) return std::optional<std::int64_t>{};
  auto time = round_time(**entry);
  if (!time) return fail(std::move(time.error()));
  auto second = (*cursor)->next();
  if (!second) return fail(std::move(second.error()));
  if (!*second) return std::optional<std::int64_t>{};
  return std::optional{*time};
}

/// The newest round stays: recovery goes on counting from it.
result<void> expire_rounds(write_txn& txn, std::int64_t before_ns, std::size_t& room) {
  auto newest = store::last(txn, table::rounds);
  if (!newest) return fail(std::move(newest.error()));
  if (!*newest) return {};
  const std::string end{(*newest)->key};
  auto cursor = txn.open_cursor(table::rounds);
  if (!cursor) return fail(std::move(cursor.error()));
  std::vector<std::string> doomed;
  auto entry = (*cursor)->first();
  while (entry && *entry && (*entry)->key != end && doomed.size() < room) {
    const auto time = round_time(**entry);
    if (!time) return fail(time.error());
    if (*time >= before_ns) break;
    doomed.emplace_back((*entry)->key);
    entry = (*cursor)->next();
  }
  if (!entry) return fail(std::move(entry.error()));
  room -= doomed.size();
  for (const auto& key : doomed)
    if (auto ok = erase(txn, table::rounds, key); !ok) return ok;
  return {};
}

}  // namespace

result<history_entry> decode_history_entry(const store::entry& entry) {
  if (entry.key.size() != 1 + sizeof(std::uint64_t) || entry.key[0] < 1 || entry.key[0] > 3)
    return fail(ec::corrupt, "a key of the history is not a kind and a position");
  auto added = decode_added(entry);
  if (!added) return fail(std::move(added.error()));
  return history_entry{static_cast<kind>(entry.key[0]), added->position, std::move(added->items)};
}

void history_writer::add(const ledger::change& change) {
  if (const auto* indexed = std::get_if<ledger::index_event>(&change)) {
    time_ns_ = std::max(time_ns_, indexed->event.time_ns);
    events_.insert(event_prefix(indexed->queue, indexed->job_set));
  } else if (const auto* job = std::get_if<ledger::put_job>(&change)) {
    if (!model::is_terminal(job->record.state)) return;
    const auto id = to_wire(job->record.header->id);
    jobs_.emplace(id.data(), id.size());
  } else if (const auto* used = std::get_if<ledger::put_client_id>(&change)) {
    client_ids_.insert(client_id_key(used->queue, used->client_id));
  }
}

result<void> history_writer::write(write_txn& txn, std::uint64_t position) const {
  if (auto ok = write_items(txn, kind::events, position, time_ns_, events_); !ok) return ok;
  if (auto ok = write_items(txn, kind::jobs, position, time_ns_, jobs_); !ok) return ok;
  return write_items(txn, kind::client_ids, position, time_ns_, client_ids_);
}

result<ledger::oldest_kept> read_oldest_kept(store::read_txn& txn) {
  ledger::oldest_kept out;
  for (const auto& [which, to] :
       {std::pair{kind::events, &out.events_ns}, std::pair{kind::jobs, &out.jobs_ns},
        std::pair{kind::client_ids, &out.client_ids_ns}}) {
    auto batch = oldest_batch(txn, which);
    if (!batch) return fail(std::move(batch.error()));
    if (*batch) *to = (*batch)->time_ns;
  }
  auto round = oldest_round(txn);
  if (!round) return fail(std::move(round.error()));
  out.rounds_ns = *round;
  if (auto read = read_oldest_call(txn, out); !read) return fail(std::move(read.error()));
  return out;
}

result<void> expire_history(write_txn& txn, const model::history_expired& limits) {
  std::size_t room = limits.records_max;
  if (auto ok = expire(txn, kind::events, limits.events_before_ns, room); !ok) return ok;
  if (auto ok = expire(txn, kind::jobs, limits.jobs_before_ns, room); !ok) return ok;
  if (auto ok = expire(txn, kind::client_ids, limits.client_ids_before_ns, room); !ok) return ok;
  if (auto ok = expire_rounds(txn, limits.events_before_ns, room); !ok) return ok;
  return expire_calls(txn, limits, room);
}

}  // namespace argosy::view
