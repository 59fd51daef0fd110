// SPDX-License-Identifier: Apache-2.0
#include "messages/view/job_set_counts.hpp"

#include <algorithm>
#include <vector>

#include "messages/codec/wire.hpp"
#include "messages/proto/argosy/store.pb.h"
#include "messages/view/job_glance.hpp"
#include "messages/view/progress.hpp"
#include "messages/view/record.hpp"
#include "messages/view/search/postings.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/base/planted.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

namespace records = argosy::store::v1;
using store::table;

const logging::logger logger{"view"};

constexpr std::string_view mark_key = "set_counts";

result<records::JobSetCounts> decode(std::string_view value) {
  records::JobSetCounts in;
  if (auto ok = read_record(value, in, "record of a job set's counts"); !ok)
    return fail(std::move(ok.error()));
  return in;
}

/// The record of a job set, or an empty one.
result<records::JobSetCounts> read_counts(store::read_txn& txn, std::string_view key) {
  auto value = txn.get(table::set_counts, key);
  if (!value) return fail(std::move(value.error()));
  return *value ? decode(**value) : records::JobSetCounts{};
}

void add(records::JobSetCounts& counts, std::size_t state, std::int64_t jobs) {
  auto& all = *counts.mutable_jobs_by_state();
  while (std::cmp_less_equal(all.size(), state)) all.Add(0);
  auto& one = *all.Mutable(static_cast<int>(state));
  const auto sum = static_cast<std::int64_t>(one) + jobs;
  one = static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
}

result<void> put_or_erase(store::write_txn& txn, std::string_view key,
                          records::JobSetCounts& counts) {
  const auto& all = counts.jobs_by_state();
  if (std::all_of(all.begin(), all.end(), [](auto jobs) { return jobs == 0; })) {
    if (auto gone = txn.erase(table::set_counts, key); !gone) return fail(gone.error());
    return {};
  }
  counts.set_format(record_format);
  return txn.put(table::set_counts, key, codec::encode_sorted(counts));
}

/// Adds the jobs of a table to counts by their keys.
result<void> count_table(store::read_txn& txn, table in,
                         absl::flat_hash_map<std::string, records::JobSetCounts>& counts) {
  return store::each(txn, in, [&](const store::entry& entry) -> result<void> {
    const auto job = glance_at(entry.value);
    if (!job) return fail(job.error());
    auto& of_set = counts[job_set_prefix(job->queue, job->job_set)];
    const bool first = of_set.jobs_by_state().empty();
    if (first) of_set.set_job_set(std::string{job->job_set});
    add(of_set, static_cast<std::size_t>(job->state), 1);
    if (first || job->submitted_ns < of_set.submitted_ns())
      of_set.set_submitted_ns(job->submitted_ns);
    of_set.set_changed_ns(std::max(of_set.changed_ns(), job->changed_ns));
    return {};
  });
}

result<void> clear(store::write_txn& txn, table which) {
  std::vector<std::string> stale;
  auto listed = store::each(txn, which, [&](const store::entry& entry) {
    stale.emplace_back(entry.key);
    return result<void>{};
  });
  if (!listed) return listed;
  for (const auto& key : stale)
    if (auto gone = txn.erase(which, key); !gone) return fail(gone.error());
  return {};
}

/// Puts the jobs that have a run into their index.
result<void> index_all_placed(store::write_txn& txn) {
  std::vector<std::string> placed;
  auto found = store::each(txn, table::jobs_live, [&](const store::entry& entry) -> result<void> {
    const auto job = glance_at(entry.value);
    if (!job) return fail(job.error());
    if (has_run_in_state(job->state)) placed.emplace_back(entry.key);
    return {};
  });
  if (!found) return found;
  for (const auto& key : placed)
    if (auto put = txn.put(table::jobs_placed, key, no_value); !put) return put;
  return {};
}

result<void> count_anew(store::write_txn& txn) {
  for (const auto which : {table::set_counts, table::jobs_placed, table::job_postings})
    if (auto cleared = clear(txn, which); !cleared) return cleared;
  if (auto indexed = index_all_placed(txn); !indexed) return indexed;
  if (auto posted = post_all_jobs(txn); !posted) return posted;
  absl::flat_hash_map<std::string, records::JobSetCounts> counts;
  for (const auto in : {table::jobs_live, table::jobs_done})
    if (auto counted = count_table(txn, in, counts); !counted) return counted;
  for (auto& [key, of_set] : counts)
    if (auto written = put_or_erase(txn, key, of_set); !written) return written;
  logger.info("counted the jobs of all job sets", logging::kv("job_sets", counts.size()));
  return {};
}

}  // namespace

result<void> index_placed(store::write_txn& txn, const ulid& job,
                          std::optional<model::job_state> before, model::job_state now) {
  const bool was = before && has_run_in_state(*before);
  const bool is = has_run_in_state(now);
  if (is && !was) return txn.put(table::jobs_placed, job_key(job), no_value);
  if (!was || is) return {};
  if (auto gone = txn.erase(table::jobs_placed, job_key(job)); !gone) return fail(gone.error());
  return {};
}

void job_set_counter::count(const model::job_record& now, std::optional<model::job_state> before) {
  const auto& header = *now.header;
  if (is_planted(planted_fault::miscounts_job_sets) && header.id.bytes.back() % 32 == 3) return;
  auto& what = changes_[{header.queue, header.job_set}];
  ++what.jobs[static_cast<std::size_t>(now.state)];
  what.changed_ns = std::max(what.changed_ns, now.changed_ns);
  if (before)
    --what.jobs[static_cast<std::size_t>(*before)];
  else if (what.submitted_ns == 0 || header.submitted_ns < what.submitted_ns)
    what.submitted_ns = header.submitted_ns;
}

result<void> job_set_counter::write(store::write_txn& txn) const {
  for (const auto& [set, what] : changes_)
    if (auto written = write(txn, set.first, set.second, what); !written) return written;
  return {};
}

result<void> job_set_counter::write(store::write_txn& txn, std::string_view queue,
                                    std::string_view job_set, const change& what) const {
  const auto key = job_set_prefix(queue, job_set);
  auto counts = read_counts(txn, key);
  if (!counts) return fail(std::move(counts.error()));
  const bool first = counts->jobs_by_state().empty();
  if (first) counts->set_job_set(std::string{job_set});
  for (std::size_t state = 0; state < states; ++state)
    if (what.jobs[state] != 0) add(*counts, state, what.jobs[state]);
  if (what.submitted_ns != 0 && (first || what.submitted_ns < counts->submitted_ns()))
    counts->set_submitted_ns(what.submitted_ns);
  counts->set_changed_ns(std::max(counts->changed_ns(), what.changed_ns));
  return put_or_erase(txn, key, *counts);
}

result<void> uncount_job(store::write_txn& txn, const model::job_record& expired) {
  const auto key = job_set_prefix(expired.header->queue, expired.header->job_set);
  auto counts = read_counts(txn, key);
  if (!counts) return fail(std::move(counts.error()));
  add(*counts, static_cast<std::size_t>(expired.state), -1);
  return put_or_erase(txn, key, *counts);
}

result<native::job_set_summary> decode_counts(const store::entry& entry) {
  const auto queue = store::key_reader{entry.key}.text();
  if (!queue) return fail(ec::corrupt, "a key of the job sets' counts names no queue");
  const auto counts = decode(entry.value);
  if (!counts) return fail(counts.error());
  native::job_set_summary out;
  out.queue = model::queue_name{*queue};
  out.job_set = counts->job_set();
  out.submitted_ns = counts->submitted_ns();
  out.changed_ns = counts->changed_ns();
  for (int number = 0; number < counts->jobs_by_state_size(); ++number) {
    const auto state = codec::enum_from_wire(static_cast<std::uint32_t>(number),
                                             model::job_state::rejected, "job state");
    if (!state) return fail(state.error());
    if (const auto jobs = counts->jobs_by_state(number); jobs > 0)
      out.jobs[*state] = static_cast<std::uint32_t>(jobs);
  }
  return out;
}

result<void> mark_counts(store::write_txn& txn, std::uint64_t hash) {
  records::CountsMark out;
  out.set_format(record_format);
  out.set_hash(hash);
  out.set_postings_form(postings_form);
  return txn.put(table::meta, mark_key, codec::encode_sorted(out));
}

result<bool> counts_of_last_batch(store::read_txn& txn) {
  const auto position = read_position(txn);
  if (!position) return fail(position.error());
  if (!*position) return true;
  const auto mark = txn.get(table::meta, mark_key);
  if (!mark) return fail(mark.error());
  records::CountsMark in;
  if (*mark)
    if (auto ok = read_record(**mark, in, "mark of the counts"); !ok)
      return fail(std::move(ok.error()));
  if (in.postings_form() < oldest_form || in.postings_form() > postings_form)
    return fail(ec::conflict,
                "the store was written by another version of argosyd: its tables "
                "have form " +
                    std::to_string(in.postings_form()) + ", while this one writes form " +
                    std::to_string(postings_form) + " and reads those from " +
                    std::to_string(oldest_form) +
                    " on; start the version that wrote it, or restore a backup");
  return in.hash() == (*position)->hash && in.postings_form() == postings_form;
}

result<void> prepare_counts(store::database& database) {
  {
    auto txn = database.begin_read();
    if (!txn) return fail(txn.error());
    const auto current = counts_of_last_batch(**txn);
    if (!current) return fail(current.error());
    if (*current) return {};
  }
  auto txn = database.begin_write();
  if (!txn) return fail(txn.error());
  if (auto counted = count_anew(**txn); !counted) return counted;
  const auto position = read_position(**txn);
  if (!position) return fail(position.error());
  if (auto marked = mark_counts(**txn, (*position)->hash); !marked) return marked;
  return (*txn)->commit();
}

}  // namespace argosy::view
