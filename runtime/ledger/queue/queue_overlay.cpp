// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/queue/queue_overlay.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/base/text.hpp"
#include "runtime/ledger/queue/job_rules.hpp"

namespace argosy::ledger {

namespace {

/// How the run failed, whether or not the job is tried again; null if it did not fail.
const model::run_outcome* failure_in(const model::event_payload& said) {
  if (const auto* failed = std::get_if<model::run_failed>(&said)) return &failed->outcome;
  if (const auto* retried = std::get_if<model::run_retried>(&said)) return &retried->outcome;
  return nullptr;
}

/// Ends by these reasons tell nothing of node and command: the command did not run, or somebody
/// else ended it. That a node was short of something is no defect of it, since it has to be used.
constexpr std::array<std::string_view, 11> say_nothing = {
    model::reason_unsupported,    model::reason_user_not_allowed, model::reason_submission_refused,
    model::reason_quota_exceeded, model::reason_evicted,          model::reason_evicted_on_request,
    model::reason_displaced,      model::reason_node_shutdown,    model::reason_deleted,
    model::reason_cannot_begin,   model::reason_node_gone};

/// What the event says of the node of the live run that the job had before.
run_verdict verdict_of(const model::job_record& before, const model::event_payload& said) {
  if (const auto* back = std::get_if<model::lease_returned>(&said)) {
    if (back->cause == model::return_cause::refused_by_node) return run_verdict::refused;
    if (back->cause == model::return_cause::lost) return run_verdict::lost;
    if (back->cause == model::return_cause::refused_by_cluster ||
        back->cause == model::return_cause::refused_here ||
        back->cause == model::return_cause::disrupted ||
        back->cause == model::return_cause::refused_to_all)
      return run_verdict::in_order;
    const bool began = before.runs.back().started_ns != 0;
    return began || before.stopping != model::stop_cause::none ? run_verdict::in_order
                                                               : run_verdict::lost;
  }
  if (const auto* outcome = failure_in(said)) {
    const auto& reason = outcome->reason;
    if (reason == model::reason_backend_error) return run_verdict::refused;
    if (reason == model::reason_lost) return run_verdict::lost;
    if (reason != reason_lapsed && std::ranges::find(say_nothing, reason) == say_nothing.end())
      return run_verdict::failed;
  }
  return std::holds_alternative<model::run_succeeded>(said) ? run_verdict::succeeded
                                                            : run_verdict::in_order;
}

/// The reason of a refused or lost run is cut to so many bytes.
constexpr std::size_t why_bytes_max = 200;

std::string why_of(const model::event_payload& said, run_verdict verdict) {
  if (verdict != run_verdict::lost && verdict != run_verdict::refused) return {};
  std::string_view out;
  if (const auto* back = std::get_if<model::lease_returned>(&said)) out = back->reason;
  if (const auto* outcome = failure_in(said)) out = outcome->message;
  return std::string{cut_to_size(out, why_bytes_max)};
}

}  // namespace

const model::job_record* queue_core::overlay::find(const ulid& job) const {
  const auto found = touched_.find(job);
  if (found == touched_.end()) return core_.find(job);
  return model::is_terminal(found->second.state) ? nullptr : &found->second;
}

void queue_core::overlay::add(const ulid& job, model::event_payload payload) {
  const auto* now = find(job);
  ARGOSY_CHECK(now != nullptr);
  const auto before = *now;
  events_.push_back(core_.make_event(now_ns_, std::move(payload)));
  auto& after = touched_.insert_or_assign(job, before).first->second;
  ARGOSY_CHECK(advance(after, events_.back()));
  const auto verdict = verdict_of(before, events_.back().payload);
  note(before, after, verdict, why_of(events_.back().payload, verdict));
}

void queue_core::overlay::note(const model::job_record& before, const model::job_record& after,
                               run_verdict verdict, std::string why) {
  const auto& id = after.header->id;
  const auto* info = gang_info_of(*after.header);
  const bool placed_before = before.live_run() != nullptr;
  const bool placed = after.live_run() != nullptr;
  if (info != nullptr && placed && !placed_before) gang_of(after).started.push_back(id);
  if (placed_before && !placed) {
    const auto& run = after.runs.back();
    effects_.emplace_back(ledger::run_over{
        run.cluster, run.node, {id, run.number}, verdict, std::move(why), now_ns_});
  }
  if (model::is_terminal(after.state)) {
    if (info != nullptr) gang_of(after).ended.push_back(id);
  } else if (info != nullptr && placed_before && !placed) {
    gang_of(after).requeued.push_back(id);
    // The record is copied, since recalling the other members may move the records.
    if (before.stopping != model::stop_cause::requeue) recall_others(model::job_record{after});
  }
}

void queue_core::overlay::recall_others(const model::job_record& returned) {
  const auto* members = core_.gang_of(returned);
  if (members == nullptr) return;
  for (const auto& id : members->members) {
    const auto* now = find(id);
    if (now == nullptr) continue;
    auto copy = *now;
    if (!recall(copy, returned.header->id, now_ns_)) continue;
    stop(copy);
    touched_.insert_or_assign(id, std::move(copy));
  }
}

bool queue_core::overlay::sends_back(const model::job_record& record) const {
  const auto& config = core_.config_;
  if (!record.header->requeue_if_preempted.value_or(config.requeue_preempted)) return false;
  auto count = preemptions_of(record);
  if (const auto* gang = core_.gang_of(record))
    for (const auto& id : gang->members)
      count = std::max(count, preemptions_of(core_.jobs_.at(id)->record));
  return count < config.disruptions_max;
}

void queue_core::overlay::stop(const model::job_record& record) {
  const auto* run = record.live_run();
  ARGOSY_CHECK(run != nullptr);
  model::stop_run order;
  order.run = {record.header->id, run->number};
  order.cause = record.stopping;
  order.reason = record.reason;
  order.trace = record.header->trace;
  effects_.emplace_back(stop_order{run->cluster, std::move(order)});
}

gang_changed& queue_core::overlay::gang_of(const model::job_record& record) {
  auto& what = gangs_[record.header->gang->id];
  what.gang = record.header->gang;
  return what;
}

std::vector<ulid> queue_core::overlay::rest_of_broken(const gang_changed& what) const {
  const auto found = core_.gangs_.find(what.gang->id);
  if (what.ended.empty() || found == core_.gangs_.end()) return {};
  const auto& gang = found->second;
  if (gang.members.size() >= gang.info->minimum_cardinality + what.ended.size()) return {};
  std::vector<ulid> rest;
  for (const auto& id : gang.members) {
    const auto* after = find(id);
    // After the first run members that have ended are not missed.
    if (!core_.find(id)->runs.empty() || (after != nullptr && !after->runs.empty())) return {};
    if (after != nullptr) rest.push_back(id);
  }
  return rest;
}

const model::job_cancelled* queue_core::overlay::cancellation_of(const ulid& job) const {
  for (const auto& event : events_)
    if (const auto* out = std::get_if<model::job_cancelled>(&event.payload);
        out != nullptr && out->job == job)
      return out;
  return nullptr;
}

void queue_core::overlay::end_broken_gangs() {
  // The events are added when all gangs were looked at, since add() changes the list of gangs.
  std::vector<model::job_cancelled> cancelled;
  std::vector<model::job_rejected> rejected;
  for (const auto& [id, what] : gangs_) {
    const auto rest = rest_of_broken(what);
    if (rest.empty()) continue;
    const auto& first = what.ended.front();
    const auto* const cancel = cancellation_of(first);
    const auto why = "member " + to_string(first) + " of its gang '" + id + "' was " +
                     (cancel != nullptr ? "cancelled" : "rejected") +
                     " before the gang started, which needs " +
                     std::to_string(what.gang->minimum_cardinality) + " of its " +
                     std::to_string(what.gang->cardinality) + " members";
    for (const auto& job : rest)
      if (cancel != nullptr)
        cancelled.push_back({job, cancel->requestor, why});
      else
        rejected.push_back({job, why});
  }
  for (auto& end : cancelled) {
    add(end.job, model::job_cancelling{end.job, end.requestor, end.reason});
    add(end.job, std::move(end));
  }
  for (auto& end : rejected) add(end.job, std::move(end));
}

void queue_core::overlay::close() {
  for (auto& [id, what] : gangs_) {
    const auto found = core_.gangs_.find(id);
    what.last = found != core_.gangs_.end() && what.ended.size() == found->second.members.size();
    effects_.emplace_back(std::move(what));
  }
}

}  // namespace argosy::ledger
