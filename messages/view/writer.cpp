// SPDX-License-Identifier: Apache-2.0
#include "messages/view/writer.hpp"

#include <absl/container/flat_hash_map.h>

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "messages/view/history_codec.hpp"
#include "messages/view/job_glance.hpp"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/search/postings.hpp"
#include "messages/view/store_codec.hpp"

namespace argosy::view {

namespace {

/// The state of the job as the store has it; nothing when it does not have the job.
result<std::optional<model::job_state>> stored_state(store::read_txn& txn, const ulid& id) {
  for (const auto in : {store::table::jobs_live, store::table::jobs_done}) {
    const auto value = txn.get(in, job_key(id));
    if (!value) return fail(value.error());
    if (!*value) continue;
    const auto job = glance_at(**value);
    if (!job) return fail(job.error());
    return std::optional{job->state};
  }
  return std::optional<model::job_state>{};
}

/// The jobs that a batch changes. Of each job only the last state is written, since nobody sees
/// those before it.
class changed_jobs {
 public:
  void add(const ledger::put_job& change) {
    const auto [found, first] = places_.try_emplace(change.record.header->id, jobs_.size());
    if (first)
      jobs_.push_back({&change, change.is_new});
    else
      jobs_[found->second].last = &change;
  }

  result<void> write(store::write_txn& txn) const {
    job_set_counter counts;
    for (const auto& job : jobs_) {
      const auto& record = job.last->record;
      const auto before = job.is_new ? result<std::optional<model::job_state>>{std::nullopt}
                                     : stored_state(txn, record.header->id);
      if (!before) return fail(before.error());
      counts.count(record, *before);
      auto indexed = index_placed(txn, record.header->id, *before, record.state);
      if (indexed) indexed = post_job(txn, record, *before);
      if (!indexed) return indexed;
      auto written = job.is_new == job.last->is_new
                         ? write_change(txn, *job.last, {})
                         : write_change(txn, ledger::put_job{record, true}, {});
      if (!written) return written;
    }
    return counts.write(txn);
  }

 private:
  struct changed_job {
    const ledger::put_job* last = nullptr;
    bool is_new = false;
  };

  std::vector<changed_job> jobs_;
  absl::flat_hash_map<ulid, std::size_t> places_;
};

/// From which position on the log may have had other records, if the batch begins a generation from
/// a store; otherwise 0. Behind a seal nothing was given up.
model::log_position joins_at(const view_position& before, const native::committed_batch& batch) {
  if (before.position.is_zero() || batch.generation == before.generation || before.sealed)
    return {};
  return before.joins_at.is_zero() ? before.position + 1 : before.joins_at;
}

}  // namespace

result<void> write_batch(store::write_txn& txn, const native::committed_batch& batch,
                         const std::function<void(const ledger::index_event&)>& indexed) {
  std::uint32_t index = 0;
  view::history_writer history;
  bool claims = false;
  // Only the last totals of a batch count, and every job that ends brings some.
  std::map<std::string_view, const ledger::put_queue_totals*> totals;
  changed_jobs jobs;
  for (const auto& entry : batch.entries) {
    for (const auto& change : entry->changes) {
      if (const auto* counted = std::get_if<ledger::put_queue_totals>(&change)) {
        totals[counted->queue] = counted;
        continue;
      }
      if (const auto* gone = std::get_if<ledger::erase_queue>(&change)) totals.erase(gone->name);
      claims = claims || std::holds_alternative<ledger::put_epoch>(change);
      history.add(change);
      if (const auto* job = std::get_if<ledger::put_job>(&change)) {
        jobs.add(*job);
        continue;
      }
      view::event_place place{batch.position, index};
      if (const auto* event = std::get_if<ledger::index_event>(&change)) {
        ++index;
        indexed(*event);
      }
      if (auto written = view::write_change(txn, change, place); !written) return written;
    }
  }
  for (const auto& [queue, counted] : totals)
    if (auto written = view::write_change(txn, *counted, {}); !written) return written;
  if (auto written = jobs.write(txn); !written) return written;
  if (auto marked = mark_counts(txn, batch.hash); !marked) return marked;
  if (auto written = history.write(txn, batch.position); !written) return written;
  // The position is read last, since a change of the batch may name the holder of a new epoch.
  auto before = view::read_position(txn);
  if (!before) return fail(before.error());
  auto position = before->value_or(view::view_position{});
  if (claims) {
    const bool joins = !position.joins_at.is_zero();
    const auto from = joins ? position.joins_at : batch.position;
    if (auto noted = view::add_claim(txn, {from, batch.hash, joins}); !noted) return noted;
  }
  if (batch.is_committed) position.planes_before.clear();
  position.joins_at = joins_at(position, batch);
  position.sealed = batch.seals;
  position.position = batch.position;
  position.generation = batch.generation;
  position.epoch = batch.epoch;
  position.batch_number = batch.number;
  position.hash = batch.hash;
  position.stream_created_ns = batch.stream_created_ns;
  position.key_print = batch.key_print;
  position.generation_base = batch.generation_base;
  return view::write_position(txn, position);
}

}  // namespace argosy::view
