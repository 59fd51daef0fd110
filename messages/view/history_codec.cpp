// SPDX-License-Identifier: Apache-2.0
#include "messages/view/history_codec.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "messages/proto/argosy/store.pb.h"
#include "messages/view/call_table.hpp"
#include "messages/view/ended_history.hpp"
#include "messages/view/history_record.hpp"
#include "messages/view/progress.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

namespace records = argosy::store::v1;
using store::table;
using store::write_txn;

using kind = history_kind;

std::string kind_prefix(kind which) {
  return std::string(1, static_cast<char>(which));
}

result<void> erase(write_txn& txn, table in, std::string_view key) {
  if (auto gone = txn.erase(in, key); !gone) return fail(std::move(gone.error()));
  return {};
}

/// Erases the events of one position in one job set; returns how many there were.
result<std::size_t> erase_events(write_txn& txn, const std::string& prefix,
                                 model::log_position position) {
  const auto from = store::key_builder{}.bytes(prefix).number(position.value).take();
  const auto to = store::key_builder{}.bytes(prefix).number(position.value + 1).take();
  return store::erase_range(txn, table::events, from, to, std::numeric_limits<std::size_t>::max());
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

/// The time of the oldest record of the kind; nothing when there is none.
result<std::optional<std::int64_t>> oldest_time(store::read_txn& txn, kind which) {
  const auto record = oldest_record(txn, kind_prefix(which));
  if (!record) return fail(record.error());
  return *record ? std::optional{(*record)->time_ns} : std::nullopt;
}

result<void> expire_events(write_txn& txn, std::int64_t before_ns, std::size_t& room) {
  model::log_position gone;
  const auto expired =
      expire_records(txn, kind_prefix(kind::events), before_ns, room,
                     [&txn, &gone](const history_record& of, const std::string& prefix) {
                       gone = of.position;
                       return erase_events(txn, prefix, of.position);
                     });
  if (!expired || gone.is_zero()) return expired;
  auto position = read_position(txn);
  if (!position) return fail(std::move(position.error()));
  auto next = position->value_or(view_position{});
  next.events_gone = gone;
  return write_position(txn, next);
}

result<void> expire_client_ids(write_txn& txn, std::int64_t before_ns, std::size_t& room) {
  return expire_records(txn, kind_prefix(kind::client_ids), before_ns, room,
                        [&](const history_record&, const std::string& key) -> result<std::size_t> {
                          if (auto gone = erase_client_id(txn, key, before_ns); !gone)
                            return fail(gone.error());
                          return 1;
                        });
}

result<std::int64_t> round_time(const store::entry& entry) {
  const auto round = decode_round(entry.value);
  if (!round) return fail(round.error());
  return round->time_ns;
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
  const auto what = static_cast<kind>(entry.key.empty() ? '\0' : entry.key.front());
  history_entry out;
  if (what == kind::ended_jobs) {
    const auto ended = decode_ended_jobs_key(entry.key);
    if (!ended) return fail(ended.error());
    out.queue = ended->queue;
    out.state = ended->state;
  } else if (entry.key.size() != 1 + sizeof(std::uint64_t) ||
             (what != kind::events && what != kind::client_ids)) {
    return fail(ec::corrupt, "a key of the history is not a kind and a position");
  }
  auto record = decode_history_record(entry);
  if (!record) return fail(std::move(record.error()));
  out.what = what;
  out.position = record->position;
  out.items = std::move(record->items);
  return out;
}

void history_writer::add(const ledger::change& change) {
  if (const auto* indexed = std::get_if<ledger::index_event>(&change)) {
    time_ns_ = std::max(time_ns_, indexed->event.time_ns);
    events_.insert(event_prefix(indexed->queue, indexed->job_set));
  } else if (const auto* job = std::get_if<ledger::put_job>(&change)) {
    const auto& record = job->record;
    if (!model::is_terminal(record.state)) return;
    ended_[ended_jobs_prefix(record.header->queue, record.state)].emplace(
        job_key(record.header->id));
  } else if (const auto* used = std::get_if<ledger::put_client_id>(&change)) {
    client_ids_.insert(client_id_key(*used));
  }
}

result<void> history_writer::write(write_txn& txn, model::log_position position) const {
  const auto put = [&](std::string_view prefix, const std::set<std::string>& items) {
    return put_history_record(txn, prefix, position, time_ns_, items);
  };
  if (auto ok = put(kind_prefix(kind::events), events_); !ok) return ok;
  for (const auto& [prefix, ids] : ended_)
    if (auto ok = put(prefix, ids); !ok) return ok;
  return put(kind_prefix(kind::client_ids), client_ids_);
}

result<ledger::oldest_kept> read_oldest_kept(store::read_txn& txn) {
  ledger::oldest_kept out;
  for (const auto& [which, to] :
       {std::pair{kind::events, &out.events_ns}, std::pair{kind::client_ids, &out.client_ids_ns}}) {
    const auto time_ns = oldest_time(txn, which);
    if (!time_ns) return fail(time_ns.error());
    *to = *time_ns;
  }
  auto ended = oldest_ended_jobs(txn);
  if (!ended) return fail(std::move(ended.error()));
  out.ended = std::move(*ended);
  auto round = oldest_round(txn);
  if (!round) return fail(std::move(round.error()));
  out.rounds_ns = *round;
  if (auto read = read_oldest_call(txn, out); !read) return fail(std::move(read.error()));
  return out;
}

result<void> expire_history(write_txn& txn, const model::history_expired& limits) {
  std::size_t room = limits.records_max;
  if (auto ok = expire_events(txn, limits.events_before_ns, room); !ok) return ok;
  if (auto ok = expire_ended_jobs(txn, limits, room); !ok) return ok;
  if (auto ok = expire_client_ids(txn, limits.client_ids_before_ns, room); !ok) return ok;
  if (auto ok = expire_rounds(txn, limits.events_before_ns, room); !ok) return ok;
  return expire_calls(txn, limits, room);
}

}  // namespace argosy::view
