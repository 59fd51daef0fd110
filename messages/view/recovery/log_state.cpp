// SPDX-License-Identifier: Apache-2.0
#include "messages/view/recovery/log_state.hpp"

#include <algorithm>
#include <utility>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/recovery/roll_over.hpp"
#include "messages/view/recovery/standing.hpp"
#include "runtime/logging/line.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

/// Whether the record may be a batch of the chain, as far as it shows by itself.
bool is_of_chain(const eventlog::record& record, const view_position& end,
                 const codec::log_key& key) {
  return end.key_print != 0 ? key.signed_by_this(record.data) : codec::is_batch(record.data);
}

/// The last records of a log, which show whose it is.
struct log_tail {
  bool of_chain = false;   ///< There is a batch that may be ours.
  bool any_batch = false;  ///< There is a batch of anybody.
  bool joint = false;      ///< The batch with this hash is there.
  /// The last record that the log counts and does not give, since its files are damaged; 0: none.
  model::log_position unreadable{};
};

std::string given_up(model::log_generation generation) {
  return "the records of generation " + to_string(generation) +
         " were given up for snapshots of the store; without a snapshot or store, restore a backup "
         "with 'argosyd recover --from DIR'";
}

/// Whether the records begin behind `last`, have no gap, and go as far as `end`.
bool covers(const std::vector<eventlog::record>& records, model::log_position last,
            model::log_position end) {
  for (const auto& record : records)
    if (record.position != ++last) return false;
  return last >= end;
}

result<log_tail> look_back(eventlog::event_log& log, const eventlog::log_info& info,
                           std::uint64_t hash, const view_position& end,
                           const codec::log_key& key) {
  log_tail out;
  const auto last = info.last_position;
  for (auto at = last; at >= info.first_position && last - at < looked_at_max; --at) {
    const auto record = find_record(log, at);
    if (!record) return fail(record.error());
    if (!*record) {
      out.unreadable = std::max(out.unreadable, at);
      continue;
    }
    const auto& data = (*record)->data;
    if (codec::batch_hash(data) == hash) out.joint = true;
    if (out.joint) break;
    if (is_of_chain(**record, end, key)) out.of_chain = true;
    if (codec::is_batch(data)) out.any_batch = true;
  }
  // A log that has lost its first records begins behind them.
  const auto lost = info.first_position - 1;
  const bool seen_all = last - std::min(lost, last) < looked_at_max;
  if (!out.joint && seen_all && lost > end.generation_base)
    out.unreadable = std::max(out.unreadable, std::min(lost, last));
  return out;
}

/// The log counts the record with which the store ends but does not give it. What stands behind it
/// tells whether the log is that of the store; a log that ends there has nothing to tell.
result<void> match_unreadable(eventlog::event_log& log, const view_position& end,
                              const codec::log_key& key, log_state& out) {
  const auto last = out.info.last_position;
  out.why = unreadable_record(end.position);
  out.match = last == end.position ? log_match::behind : log_match::contradicts;
  for (auto at = end.position + 1; at <= last && at - end.position <= looked_at_max; ++at) {
    const auto record = find_record(log, at);
    if (!record) return fail(record.error());
    if (!*record) return {};
    if (judge((*record)->data, end, &key).as != standing::next) continue;
    out.match = log_match::continues;
    out.note = std::exchange(out.why, {}) + "; this store has it and goes on from the next one";
    return {};
  }
  return {};
}

/// The log ends before the tail, which may have what it lacks, if it continues the log.
result<void> match_shorter(eventlog::event_log& log, const view_position& end,
                           const codec::log_key& key, log_state& out) {
  const auto last = out.info.last_position;
  const auto foremost = std::ranges::find_if(
      out.missing, [&](const auto& record) { return is_of_chain(record, end, key); });
  std::uint64_t before = end.hash;
  if (foremost != out.missing.end()) {
    const auto batch = codec::decode_batch(foremost->data);
    if (!batch) return fail(batch.error());
    before = batch->previous_hash;
  }
  const auto found = look_back(log, out.info, before, end, key);
  if (!found) return fail(found.error());
  const bool first = last == end.generation_base && !found->any_batch;
  const bool joins =
      found->joint || foremost == out.missing.end() || (!found->of_chain && before == 0) || first;
  const bool longer = last >= end.position;
  // The log has the batch with which the store ends. If it does not give one behind that, it shows
  // when the log is applied whether the tail goes on from there.
  if (longer && (joins || found->unreadable > end.position)) {
    out.match = log_match::continues;
    return {};
  }
  const bool whole = found->unreadable.is_zero();
  if (longer || (whole && covers(out.missing, last, end.position))) {
    out.match = joins ? log_match::repairable : log_match::contradicts;
    if (!joins)
      out.why = "the tail's record " + to_string(foremost->position) +
                " does not continue the log, which ends at record " + to_string(last) +
                ": the data directory and the log stream do not belong together";
    return {};
  }
  const auto ends = "the log ends at record " + to_string(last);
  out.match = found->of_chain || !found->any_batch ? log_match::behind : log_match::of_others;
  out.why = out.match == log_match::behind && !whole ? unreadable_record(found->unreadable)
            : out.match == log_match::behind
                ? ends + " but this store has applied record " + to_string(end.position) +
                      ", and the tail does not reach back far enough to repair the log"
                : ends +
                      " and has none of the batches of this store: the data directory and the "
                      "log stream do not belong together";
  return {};
}

}  // namespace

result<std::vector<eventlog::record>> read_tail(store::database& database,
                                                model::log_position after,
                                                model::log_position until) {
  auto txn = database.begin_read();
  if (!txn) return fail(txn.error());
  std::vector<eventlog::record> out;
  result<void> failed;
  const auto read = store::scan(
      **txn, store::table::tail, {},
      [&](const store::entry& entry) {
        auto record = view::decode_tail(entry);
        if (!record) failed = fail(record.error());
        if (!record || record->position > until) return false;
        out.push_back(std::move(*record));
        return true;
      },
      store::number_key(after.value + 1));
  if (!read) return fail(read.error());
  if (!failed) return fail(failed.error());
  return out;
}

result<std::optional<eventlog::record>> find_in_tail(store::database& database,
                                                     model::log_position position) {
  auto txn = database.begin_read();
  if (!txn) return fail(txn.error());
  const auto key = store::number_key(position.value);
  const auto known = (*txn)->get(store::table::tail, key);
  if (!known) return fail(known.error());
  if (!*known) return std::optional<eventlog::record>{};
  auto record = decode_tail({key, **known});
  if (!record) return fail(record.error());
  return std::optional{std::move(*record)};
}

log_plan decide(bool store_is_empty, log_match own, later_log later, bool at_end, bool is_copy) {
  using enum log_plan;
  if (later == later_log::continues) return follow;
  const bool usable = own == log_match::continues || own == log_match::repairable;
  if (later == later_log::farther && (at_end || !usable)) return refuse;
  if (is_copy && own != log_match::continues) return refuse;
  switch (own) {
    case log_match::continues:
      return go_on;
    case log_match::repairable:
      return repair;
    case log_match::absent:
      return store_is_empty ? create : begin_anew;
    case log_match::behind:
      return begin_anew;
    case log_match::contradicts:
    case log_match::of_others:
      return refuse;
  }
  return refuse;
}

result<log_state> look_at_log(store::database& database, eventlog::event_log& log,
                              const view_position& end, const codec::log_key& key) {
  log_state out;
  auto info = log.info();
  if (!info && info.error().code == ec::not_found) {
    out.why = info.error().detail;
    return out;
  }
  if (!info) return fail(info.error());
  out.info = *info;
  auto missing = read_tail(database, info->last_position);
  if (!missing) return fail(missing.error());
  out.missing = std::move(*missing);
  if (is_emptied(*info, end.generation_base) && end.position < info->last_position) {
    out.match = log_match::contradicts;
    out.why = given_up(end.generation);
    return out;
  }
  if (!end.position.is_zero() && info->last_position >= end.position) {
    const auto record = find_record(log, end.position);
    if (!record) return fail(record.error());
    if (!*record) {
      if (auto done = match_unreadable(log, end, key, out); !done) return fail(done.error());
      return out;
    }
    if (codec::batch_hash((*record)->data) != end.hash) {
      out.match = log_match::contradicts;
      out.why = "the log's record " + to_string(end.position) +
                " is not the one that this store has applied: the data directory and the log "
                "stream do not belong together";
      return out;
    }
  }
  if (out.missing.empty() && info->last_position >= end.position) {
    out.match = log_match::continues;
    return out;
  }
  if (auto done = match_shorter(log, end, key, out); !done) return fail(done.error());
  return out;
}

result<std::optional<later_beginning>> find_later(eventlog::event_log& log,
                                                  const view_position& end,
                                                  const codec::log_key& key) {
  std::optional<later_beginning> out;
  bool emptied = false;  // That is no problem if another generation follows.
  const auto all = log.generations();
  if (!all) return fail(all.error());
  for (const auto generation : *all) {
    if (generation <= end.generation || (out && !emptied)) continue;
    log.choose(generation, {});
    const auto info = log.info();
    if (!info) return fail(info.error());
    bool ours = false;
    bool any = !info->last_position.is_zero() && info->first_position.value > 1;
    const auto counts = [&](const eventlog::record& record, const model::log_batch&) {
      ours = key.signed_by_this(record.data);
      const bool so = ours || end.position.is_zero();
      any = any || so;
      return so;
    };
    auto found = find_beginning(log, *info, counts);
    if (!found && found.error().code != ec::corrupt) return fail(found.error());
    if (found && *found) {
      out = std::move(*found);
      out->ours = ours;
      emptied = false;
    } else if (!found || any) {
      emptied = is_emptied(*info, {});
      out.emplace().begun.generation = generation;
      out->problem = emptied ? given_up(generation)
                             : "generation " + to_string(generation) +
                                   " of the log has lost the record that tells where it begins" +
                                   (found ? std::string{} : ": " + found.error().detail);
    }
  }
  log.choose(end.generation, end.generation_base);
  return out;
}

later_log relation(const std::optional<later_beginning>& later, const view_position& end) {
  if (!later) return later_log::none;
  return later->ours && later->begun.previous == end.generation && later->previous_hash == end.hash
             ? later_log::continues
             : later_log::farther;
}

std::string loss_of(const copy_mark& copy) {
  return "this store was restored from the backup of " +
         logging::utc_text(from_nanos(copy.time_ns)) +
         ", and the log that went on from there is lost or ends before it: whatever was accepted "
         "or ended after that time is not known any more";
}

std::string why_refused(const log_state& found, const view_position& end,
                        const std::optional<later_beginning>& later,
                        const std::optional<copy_mark>& copy) {
  using enum log_match;
  if (later && !later->problem.empty()) return later->problem;
  if (later && later->begun.position < end.position)
    return "generation " + to_string(later->begun.generation) + " of the log began behind record " +
           to_string(later->begun.position) + ", but this store has records up to " +
           to_string(end.position) +
           ": it is newer than where another control plane process went on. Nothing of it is lost: "
           "stop that other process for good, and 'argosyd recover --accept-loss' goes on with "
           "this "
           "store, without what the other accepted";
  if (later)
    return "this store ends before generation " + to_string(later->begun.generation) +
           " of the log begins, so that it is older than the log" +
           (is_emptied(found.info, {}) ? "; " + found.why : std::string{});
  const bool shorter = found.match == absent || found.match == repairable || found.match == behind;
  return copy && shorter ? loss_of(*copy) : found.why;
}

}  // namespace argosy::view
