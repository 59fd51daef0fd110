// SPDX-License-Identifier: Apache-2.0
#include "messages/past/past_explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "messages/rounds/reports/job_explanation.hpp"

namespace argosy::past {

namespace {

const model::job_record* find_job(const past_cycle& cycle, const ulid& job) {
  for (const auto& [name, queue] : cycle.state.queues)
    if (const auto* found = queue->find(job)) return found;
  return nullptr;
}

template <class Decision>
const Decision* find_in(const std::vector<Decision>& decisions, const ulid& job) {
  const auto found = std::ranges::find(decisions, job, &Decision::job);
  return found == decisions.end() ? nullptr : &*found;
}

bool decided_about(const past_round& round, const ulid& job) {
  return find_in(round.plan.leases, job) != nullptr ||
         find_in(round.plan.preemptions, job) != nullptr;
}

std::string share_text(const past_round& round, const model::queue_name& queue) {
  const auto found = std::ranges::find_if(round.plan.queues, [&](const auto& figures) {
    return figures.name == queue && !figures.guests;
  });
  if (found == round.plan.queues.end()) return {};
  return fmt::format(
      "queue {} used {:.1f}% of the pool before the round and {:.1f}% after it; its "
      "fair share was {:.1f}%",
      queue, 100 * found->cost_before, 100 * found->cost_after, 100 * found->fair_share);
}

void tell_lease(const past_cycle& cycle, const past_round& round, const scheduling::lease& lease,
                v1::JobExplanation& out) {
  const auto& from = cycle.fold->snapshot();
  const std::string node{from.node_id(lease.node)};
  const auto slash = node.find('/');
  auto& run = *out.mutable_run();
  run.Clear();
  run.set_round(round.record.number);
  run.set_cluster(node.substr(0, slash));
  run.set_node(slash == std::string::npos ? node : node.substr(slash + 1));
  run.set_pool(round.record.pool);
  run.set_priority(lease.priority);
  out.set_verdict(fmt::format("the round chose node {} of cluster {} for it, at priority {}",
                              run.node(), run.cluster(), lease.priority));
  out.mutable_past()->set_decision("started");
  // It did not wait any more after the round, so that what kept it back before says nothing.
  out.clear_pools();
  out.clear_ahead();
  out.clear_place_in_queue();
  out.clear_code();
}

void tell_preemption(const past_cycle& cycle, const past_round& round,
                     const scheduling::preemption& lost, const model::queue_name& queue,
                     v1::JobExplanation& out) {
  out.mutable_past()->set_decision("preempted");
  if (lost.preemptor.is_nil()) {
    out.set_verdict("the round took its place to balance the queues; no single job took its place");
  } else {
    out.mutable_run()->set_preemptor(to_string(lost.preemptor));
    auto verdict = "the round gave its place to job " + to_string(lost.preemptor);
    if (const auto* winner = find_job(cycle, lost.preemptor))
      verdict += " of queue " + winner->header->queue;
    out.set_verdict(std::move(verdict));
  }
  if (auto text = share_text(round, queue); !text.empty()) out.add_notes(std::move(text));
  const auto* winner = find_job(cycle, lost.preemptor);
  if (winner == nullptr || winner->header->queue == queue) return;
  if (auto text = share_text(round, winner->header->queue); !text.empty())
    out.add_notes(std::move(text));
}

void put_round(const past_round& round, v1::PastRound& out) {
  out.set_number(round.record.number);
  out.set_time_ns(round.record.began_ns);
  out.set_pool(round.record.pool);
  out.set_position(round.record.snapshot_position.value);
  out.set_same_decisions(round.is_same());
  out.set_digest(round.record.digest);
  out.set_rebuilt_digest(round.plan.digest);
  out.set_leases(round.record.leases);
  out.set_preemptions(round.record.preemptions);
  out.set_settings_version(fmt::format("{:016x}", round.record.config_version));
}

const past_round& choose_round(const past_cycle& cycle, const ulid& job, std::uint64_t number) {
  const auto decided = std::ranges::find_if(
      cycle.rounds, [&](const past_round& round) { return decided_about(round, job); });
  if (decided != cycle.rounds.end()) return *decided;
  const auto named = std::ranges::find_if(
      cycle.rounds, [&](const past_round& round) { return round.record.number == number; });
  return named == cycle.rounds.end() ? cycle.rounds.front() : *named;
}

}  // namespace

result<v1::JobExplanation> explain(const past_cycle& cycle, const ulid& job, std::uint64_t number) {
  const auto& round = choose_round(cycle, job, number);
  const auto* record = find_job(cycle, job);
  if (record == nullptr)
    return fail(ec::not_found, "job " + to_string(job) + " was not live in round " +
                                   std::to_string(round.record.number) +
                                   ": it had not been submitted yet, or had ended");
  auto out = rounds::explanation_of(*record, cycle.history->explain(*cycle.fold, job),
                                    *cycle.history->report(*cycle.fold, {}));
  put_round(round, *out.mutable_past());
  if (const auto* lease = find_in(round.plan.leases, job))
    tell_lease(cycle, round, *lease, out);
  else if (const auto* lost = find_in(round.plan.preemptions, job))
    tell_preemption(cycle, round, *lost, record->header->queue, out);
  else if (record->state == model::job_state::queued)
    out.mutable_past()->set_decision("left waiting");
  if (out.verdict().empty())
    out.set_verdict("its gang was new or lacked members: the round did not look at it");
  return out;
}

}  // namespace argosy::past
