// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/reports/job_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "messages/rounds/reports/report_words.hpp"
#include "runtime/model/run_note.hpp"

namespace argosy::rounds {

namespace {

/// So many queues that go first are named for a pool.
constexpr std::size_t queues_max = 5;

void put(const std::string& name, const native::queue_share& share, v1::QueueStanding& out) {
  out.set_queue(name);
  out.set_fair_share(share.fair);
  out.set_actual_share(share.actual);
  out.set_demand_share(share.demand);
}

/// How much a queue has of its fair share; rounds look first at jobs of queues that have less.
double part_of_fair(const native::queue_share& share) {
  return share.fair > 0 ? share.actual / share.fair : 0;
}

void add_queues_before(const model::queue_name& own, const native::queue_share& share,
                       const native::pool_round& round, v1::PoolExplanation& out) {
  std::vector<std::pair<double, model::queue_name>> before;
  for (const auto& [name, queue] : round.queues)
    if (name != own && queue.active && queue.share.demand > queue.share.actual &&
        part_of_fair(queue.share) < part_of_fair(share))
      before.emplace_back(part_of_fair(queue.share), name);
  std::ranges::sort(before);
  if (before.size() > queues_max) before.resize(queues_max);
  for (const auto& [part, name] : before) put(name, round.queues.at(name).share, *out.add_before());
}

void add_stops(const native::queue_round& queue, v1::PoolExplanation& out) {
  for (const auto& stop : queue.stops) {
    auto& to = *out.add_stops();
    to.set_code(stop.code);
    to.set_sentence(stop.sentence);
    to.set_jobs(stop.jobs);
    for (const auto& kind : stop.kinds) {
      auto& one = *to.add_kinds();
      one.set_asks(kind.asks);
      one.set_jobs(kind.jobs);
      if (!kind.example.is_nil()) one.set_example(to_string(kind.example));
    }
  }
}

void add_pool(const model::queue_name& queue, const native::pool_reason& reason,
              const native::round_report& rounds, v1::PoolExplanation& out) {
  out.set_pool(reason.pool);
  out.set_code(reason.code);
  out.set_never(reason.never);
  out.set_round(reason.round);
  out.set_round_ns(reason.time_ns);
  out.set_text(reason.text);
  for (const auto& cause : reason.nodes) {
    auto& to = *out.add_nodes();
    to.set_nodes(cause.nodes);
    to.set_why(cause.why);
  }
  for (const auto& remedy : reason.remedies) out.add_remedies(remedy);
  const auto round = std::ranges::find(rounds.pools, reason.pool, &native::pool_round::pool);
  if (round == rounds.pools.end()) return;
  const auto own = round->queues.find(queue);
  if (own == round->queues.end()) return;
  add_stops(own->second, out);
  if (!own->second.active) return;
  put(queue, own->second.share, *out.mutable_queue());
  add_queues_before(queue, own->second.share, *round, out);
}

void add_waiting(const model::queue_name& queue, const native::placement_report& waiting,
                 const native::round_report& rounds, v1::JobExplanation& out) {
  out.set_verdict(waiting.reason);
  out.set_code(waiting.code);
  out.set_place_in_queue(waiting.place);
  for (const auto& other : waiting.ahead) {
    auto& to = *out.add_ahead();
    to.set_job_id(to_string(other.id));
    to.set_why(other.why);
  }
  for (const auto& pool : waiting.pools) add_pool(queue, pool, rounds, *out.add_pools());
}

void add_run(const model::job_record& job, const model::run_record& run, v1::RunExplanation& out) {
  out.set_number(run.number);
  out.set_round(run.round);
  out.set_cluster(run.cluster.str());
  out.set_node(run.node.str());
  out.set_pool(run.pool.str());
  out.set_priority(run.scheduled_at_priority);
  out.set_leased_ns(run.leased_ns);
  out.set_started_ns(run.started_ns);
  out.set_finished_ns(run.finished_ns);
  out.set_stopping(std::string{to_string(job.stopping)});
  if (!job.preemptor.is_nil()) out.set_preemptor(to_string(job.preemptor));
  out.set_requestor(job.requestor);
}

std::string live_verdict(const model::job_record& job, const model::run_record& run) {
  auto out = fmt::format("round {} chose {} for it, at priority {}", run.round, place_text(run),
                         run.scheduled_at_priority);
  if (job.stopping == model::stop_cause::none) return out;
  out += "; its run is being stopped";
  if (!job.reason.empty()) out += ": " + job.reason;
  return out;
}

std::string preempted_verdict(const model::job_record& job) {
  if (!job.preemptor.is_nil()) return "job " + to_string(job.preemptor) + " took its place";
  if (!job.requestor.empty()) return job.requestor + " asked for its preemption";
  return "it was preempted; no single job took its place";
}

/// The clause about a job that ended by itself or by somebody's wish.
std::string end_text(const model::job_record& job) {
  switch (job.state) {
    case model::job_state::succeeded:
      return "it succeeded";
    case model::job_state::cancelled:
      return "it was cancelled" + (job.requestor.empty() ? "" : " by " + job.requestor);
    case model::job_state::rejected:
      return "it was rejected";
    case model::job_state::preempted:
      return preempted_verdict(job);
    default:
      return "it failed";
  }
}

std::string end_verdict(const model::job_record& job) {
  auto out = end_text(job);
  if (!job.runs.empty()) {
    const auto& run = job.runs.back();
    if (run.outcome.exit_code) out += fmt::format(" with code {}", *run.outcome.exit_code);
    if (job.state != model::job_state::preempted) out += " on " + place_text(run);
  }
  if (!job.reason.empty()) out += ": " + job.reason;
  return out;
}

}  // namespace

v1::JobExplanation explanation_of(const model::job_record& job,
                                  const native::placement_report& waiting,
                                  const native::round_report& rounds) {
  v1::JobExplanation out;
  const auto& header = *job.header;
  out.set_job_id(to_string(header.id));
  out.set_queue(header.queue);
  out.set_state(std::string{to_string(job.state)});
  out.set_submitted_ns(header.submitted_ns);
  out.set_changed_ns(job.changed_ns);
  if (!job.runs.empty()) add_run(job, job.runs.back(), *out.mutable_run());
  if (job.state == model::job_state::queued) {
    if (is_kept_back(job.hold))
      out.set_verdict(model::to_string(*job.hold));
    else if (waiting.known)
      add_waiting(header.queue, waiting, rounds, out);
    if (was_sent_back(job))
      out.add_notes("its last run was preempted: " + job.runs.back().outcome.message);
  } else if (const auto* run = job.live_run()) {
    out.set_verdict(live_verdict(job, *run));
    if (!run->note.empty()) out.add_notes(fmt::format("its run: {}", model::last_note(run->note)));
  } else {
    out.set_verdict(end_verdict(job));
  }
  return out;
}

}  // namespace argosy::rounds
