// SPDX-License-Identifier: Apache-2.0
#include "messages/view/check/store_check.hpp"

#include <string>
#include <utility>

#include "messages/view/view_keys.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

using store::table;

/// Checks the position and returns it; returns nothing if it cannot be read.
result<std::optional<view_position>> check_position(store::read_txn& txn, const codec::log_key* key,
                                                    check_report& report) {
  const auto read = read_position(txn);
  if (!read) {
    report.add(table::meta, "position", read.error().detail);
    return std::optional<view_position>{};
  }
  if (!*read) {
    report.note("The store is empty: it has applied no record of a log.");
    return std::optional{view_position{}};
  }
  const auto& at = **read;
  const auto fault = [&](const char* what) { report.add(table::meta, "position", what); };
  if (at.generation.is_zero()) fault("the generation is 0, and the first is 1");
  if (at.position <= at.generation_base)
    fault("the position is not behind the last one before its generation");
  if (at.epoch.is_zero()) fault("the epoch is 0, though somebody wrote a batch");
  if (at.hash == 0) fault("the hash of the last batch is missing");
  if (key != nullptr && at.key_print != key->print())
    report.add({"the key", key->place(), "this store's log was written with another key",
                "Put the right file there; a backup has it as log.key."});
  report.note("The store ends at record " + to_string(at.position) + " of generation " +
              to_string(at.generation) + " in epoch " + to_string(at.epoch) + ".");
  if (const auto copy = read_copy_mark(txn); !copy)
    report.add(table::meta, "copy", copy.error().detail);
  else if (*copy)
    report.note("The store was restored from a backup, and no argosyd has started with it since.");
  if (const auto clock = read_clock(txn); !clock)
    report.add(table::meta, "clock", clock.error().detail);
  return std::optional{at};
}

}  // namespace

result<void> check_order(store::read_txn& txn, check_report& report,
                         const table_listener& reading) {
  std::uint64_t records = 0;
  for (std::size_t number = 0; number < store::table_names.size(); ++number) {
    const auto which = static_cast<table>(number);
    if (reading) reading(which);
    std::string before;
    std::uint64_t found = 0;
    const auto walked = store::scan(txn, which, {}, [&](const store::entry& entry) {
      if (found > 0 && entry.key <= before)
        report.add(which, entry.key, "the key does not come behind the one before it");
      before = entry.key;
      ++found;
      return true;
    });
    if (!walked) return walked;
    const auto known = txn.count(which);
    if (!known) return fail(known.error());
    if (*known != found)
      report.add(which, {},
                 "it has " + std::to_string(found) + " records where " + std::to_string(*known) +
                     " are counted");
    records += found;
  }
  report.note("All " + std::to_string(store::table_names.size()) +
              " tables were read, which have " + counted(records, "record", "records") + ".");
  return {};
}

result<void> need(store::read_txn& txn, store::table in, std::string_view key, std::string missing,
                  check_report& report) {
  const auto found = txn.get(in, key);
  if (!found) return fail(found.error());
  if (!*found) report.add(in, key, std::move(missing));
  return {};
}

result<std::optional<view_position>> check_store(store::read_txn& txn, const codec::log_key* key,
                                                 check_report& report,
                                                 const table_listener& reading) {
  const auto say = [&](table which) {
    if (reading) reading(which);
  };
  if (auto done = check_order(txn, report, reading); !done) return fail(done.error());
  say(table::meta);
  auto at = check_position(txn, key, report);
  if (!at) return at;
  const auto position = at->value_or(view_position{}).position;
  say(table::jobs_live);
  auto done = check_jobs(txn, report);
  say(table::set_counts);
  if (done) done = check_job_set_counts(txn, report);
  say(table::queues);
  if (done) done = check_queues(txn, report);
  say(table::clusters);
  if (done) done = check_clusters(txn, report);
  say(table::rounds);
  if (done) done = check_rounds(txn, report);
  say(table::history);
  if (done && *at) done = check_history(txn, position, report);
  say(table::tail);
  if (done && *at) done = check_tail(txn, **at, key, report);
  if (!done) return fail(done.error());
  return at;
}

}  // namespace argosy::view
