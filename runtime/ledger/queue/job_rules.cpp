// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/queue/job_rules.hpp"

#include <algorithm>
#include <utility>

#include "runtime/ledger/retry/retry_shape.hpp"
#include "runtime/ledger/retry/runs_in_vain.hpp"

namespace argosy::ledger {

namespace {

using model::job_record;
using model::job_state;
using model::run_record;
using model::run_state;
using model::stop_cause;

run_record* live_run(job_record& record, std::uint32_t number) {
  if (record.runs.empty() || record.runs.back().number != number ||
      model::is_terminal(record.runs.back().state))
    return nullptr;
  return &record.runs.back();
}

void end_run(run_record& run, run_state state, std::int64_t now_ns) {
  run.state = state;
  run.finished_ns = now_ns;
}

void requeue(job_record& record, run_record& run, run_state state, std::int64_t now_ns) {
  end_run(run, state, now_ns);
  record.state = job_state::queued;
  record.stopping = stop_cause::none;
  record.comes_back = false;
  record.reason.clear();
  record.requestor.clear();
  record.preemptor = {};
}

bool may_requeue(const job_record& record) {
  return record.stopping == stop_cause::none || record.stopping == stop_cause::requeue ||
         is_sent_back(record);
}

bool take(job_record& record, const model::job_leased& e, std::int64_t now_ns) {
  if (record.state != job_state::queued || record.stopping != stop_cause::none || record.hold ||
      e.run.number != next_run_number(record))
    return false;
  run_record run;
  run.number = e.run.number;
  run.cluster = e.cluster;
  run.node = e.node;
  run.pool = e.pool;
  run.scheduled_at_priority = e.scheduled_at_priority;
  run.round = e.round;
  run.leased_ns = now_ns;
  record.runs.push_back(std::move(run));
  record.state = job_state::leased;
  return true;
}

bool take(job_record& record, const model::run_pending& e, std::int64_t now_ns) {
  auto* run = live_run(record, e.run.number);
  if (run == nullptr || run->state != run_state::leased) return false;
  run->state = run_state::pending;
  run->pending_ns = now_ns;
  record.state = job_state::pending;
  return true;
}

bool take(job_record& record, const model::run_running& e, std::int64_t now_ns) {
  auto* run = live_run(record, e.run.number);
  if (run == nullptr || run->state == run_state::running) return false;
  run->state = run_state::running;
  run->started_ns = now_ns;
  record.state = job_state::running;
  return true;
}

bool take(job_record& record, const model::run_succeeded& e, std::int64_t now_ns) {
  auto* run = live_run(record, e.run.number);
  if (run == nullptr) return false;
  end_run(*run, run_state::succeeded, now_ns);
  run->outcome = e.outcome;
  record.state = job_state::succeeded;
  record.stopping = stop_cause::none;
  record.reason.clear();
  record.requestor.clear();
  record.preemptor = {};
  return true;
}

bool take(job_record& record, const model::run_failed& e, std::int64_t now_ns) {
  auto* run = live_run(record, e.run.number);
  if (run == nullptr) return false;
  end_run(*run, run_state::failed, now_ns);
  run->outcome = e.outcome;
  record.state = job_state::failed;
  record.stopping = stop_cause::none;
  record.reason = e.outcome.message.empty() ? e.outcome.reason : e.outcome.message;
  return true;
}

/// Has later runs of the job be so.
void set_shape(job_record& record, std::shared_ptr<const model::job_shape> shape) {
  if (shape == record.header->shape) return;
  auto header = *record.header;
  header.shape = std::move(shape);
  record.header = std::make_shared<const model::job_header>(std::move(header));
}

bool take(job_record& record, const model::run_retried& e, std::int64_t now_ns) {
  auto* run = live_run(record, e.run.number);
  if (run == nullptr || !may_requeue(record)) return false;
  run->outcome = e.outcome;
  set_shape(record, shape_after(record.header->shape, e, run->node));
  requeue(record, *run, run_state::failed, now_ns);
  return true;
}

const char* reason_of(model::return_cause cause) {
  return cause == model::return_cause::lost              ? model::reason_lost
         : cause == model::return_cause::refused_by_node ? model::reason_backend_error
         : cause == model::return_cause::disrupted       ? reason_disrupted
         : cause == model::return_cause::refused_to_all  ? model::reason_cluster_refused
                                                         : reason_returned;
}

bool take(job_record& record, const model::lease_returned& e, std::int64_t now_ns) {
  auto* run = live_run(record, e.run.number);
  if (run == nullptr || !may_requeue(record)) return false;
  run->outcome.reason = record.stopping == stop_cause::requeue ? reason_recalled
                        : is_sent_back(record)                 ? reason_preempted
                                                               : reason_of(e.cause);
  run->outcome.message = e.reason;
  if (!e.nodes.empty()) {
    set_shape(record, shape_at(*record.header->shape, {run->cluster, e.reason, e.nodes}));
  } else if (e.cause == model::return_cause::refused_here) {
    const model::run_retried elsewhere{e.run, {}, {}, true};
    set_shape(record, shape_after(record.header->shape, elsewhere, run->node));
  }
  requeue(record, *run, run_state::lease_returned, now_ns);
  leave_out_runs(record);
  return true;
}

bool take(job_record& record, const model::lease_expired& e, std::int64_t now_ns) {
  auto* run = live_run(record, e.run.number);
  if (run == nullptr || !may_requeue(record)) return false;
  run->outcome.reason = reason_lapsed;
  requeue(record, *run, run_state::lease_expired, now_ns);
  return true;
}

bool take(job_record& record, const model::job_cancelling& e, std::int64_t) {
  if (record.stopping == stop_cause::cancel) return false;
  record.stopping = stop_cause::cancel;
  record.comes_back = false;
  record.requestor = e.requestor;
  record.reason = e.reason;
  record.preemptor = {};
  return true;
}

bool take(job_record& record, const model::job_cancelled& e, std::int64_t now_ns) {
  if (record.live_run() != nullptr) {
    if (record.stopping != stop_cause::cancel) return false;
    end_run(record.runs.back(), run_state::cancelled, now_ns);
  }
  record.state = job_state::cancelled;
  record.stopping = stop_cause::none;
  record.requestor = e.requestor;
  record.reason = e.reason;
  return true;
}

bool take(job_record& record, const model::run_preempting& e, std::int64_t) {
  if (live_run(record, e.run.number) == nullptr || record.stopping != stop_cause::none)
    return false;
  record.stopping = stop_cause::preempt;
  record.comes_back = e.requeue;
  record.requestor = e.requestor;
  record.preemptor = e.preemptor;
  record.reason = e.reason;
  return true;
}

bool take(job_record& record, const model::job_preempted& e, std::int64_t now_ns) {
  auto* run = live_run(record, e.run.number);
  if (run == nullptr || record.stopping != stop_cause::preempt) return false;
  record.comes_back = false;
  end_run(*run, run_state::preempted, now_ns);
  record.state = job_state::preempted;
  record.stopping = stop_cause::none;
  record.requestor = e.requestor;
  record.preemptor = e.preemptor;
  record.reason = e.reason;
  return true;
}

bool take(job_record& record, const model::job_rejected& e, std::int64_t) {
  if (record.state != job_state::queued) return false;
  record.state = job_state::rejected;
  record.stopping = stop_cause::none;
  record.reason = e.reason;
  return true;
}

bool take(job_record& record, const model::job_reprioritized& e, std::int64_t) {
  record.priority = e.priority;
  return true;
}

bool take(job_record& record, const model::job_held& e, std::int64_t now_ns) {
  if (record.state != job_state::queued || (record.hold && !record.hold->waits)) return false;
  record.hold = std::make_shared<const model::job_hold>(
      model::job_hold{e.requestor, e.reason, now_ns, e.blocked});
  return true;
}

bool take(job_record& record, const model::job_released&, std::int64_t) {
  if (!record.hold) return false;
  record.hold.reset();
  return true;
}

bool take(job_record& record, const model::run_noted& e, std::int64_t) {
  auto* run = live_run(record, e.run.number);
  if (run == nullptr) return false;
  if (!e.note.empty()) run->note += (run->note.empty() ? "" : "; ") + e.note;
  if (!e.pod.uid.empty()) run->pod.uid = e.pod.uid;
  if (!e.pod.addresses.empty()) run->pod.addresses = e.pod.addresses;
  return true;
}

}  // namespace

const model::gang_info* gang_info_of(const model::job_header& header) noexcept {
  return header.gang && header.gang->cardinality > 1 ? header.gang.get() : nullptr;
}

std::uint32_t next_run_number(const job_record& record) noexcept {
  return record.runs.empty() ? 1 : record.runs.back().number + 1;
}

std::uint32_t returns_of(const job_record& record) noexcept {
  // A node that refuses all jobs is tried again, which must not cost it the job that waits first.
  constexpr std::uint32_t refusals_per_return = 4;
  std::uint32_t count = 0;
  for (auto run = record.runs.begin(); run != record.runs.end(); ++run) {
    if (run->state != run_state::lease_returned || run->started_ns != 0) continue;
    if (run->outcome.reason == reason_returned) ++count;
    if (run->outcome.reason != model::reason_backend_error) continue;
    const auto before = std::count_if(record.runs.begin(), run, [&](const run_record& other) {
      return other.outcome.reason == model::reason_backend_error && other.node == run->node &&
             other.cluster == run->cluster;
    });
    if (static_cast<std::uint32_t>(before) % refusals_per_return == 0) ++count;
  }
  return count;
}

std::uint32_t losses_of(const job_record& record) noexcept {
  return static_cast<std::uint32_t>(std::ranges::count_if(record.runs, [](const run_record& run) {
    return run.state == run_state::lease_returned && run.outcome.reason == model::reason_lost;
  }));
}

std::uint32_t disruptions_of(const job_record& record) noexcept {
  return static_cast<std::uint32_t>(std::ranges::count_if(record.runs, [](const run_record& run) {
    return run.state == run_state::lease_returned && run.outcome.reason == reason_disrupted;
  }));
}

std::uint32_t preemptions_of(const job_record& record) noexcept {
  return static_cast<std::uint32_t>(std::ranges::count_if(record.runs, [](const run_record& run) {
    return run.state == run_state::lease_returned && run.outcome.reason == reason_preempted;
  }));
}

bool is_sent_back(const job_record& record) noexcept {
  return record.stopping == stop_cause::preempt && record.comes_back;
}

bool has_started(const job_record& record) noexcept {
  return std::ranges::any_of(record.runs,
                             [](const run_record& run) { return run.started_ns != 0; });
}

std::uint32_t retries_of(const job_record& record) noexcept {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      record.runs, [](const run_record& run) { return run.state == run_state::failed; }));
}

bool advance(job_record& record, const model::event& e) {
  if (model::is_terminal(record.state)) return false;
  const bool taken = std::visit(
      [&](const auto& payload) {
        if constexpr (requires { take(record, payload, e.time_ns); })
          return take(record, payload, e.time_ns);
        else
          return false;
      },
      e.payload);
  if (!taken) return false;
  record.changed_ns = e.time_ns;
  if (model::is_terminal(record.state)) record.hold.reset();
  return true;
}

bool recall(job_record& record, const ulid& because, std::int64_t now_ns) {
  if (record.live_run() == nullptr || record.stopping != stop_cause::none) return false;
  record.stopping = stop_cause::requeue;
  record.reason = "member " + to_string(because) + " of its gang came back";
  record.changed_ns = now_ns;
  return true;
}

}  // namespace argosy::ledger
