// SPDX-License-Identifier: Apache-2.0
// This file checks the table history and what it names: an event, ended job or client id that it
// does not name would never expire.
#include <absl/container/flat_hash_set.h>

#include <array>
#include <string>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/check/store_check.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/job_glance.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

using store::table;

/// The history names these jobs and client ids, and so many events.
struct named {
  absl::flat_hash_set<std::string> jobs;
  absl::flat_hash_set<std::string> client_ids;
  std::uint64_t events = 0;
};

/// Counts the events of one position in one job set.
result<std::uint64_t> count_events(store::read_txn& txn, const std::string& prefix,
                                   model::log_position position) {
  std::uint64_t out = 0;
  const auto wanted = store::key_builder{}.bytes(prefix).number(position.value).take();
  const auto walked = store::scan(txn, table::events, wanted, [&out](const store::entry&) {
    ++out;
    return true;
  });
  if (!walked) return fail(walked.error());
  return out;
}

/// Whether the job has the queue and state under which the history names it. What does not decode
/// was reported with the jobs.
result<bool> names_rightly(store::read_txn& txn, const history_entry& entry,
                           const std::string& id) {
  const auto value = txn.get(table::jobs_done, id);
  if (!value) return fail(value.error());
  if (!*value) return true;
  const auto job = glance_at(**value);
  return !job || (job->queue == entry.queue && job->state == entry.state);
}

result<void> take(store::read_txn& txn, const store::entry& entry, model::log_position last,
                  named& out, check_report& report) {
  const auto added = decode_history_entry(entry);
  if (!added) {
    report.add(table::history, entry.key, added.error().detail);
    return {};
  }
  if (added->position > last)
    report.add(
        table::history, entry.key,
        "it is of record " + to_string(added->position) + ", which the store has not applied");
  for (const auto& item : added->items) {
    if (added->what == history_kind::ended_jobs) {
      const auto fits = names_rightly(txn, *added, item);
      if (!fits) return fail(fits.error());
      if (*fits) out.jobs.insert(item);
    }
    if (added->what == history_kind::client_ids) out.client_ids.insert(item);
    if (added->what != history_kind::events) continue;
    const auto events = count_events(txn, item, added->position);
    if (!events) return fail(events.error());
    out.events += *events;
    if (*events == 0)
      report.add(table::history, entry.key, "it names events of a job set that are missing");
  }
  return {};
}

result<std::uint64_t> check_events(store::read_txn& txn, model::log_position last,
                                   check_report& report) {
  std::uint64_t count = 0;
  auto walked = store::each(txn, table::events, [&](const store::entry& entry) -> result<void> {
    ++count;
    const auto place = event_place_of(entry.key);
    if (!place)
      report.add(table::events, entry.key, place.error().detail);
    else if (place->position > last)
      report.add(
          table::events, entry.key,
          "it is of record " + to_string(place->position) + ", which the store has not applied");
    if (const auto event = codec::decode_event(entry.value); !event)
      report.add(table::events, entry.key, event.error().detail);
    return {};
  });
  if (!walked) return fail(walked.error());
  return count;
}

result<void> check_named(store::read_txn& txn, table in, const absl::flat_hash_set<std::string>& by,
                         check_report& report) {
  return store::each(txn, in, [&](const store::entry& entry) -> result<void> {
    if (!by.contains(std::string{entry.key}))
      report.add(in, entry.key,
                 "the history does not name it where it belongs, so that it would never expire");
    return {};
  });
}

}  // namespace

result<void> check_history(store::read_txn& txn, model::log_position position,
                           check_report& report) {
  named by_history;
  auto done = store::each(txn, table::history, [&](const store::entry& entry) {
    return take(txn, entry, position, by_history, report);
  });
  if (!done) return done;
  const auto events = check_events(txn, position, report);
  if (!events) return fail(events.error());
  if (*events != by_history.events)
    report.add(table::events, {},
               "it has " + counted(*events, "event", "events") + ", and the history names " +
                   std::to_string(by_history.events));
  done = check_named(txn, table::jobs_done, by_history.jobs, report);
  if (done) done = check_named(txn, table::client_ids, by_history.client_ids, report);
  report.note(counted(*events, "event", "events") +
              " were read and compared with the history by which they expire.");
  return done;
}

}  // namespace argosy::view
