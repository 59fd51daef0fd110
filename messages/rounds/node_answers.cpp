// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/node_answers.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "runtime/model/node.hpp"
#include "runtime/scheduling/explain/node_prospects.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::rounds {

namespace {

using scheduling::obstacle_kind;

std::string_view code_of(obstacle_kind kind) {
  switch (kind) {
    case obstacle_kind::quarantined:
      return "NODE_QUARANTINED";
    case obstacle_kind::closed:
      return "NODE_CLOSED";
    case obstacle_kind::overfull:
      return "NODE_OVERFULL";
    case obstacle_kind::pool:
      return "POOL";
    case obstacle_kind::unscheduled:
      return "RESOURCE_NOT_GIVEN_OUT";
    case obstacle_kind::taint:
      return "TAINT";
    case obstacle_kind::label:
      return "LABEL";
    case obstacle_kind::affinity:
      return "AFFINITY";
    case obstacle_kind::too_small:
      return "NODE_TOO_SMALL";
    case obstacle_kind::no_room:
      break;
  }
  return "NO_ROOM";
}

std::vector<native::node_obstacle> told(const std::vector<scheduling::obstacle>& list,
                                        const scheduling::config& conf) {
  std::vector<native::node_obstacle> out;
  for (const auto& each : list)
    out.push_back({std::string{code_of(each.kind)}, sentence(each, conf)});
  return out;
}

/// Writes what the last round of the pool said of the job into the fields of this name.
template <class Answer>
void tell_round(const round_history& history, const delta_fold& fold, const model::pool_name& pool,
                const ulid& job, Answer& out) {
  const auto said = history.code_in(fold, pool, job);
  if (!said) return;
  out.code = to_string(*said);
  out.why = scheduling::sentence(*said);
}

}  // namespace

native::job_on_node answer(const round_history& history, const delta_fold& fold,
                           const native::job_on_node_question& question) {
  native::job_on_node out;
  const auto& from = fold.snapshot();
  const auto number = scheduling::find_node(from, model::node_id(question.cluster, question.node));
  const auto job = from.find_job(question.job);
  out.node_known = number.has_value();
  out.job_known = job.has_value();
  if (number) out.pool = model::pool_name{scheduling::pool_of_node(from, *number)};
  if (!number || !job) return out;
  const auto conf = history.config_of(out.pool);
  const scheduling::one_node node{from, *conf, *number};
  const auto judged = node.judge(*job);
  out.obstacles = told(judged.obstacles, *conf);
  out.closed = judged.is_closed();
  out.away = judged.away;
  out.fits_by_preemption = judged.fits_by_preemption();
  out.priority = judged.priority;
  out.room = node.room(*job);
  tell_round(history, fold, out.pool, question.job, out);
  if (!out.code.empty()) out.round = history.round_in(out.pool);
  return out;
}

native::node_answer answer(const round_history& history, const delta_fold& fold,
                           const native::node_question& question) {
  native::node_answer out;
  const auto& from = fold.snapshot();
  const auto number = scheduling::find_node(from, model::node_id(question.cluster, question.node));
  out.node_known = number.has_value();
  if (!number) return out;
  out.pool = model::pool_name{scheduling::pool_of_node(from, *number)};
  const auto conf = history.config_of(out.pool);
  const scheduling::one_node node{from, *conf, *number};
  out.closures = told(node.closures(), *conf);
  out.room = node.room(scheduling::none);
  scheduling::prospect_limits limits;
  limits.named = question.named;
  const auto found = scheduling::waiting_for(node, question.queue, limits);
  out.waiting = found.waiting;
  out.looked_at = found.looked_at;
  out.fitting = found.fitting;
  for (const auto& each : found.first) {
    auto& job = out.jobs.emplace_back();
    job.id = each.id;
    job.queue = model::queue_name{each.queue};
    job.place = each.place;
    job.by_preemption = each.by_preemption;
    tell_round(history, fold, out.pool, each.id, job);
  }
  for (const auto& kept : found.kept)
    out.others.push_back(
        {kept.jobs, std::string{code_of(kept.what.kind)}, sentence(kept.what, kept.jobs, *conf)});
  return out;
}

}  // namespace argosy::rounds
