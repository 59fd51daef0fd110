// SPDX-License-Identifier: Apache-2.0
// This file defines what agents and the lease clock say of runs. A run that ends badly while it is
// being stopped ends as was asked; one that succeeds has succeeded.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/ledger/queue/queue_overlay.hpp"
#include "runtime/ledger/retry/retry_core.hpp"
#include "runtime/ledger/retry/retry_shape.hpp"
#include "runtime/ledger/retry/return_causes.hpp"
#include "runtime/model/amounts.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::ledger {

namespace {

using model::return_cause;
using model::run_phase;
using model::stop_cause;

model::run_key live_key(const model::job_record& record) {
  return {record.header->id, record.runs.back().number};
}

std::string why_stopped(const model::run_report& report) {
  const auto& outcome = report.outcome;
  if (!outcome.message.empty()) return outcome.message;
  if (!outcome.reason.empty()) return outcome.reason;
  return report.phase == run_phase::unknown   ? "the cluster does not know the run"
         : report.phase == run_phase::refused ? "the cluster refused the run"
                                              : "the run was stopped";
}

/// A run that has this many bytes of notes gets no further one.
constexpr std::size_t notes_max = 4096;

/// Whether the run has the note already, since reports may come twice.
bool has_note(const model::run_record& run, const std::string& note) {
  return ("; " + run.note + "; ").find("; " + note + "; ") != std::string::npos;
}

/// Returns what the report says of the run that its record does not have yet.
model::run_noted news_of(const model::run_report& report, const model::run_record& run) {
  model::run_noted out{report.run, {}};
  if (run.note.size() < notes_max && !has_note(run, report.note)) out.note = report.note;
  if (report.pod.uid != run.pod.uid) out.pod.uid = report.pod.uid;
  if (report.pod.addresses != run.pod.addresses) out.pod.addresses = report.pod.addresses;
  out.usage = report.usage;
  return out;
}

/// Whether the run came back through a fault of its node or job.
bool comes_back(const model::run_record& run) {
  return run.state == model::run_state::lease_returned && run.started_ns == 0 &&
         (run.outcome.reason == reason_returned ||
          run.outcome.reason == model::reason_backend_error);
}

/// The event with which a job ends that is being cancelled or preempted; nothing for other jobs.
std::optional<model::event_payload> asked_end(const model::job_record& record) {
  const auto& id = record.header->id;
  if (record.stopping == stop_cause::cancel)
    return model::job_cancelled{id, record.requestor, record.reason};
  if (record.stopping == stop_cause::preempt && !record.comes_back)
    return model::job_preempted{live_key(record), record.preemptor, record.reason,
                                record.requestor};
  return std::nullopt;
}

/// Whether the run cannot go on in its cluster, where others may have what it needs.
bool is_of_cluster(const model::run_report& report) {
  return names_clusters(report.outcome.reach) || is_refusal_of_run(report);
}

bool is_too_large(const model::run_report& report) {
  return is_refusal_of_run(report) && report.outcome.category == model::refusal_above_quota;
}

/// How its job is queued for the clusters that it has not tried; nothing where there are none. A
/// job that lacks something fails at once if it is to fail fast, or names nodes, which others may
/// not have: it would wait for ever.
std::optional<model::lease_returned> sent_elsewhere(const model::run_report& report,
                                                    const model::job_record& record) {
  const auto& outcome = report.outcome;
  const bool stays = !is_refusal_of_run(report) &&
                     (record.header->fail_fast || names_nodes(*record.header->shape));
  if (stays || !names_clusters(outcome.reach) || is_shut_out(*record.header->shape, outcome.reach))
    return std::nullopt;
  const char* what = is_too_large(report)        ? "request is larger than a quota: "
                     : is_refusal_of_run(report) ? "its cluster does not admit it: "
                                                 : "its cluster lacks what it asks for: ";
  return model::lease_returned{report.run, what + why_stopped(report), return_cause::refused_here,
                               outcome.reach};
}

/// How its job fails when no other cluster is left.
model::run_outcome last_words(const model::run_report& report) {
  auto outcome = report.outcome;
  outcome.reach.clear();
  if (report.phase == run_phase::failed) return outcome;
  outcome.reason =
      is_too_large(report) ? model::reason_quota_exceeded : model::reason_submission_refused;
  if (!is_too_large(report)) outcome.category.clear();
  return outcome;
}

}  // namespace

lease_policy queue_core::policy_of(const model::job_header& header) const {
  return header.on_lease_expiry.value_or(config_.on_lease_expiry);
}

void queue_core::settle_failure(const model::job_record& record, const model::run_outcome& outcome,
                                overlay& view) const {
  const auto key = live_key(record);
  const auto* policy = first_policy();
  const auto decided =
      decide_retry(policy,
                   {category_of(outcome), retries_of(record),
                    gang_info_of(*record.header) != nullptr, record.header->fail_fast},
                   config_.retries);
  if (!decided.retry) {
    // The user learns why the policy of his queue did not help.
    if (policy != nullptr && config_.retries.enabled)
      view.add(key.job, model::run_noted{key, decided.why});
    return view.add(key.job, model::run_failed{key, outcome});
  }
  model::run_retried again{key, outcome, policy->name};
  if (decided.rule) {
    const auto& rule = policy->rules[*decided.rule];
    again.avoid_node = rule.avoid_same_node;
    if (rule.memory)
      again.memory =
          more_memory(model::amount_of(record.header->shape->requests, "memory"), *rule.memory);
  }
  view.add(key.job, std::move(again));
}

void queue_core::settle_lapse(const model::job_record& record, overlay& view) const {
  const auto& id = record.header->id;
  if (auto end = asked_end(record)) return view.add(id, std::move(*end));
  if (policy_of(*record.header) == lease_policy::fail && record.stopping == stop_cause::none) {
    model::run_outcome outcome;
    outcome.reason = reason_lapsed;
    outcome.message = "the lease of its run expired: cluster '" + record.runs.back().cluster.str() +
                      "' was out of contact";
    return settle_failure(record, outcome, view);
  }
  view.add(id, model::lease_expired{live_key(record)});
}

/// The word that a run was lost says that it is over, which is all that the policies that queue it
/// again wait for.
void queue_core::settle_loss(const model::job_record& record, const model::run_outcome& outcome,
                             overlay& view) const {
  const auto key = live_key(record);
  if (policy_of(*record.header) == lease_policy::fail && !asked_end(record))
    return settle_failure(record, outcome, view);
  const auto why = outcome.message.empty() ? "nobody saw its end" : outcome.message;
  settle_return(record, {key, why, return_cause::lost}, view);
}

/// What a gang has suffered counts for all of it. A member that is ended while its gang comes back
/// belongs to that.
bool queue_core::settle_disruption(const model::job_record& record, const model::run_report& report,
                                   overlay& view) const {
  const auto& header = *record.header;
  if (!is_disruption(report) || header.fail_fast || asked_end(record)) return false;
  auto why = why_stopped(report);
  if (record.stopping == stop_cause::none) {
    auto count = disruptions_of(record);
    if (const auto* gang = gang_of(record)) {
      count = 0;
      for (const auto& id : gang->members) count += disruptions_of(jobs_.at(id)->record);
    }
    if (count >= config_.disruptions_max) return false;
    why += "; requeued " + std::to_string(count + 1) + " of " +
           std::to_string(config_.disruptions_max);
  }
  settle_return(record, {report.run, std::move(why), return_cause::disrupted}, view);
  return true;
}

void queue_core::settle_return(const model::job_record& record, model::lease_returned back,
                               overlay& view) const {
  const auto& id = record.header->id;
  if (auto end = asked_end(record)) return view.add(id, std::move(*end));
  if (is_sent_back(record)) back.reason = record.reason;
  auto after = record;
  ARGOSY_CHECK(advance(after, {0, name_, back}));
  const bool lost = back.cause == return_cause::lost;
  const auto count = lost ? losses_of(after) : returns_of(after);
  const auto before = lost ? losses_of(record) : returns_of(record);
  // What does not count against the job never fails it, whatever came back before.
  if (count == before || count <= (lost ? config_.losses_max : config_.returns_max)) {
    if (lost) back.reason = "its run was lost: " + back.reason + "; it was queued again";
    return view.add(id, std::move(back));
  }
  model::run_outcome outcome;
  outcome.reason = after.runs.back().outcome.reason;
  const auto times = lost ? count : std::ranges::count_if(after.runs, &comes_back);
  outcome.message = (lost ? "its runs were lost " : "its runs came back ") + std::to_string(times) +
                    " times, the last one because: " + back.reason;
  view.add(id, model::run_failed{back.run, std::move(outcome)});
}

void queue_core::settle_run(const model::run_report& report, overlay& view) const {
  const auto& id = report.run.job;
  const auto record = *view.find(id);
  if (settle_disruption(record, report, view)) return;
  if (is_of_cluster(report) && record.stopping == stop_cause::none) {
    if (auto back = sent_elsewhere(report, record))
      return settle_return(record, std::move(*back), view);
    return settle_failure(record, last_words(report), view);
  }
  switch (report.phase) {
    case run_phase::succeeded:
      return view.add(id, model::run_succeeded{report.run, report.outcome});
    case run_phase::failed:
      if (report.outcome.reason == reason_lapsed) return settle_lapse(record, view);
      if (report.outcome.reason == model::reason_lost)
        return settle_loss(record, report.outcome, view);
      if (auto end = asked_end(record)) return view.add(id, std::move(*end));
      if (record.stopping != stop_cause::none)
        return settle_return(record, {report.run, why_stopped(report)}, view);
      return settle_failure(record, report.outcome, view);
    case run_phase::stopped:
      if (report.outcome.reason == reason_lapsed) return settle_lapse(record, view);
      return settle_return(record, {report.run, why_stopped(report)}, view);
    default:
      break;
  }
  if (const auto cause = return_cause_of(report, record)) {
    model::lease_returned back{report.run, why_stopped(report), *cause};
    if (*cause == return_cause::refused_here) back.nodes = report.outcome.reach;
    return settle_return(record, std::move(back), view);
  }
  if (auto end = asked_end(record)) return view.add(id, std::move(*end));
  if (record.stopping != stop_cause::none)
    return settle_return(record, {report.run, why_stopped(report)}, view);
  settle_failure(record, report.outcome, view);
}

decision<report_reply> queue_core::report(const model::cluster_name& cluster,
                                          const std::vector<model::run_report>& reports,
                                          std::int64_t now_ns) const {
  overlay view{*this, now_ns};
  report_reply reply;
  for (const auto& report : reports) {
    const auto* record = view.find(report.run.job);
    const auto* run = record == nullptr ? nullptr : record->live_run();
    if (run == nullptr || run->number != report.run.number || run->cluster != cluster) {
      ++reply.ignored;
      continue;
    }
    ++reply.taken;
    if (auto news = news_of(report, *run);
        !news.note.empty() || !news.pod.empty() || !news.usage.empty()) {
      view.add(report.run.job, std::move(news));
      record = view.find(report.run.job);
      run = record->live_run();
    }
    if (model::is_final(report.phase)) {
      settle_run(report, view);
      continue;
    }
    const auto state = run->state;
    const auto& id = report.run.job;
    if (report.phase == run_phase::accepted) continue;
    if (state == model::run_state::leased) view.add(id, model::run_pending{report.run});
    if (report.phase == run_phase::running && state != model::run_state::running)
      view.add(id, model::run_running{report.run});
    else if (state != model::run_state::leased) {
      --reply.taken;
      ++reply.ignored;
    }
  }
  return std::move(view).finish(reply);
}

decision<report_reply> queue_core::lease_expired(const std::vector<model::run_key>& runs,
                                                 std::int64_t now_ns, bool abandoned) const {
  overlay view{*this, now_ns};
  report_reply reply;
  for (const auto& key : runs) {
    const auto* record = view.find(key.job);
    const auto* run = record == nullptr ? nullptr : record->live_run();
    // A run that may go on without a lease may still be alive, so that only its agent can report
    // its end. Without such an agent the job would never end, whatever its user does.
    const bool given_up = abandoned && record != nullptr && record->stopping == stop_cause::cancel;
    const bool waits = record != nullptr &&
                       ((record->header->keep_on_disconnect && !given_up) ||
                        (policy_of(*record->header) == lease_policy::requeue_after_confirmation &&
                         !asked_end(*record)));
    if (run == nullptr || run->number != key.number || waits) {
      ++reply.ignored;
      continue;
    }
    ++reply.taken;
    settle_lapse(model::job_record{*record}, view);
  }
  return std::move(view).finish(reply);
}

}  // namespace argosy::ledger
