// SPDX-License-Identifier: Apache-2.0
// apply(): how events change the state of a queue, and which changes the store has to write.
#include <utility>

#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/ledger/queue/queue_waits.hpp"
#include "runtime/model/amounts.hpp"

namespace argosy::ledger {

namespace {

/// The cpu that the run had requested times its duration, in cpu-milliseconds. The product is taken
/// in millicores and milliseconds: with nanoseconds, 64 cores would overflow within four days.
std::uint64_t cpu_ms_of(const model::job_header& header, const model::run_record& run) {
  if (!header.shape || run.started_ns <= 0 || run.finished_ns <= run.started_ns) return 0;
  const auto milliseconds =
      static_cast<std::uint64_t>((run.finished_ns - run.started_ns) / 1'000'000);
  const auto millicores =
      static_cast<std::uint64_t>(model::amount_of(header.shape->requests, "cpu"));
  return millicores * milliseconds / 1'000;
}

bool is_about_hold(const model::event& e) {
  return std::holds_alternative<model::job_held>(e.payload) ||
         std::holds_alternative<model::job_released>(e.payload);
}

}  // namespace

change_list queue_core::apply(const model::event& e) {
  change_list changes;
  apply(e, changes);
  return changes;
}

void queue_core::apply(const model::event& e, change_list& changes) {
  const bool taken = e.queue == name_ && (apply_queue(e, changes) || apply_accepted(e, changes) ||
                                          apply_submitted(e, changes) ||
                                          apply_operation(e, changes) || apply_job(e, changes));
  if (!taken) ++illegal_events_;
}

bool queue_core::apply_queue(const model::event& e, change_list& changes) {
  if (const auto* set = std::get_if<model::queue_set>(&e.payload)) {
    if (set->settings.name != name_) return false;
    settings_ = set->settings;
    changes.emplace_back(put_queue{set->settings});
  } else if (std::holds_alternative<model::queue_deleted>(e.payload)) {
    if (!settings_ || !jobs_.empty()) return false;
    settings_.reset();
    totals_ = {};
    sums_ = std::make_shared<const queue_sums>();
    changes.emplace_back(erase_queue{name_});
  } else {
    return false;
  }
  settings_dirty_ = true;
  return true;
}

bool queue_core::apply_accepted(const model::event& e, change_list& changes) {
  const auto* accepted = std::get_if<model::submission_accepted>(&e.payload);
  if (accepted == nullptr || !settings_ || accepted->jobs.empty()) return false;
  use_id(
      {name_, accepted->key, accepted->jobs, accepted->content_hash, e.time_ns, id_kind::request},
      changes);
  return true;
}

bool queue_core::apply_submitted(const model::event& e, change_list& changes) {
  const auto* submitted = std::get_if<model::job_submitted>(&e.payload);
  if (submitted == nullptr || !submitted->header) return false;
  const auto& header = *submitted->header;
  if (!settings_ || header.queue != name_ || jobs_.contains(header.id)) return false;
  model::job_record record;
  record.header = submitted->header;
  record.priority = header.priority;
  record.changed_ns = e.time_ns;
  record.hold = first_hold(header, e.time_ns);
  const auto& entry = insert(std::move(record));
  changes.emplace_back(put_job{entry.record, true});
  // The first held member of a gang holds those that came before it.
  if (const auto* gang = gang_of(entry.record); gang != nullptr && gang->held == 1)
    spread_hold(entry.record, changes);
  changes.emplace_back(index_event{name_, header.job_set, e});
  if (!header.client_id.empty())
    use_id({name_, header.client_id, {{header.id, 1}}, header.body_hash, e.time_ns, id_kind::job},
           changes);
  return true;
}

void queue_core::use_id(put_client_id entry, change_list& changes) {
  client_ids_.note(entry);
  changes.emplace_back(std::move(entry));
}

bool queue_core::apply_job(const model::event& e, change_list& changes) {
  if (std::holds_alternative<model::job_submitted>(e.payload)) return false;
  const auto found = jobs_.find(model::job_of(e));
  if (found == jobs_.end()) return false;
  auto& record = found->second->record;
  const auto state_before = record.state;
  const bool placed_before = record.live_run() != nullptr;
  const bool recalled = record.stopping == model::stop_cause::requeue;
  const auto hold_before = record.hold;
  const bool is_unfit =
      std::holds_alternative<model::job_rejected>(e.payload) && hold_before && hold_before->blocked;
  if (!advance(record, e)) return false;
  if (is_unfit) ++holds_.rejected;
  // A run that came back finds its gang as it is meanwhile.
  if (placed_before && record.state == model::job_state::queued)
    if (const auto* gang = gang_of(record)) record.hold = gang->hold;
  // Whoever releases a job does not end its wait for others.
  if (hold_before && !record.hold && record.state == model::job_state::queued)
    record.hold = waits::of(*this, *record.header, e.time_ns);
  if (hold_before != record.hold) count_hold(hold_before, record);

  --counts_[static_cast<std::size_t>(state_before)];
  changes.emplace_back(put_job{record, false});
  dirty_.insert(record.header->id);
  if (is_about_hold(e)) {
    // Those who watch the job set are told nothing, since Armada has no such event.
    spread_hold(record, changes);
    ++counts_[static_cast<std::size_t>(record.state)];
    return true;
  }
  changes.emplace_back(index_event{name_, record.header->job_set, e});
  const bool placed = record.live_run() != nullptr;
  if (placed != placed_before) count_placed(record.runs.back(), placed);
  const bool run_ended = placed_before && !placed;
  const bool began = record.state == model::job_state::running && state_before != record.state;
  sum_up(record, placed && !placed_before, began, run_ended);
  if (run_ended || model::is_terminal(record.state)) count_end(record, run_ended);
  if (placed != placed_before || began || model::is_terminal(record.state))
    changes.emplace_back(put_queue_totals{name_, totals_, sums_});
  if (auto* gang = gang_of(record); gang != nullptr && placed != placed_before) close_gang(*gang);
  if (model::is_terminal(record.state)) {
    if (!dependents_.contains(record.header->id)) {
      remove(record.header->id);
      return true;
    }
    const auto last = record;
    remove(last.header->id);
    waits::release(*this, last, changes);
    return true;
  }
  if (began) waits::release(*this, record, changes);
  ++counts_[static_cast<std::size_t>(record.state)];
  if (run_ended && !recalled) recall_gang(record, e.time_ns, changes);
  return true;
}

void queue_core::count_placed(const model::run_record& run, bool placed) {
  if (placed)
    ++placed_[run.pool];
  else if (const auto found = placed_.find(run.pool); --found->second == 0)
    placed_.erase(found);
}

void queue_core::sum_up(const model::job_record& record, bool leased, bool began, bool run_ended) {
  const bool ended = model::is_terminal(record.state) && !record.runs.empty();
  if (!leased && !began && !run_ended && !ended) return;
  // Readers have the sums as they were, so that they are not changed in place.
  auto next = std::make_shared<queue_sums>(*sums_);
  if (leased) next->count_lease(record);
  if (began) next->count_start(record);
  if (run_ended) next->count_run_end(record);
  if (ended) next->count_job_end(record);
  sums_ = std::move(next);
}

void queue_core::count_end(const model::job_record& record, bool run_ended) {
  using model::job_state;
  switch (record.state) {
    case job_state::succeeded:
      ++totals_.succeeded;
      break;
    case job_state::failed:
      ++totals_.failed;
      break;
    case job_state::preempted:
      ++totals_.preempted;
      break;
    case job_state::cancelled:
      ++totals_.cancelled;
      break;
    case job_state::rejected:
      ++totals_.rejected;
      break;
    default:
      break;
  }
  if (run_ended) totals_.usage_cpu_ms += cpu_ms_of(*record.header, record.runs.back());
}

void queue_core::recall_gang(const model::job_record& returned, std::int64_t now_ns,
                             change_list& changes) {
  const auto* gang = gang_of(returned);
  if (gang == nullptr) return;
  for (const auto& id : gang->members) {
    auto& record = jobs_.at(id)->record;
    if (!recall(record, returned.header->id, now_ns)) continue;
    changes.emplace_back(put_job{record, false});
    dirty_.insert(id);
  }
}

}  // namespace argosy::ledger
