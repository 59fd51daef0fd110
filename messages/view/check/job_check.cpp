// SPDX-License-Identifier: Apache-2.0
// This file checks jobs and what follows from them: specifications, the indexes and the counts of
// job sets.
#include <absl/container/flat_hash_map.h>

#include <map>
#include <string>
#include <utility>

#include "messages/view/check/store_check.hpp"
#include "messages/view/job_glance.hpp"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/search/job_facts.hpp"
#include "messages/view/search/postings.hpp"
#include "messages/view/store_codec.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

using store::table;

struct job_totals {
  std::uint64_t live = 0;
  std::uint64_t done = 0;
  std::uint64_t placed = 0;
  std::uint64_t postings = 0;
  bool postings_are_there = true;  ///< Otherwise the next start makes them anew.
};

result<void> check_postings(store::read_txn& txn, const model::job_record& job, job_totals& totals,
                            check_report& report) {
  const auto& header = *job.header;
  auto due = lasting_postings(header.id, header.owner, *header.spec);
  due.push_back(state_posting(header.id, header.queue, job.state));
  totals.postings += due.size();
  for (const auto& key : due) {
    auto done = need(txn, table::job_postings, key, "a posting of a job is missing", report);
    if (!done) return done;
  }
  return {};
}

result<void> check_job(store::read_txn& txn, table in, const store::entry& entry,
                       job_totals& totals, check_report& report) {
  const auto job = decode_job(txn, entry.value, true);
  if (!job) {
    report.add(in, entry.key, job.error().detail);
    return {};
  }
  const auto& header = *job->header;
  if (job_key(header.id) != entry.key) {
    report.add(in, entry.key, "the record is of job " + to_string(header.id));
    return {};
  }
  const bool over = model::is_terminal(job->state);
  if (over != (in == table::jobs_done))
    report.add(in, entry.key,
               over ? "the job has ended and stands among those that have not"
                    : "the job has not ended and stands among those that have");
  if (!model::can_have_reason(job->state) && !job->reason.empty())
    report.add(in, entry.key,
               "the job is " + std::string{to_string(job->state)} +
                   " and has a reason, which searches by reason do not find");
  const auto index = job_set_prefix(header.queue, header.job_set).append(entry.key);
  auto done =
      need(txn, table::job_sets, index, "a job of this set is missing in the index", report);
  if (done && totals.postings_are_there) done = check_postings(txn, *job, totals, report);
  if (!done || over) return done;
  done = need(txn, table::queues, header.queue, "the queue of a live job is missing", report);
  if (!done || !has_run_in_state(job->state)) return done;
  ++totals.placed;
  return need(txn, table::jobs_placed, entry.key, "a job with a run is missing in the index",
              report);
}

result<void> check_table(store::read_txn& txn, table in, std::uint64_t& count, job_totals& totals,
                         check_report& report) {
  return store::each(txn, in, [&](const store::entry& entry) -> result<void> {
    ++count;
    if (in == table::jobs_done) {
      const auto twice = txn.get(table::jobs_live, entry.key);
      if (!twice) return fail(twice.error());
      if (*twice) report.add(in, entry.key, "the job also stands among those that have not ended");
    }
    return check_job(txn, in, entry, totals, report);
  });
}

/// Compares the size of an index. The entries that it needs were found before, so that the right
/// size means that it has no others.
result<void> check_size(store::read_txn& txn, table in, std::uint64_t due, check_report& report) {
  const auto found = txn.count(in);
  if (!found) return fail(found.error());
  if (*found != due)
    report.add(in, {},
               "it has " + std::to_string(*found) + " records where the jobs call for " +
                   std::to_string(due));
  return {};
}

/// The counts of one job set, taken anew from its jobs.
struct recount {
  std::map<model::job_state, std::uint32_t> jobs;
  std::string job_set;
};

using recounts = absl::flat_hash_map<std::string, recount>;

result<void> count_jobs(store::read_txn& txn, table in, recounts& sets) {
  return store::each(txn, in, [&](const store::entry& entry) -> result<void> {
    // What does not decode was reported with the jobs.
    const auto job = glance_at(entry.value);
    if (!job) return {};
    auto& of_set = sets[job_set_prefix(job->queue, job->job_set)];
    if (of_set.jobs.empty()) of_set.job_set = std::string{job->job_set};
    ++of_set.jobs[job->state];
    return {};
  });
}

result<bool> counts_are_current(store::read_txn& txn, check_report& report) {
  const auto current = counts_of_last_batch(txn);
  if (current) return *current;
  report.add(table::meta, "set_counts", current.error().detail);
  return true;
}

}  // namespace

result<void> check_jobs(store::read_txn& txn, check_report& report) {
  job_totals totals;
  const auto current = counts_of_last_batch(txn);
  totals.postings_are_there = current && *current;
  auto done = check_table(txn, table::jobs_live, totals.live, totals, report);
  if (done) done = check_table(txn, table::jobs_done, totals.done, totals, report);
  const auto all = totals.live + totals.done;
  if (done) done = check_size(txn, table::specs, all, report);
  if (done) done = check_size(txn, table::job_sets, all, report);
  if (done) done = check_size(txn, table::jobs_placed, totals.placed, report);
  if (done && totals.postings_are_there)
    done = check_size(txn, table::job_postings, totals.postings, report);
  report.note(counted(totals.live, "live job", "live jobs") + " and " +
              counted(totals.done, "ended one", "ended ones") +
              " were compared with their specifications and indexes.");
  return done;
}

result<void> check_job_set_counts(store::read_txn& txn, check_report& report) {
  const auto current = counts_are_current(txn, report);
  if (!current) return fail(current.error());
  if (!*current) {
    report.note("The counts of job sets are older than the store; the next start makes them anew.");
    return {};
  }
  recounts sets;
  for (const auto in : {table::jobs_live, table::jobs_done})
    if (auto read = count_jobs(txn, in, sets); !read) return read;
  std::uint64_t jobs = 0;
  const auto due = sets.size();
  auto done = store::each(txn, table::set_counts, [&](const store::entry& entry) -> result<void> {
    const auto counts = decode_counts(entry);
    if (!counts) {
      report.add(table::set_counts, entry.key, counts.error().detail);
      sets.erase(std::string{entry.key});
      return {};
    }
    if (job_set_prefix(counts->queue, counts->job_set) != entry.key)
      report.add(table::set_counts, entry.key, "the record is of job set " + counts->job_set);
    const auto found = sets.find(std::string{entry.key});
    const auto in_tables = found == sets.end() ? recount{} : found->second;
    if (counts->jobs != in_tables.jobs)
      report.add(table::set_counts, entry.key,
                 "the counts of job set '" + counts->job_set + "' of queue '" + counts->queue +
                     "' differ from its jobs");
    for (const auto& [state, count] : counts->jobs) jobs += count;
    if (found != sets.end()) sets.erase(found);
    return {};
  });
  for (const auto& [key, of_set] : sets)
    report.add(table::set_counts, key, "job set '" + of_set.job_set + "' has jobs and no counts");
  report.note("The counts of " + counted(due, "job set", "job sets") + " say " +
              counted(jobs, "job", "jobs") + "; they were counted again.");
  return done;
}

}  // namespace argosy::view
