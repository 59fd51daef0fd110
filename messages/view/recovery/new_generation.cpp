// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/new_generation.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/progress.hpp"
#include "messages/view/recovery/log_reading.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

/// The highest epoch that the end of a log shows: agents may know it.
model::epoch last_epoch(eventlog::event_log& log, const codec::log_key& key,
                        const eventlog::log_info& info) {
  const auto last = info.last_position;
  for (auto at = last; at >= info.first_position && last - at < looked_at_max; --at) {
    const auto record = find_record(log, at);
    if (!record) break;
    if (!*record) continue;
    const auto& data = (*record)->data;
    if (!key.signed_by_this(data)) continue;
    if (const auto batch = codec::decode_batch(data)) return batch->epoch;
  }
  return {};
}

}  // namespace

result<void> choose_next(eventlog::event_log& log, model::generation_begun& begun) {
  const auto all = log.generations();
  if (!all) return fail(all.error());
  const auto newest = all->empty() ? model::log_generation{} : all->back();
  begun.generation = std::max(newest, begun.previous).next();
  if (newest > begun.previous) {
    log.choose(newest, begun.position);
    const auto info = log.info();
    if (info && info->last_position == begun.position) begun.generation = newest;
  }
  log.choose(begun.generation, begun.position);
  return log.create();
}

result<eventlog::record> write_beginning(eventlog::event_log& log, const codec::log_key& key,
                                         const recovered_state& state,
                                         const eventlog::log_info& given_up, model::epoch granted) {
  const auto& at = state.position;
  model::generation_begun begun;
  begun.previous = at.generation;
  begun.position = std::max(at.position, given_up.last_position);
  begun.queues = state.queues.size();
  begun.clusters = state.clusters.size();
  for (const auto& [name, core] : state.queues) begun.live_jobs += core->live_count();
  model::log_batch batch;
  batch.epoch = granted.is_zero() ? std::max(at.epoch, last_epoch(log, key, given_up)) : granted;
  if (auto made = choose_next(log, begun); !made) return fail(made.error());
  batch.generation = begun.generation;
  batch.number = at.batch_number + 1;
  batch.previous_hash = at.hash;
  batch.events.push_back({state.newest_ns, {}, begun});
  eventlog::record out;
  out.data = codec::encode_batch(batch);
  key.sign(out.data);
  out.msg_id = to_string(begun.generation) + "." + to_string(batch.epoch) + ".begin." +
               std::to_string(batch.number);
  const auto appended = log.append(begun.position, out.msg_id, out.data);
  if (!appended) return fail(appended.error());
  out.position = *appended;
  return out;
}

result<void> forget_tail(store::database& database, model::log_position position) {
  auto txn = database.begin_write();
  if (!txn) return fail(txn.error());
  std::vector<std::string> keys;
  const auto read = store::each(
      **txn, store::table::tail,
      [&](const store::entry& entry) -> result<void> {
        keys.emplace_back(entry.key);
        return {};
      },
      store::number_key(position.value + 1));
  if (!read) return read;
  for (const auto& key : keys)
    if (auto gone = (*txn)->erase(store::table::tail, key); !gone) return fail(gone.error());
  return (*txn)->commit();
}

}  // namespace argosy::view
