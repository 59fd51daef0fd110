// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/round_digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/scheduling/explain/amounts.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::rounds {

namespace {

using scheduling::amount_of;
using scheduling::pod_resource;

/// So many kinds of jobs are told for one queue and reason, and for all of a pool.
constexpr std::size_t kinds_of_stop = 3;
constexpr std::size_t kinds_of_pool = 200;

std::map<model::queue_name, std::map<scheduling::reason, std::uint64_t>> stops_of(
    const scheduling::plan& plan, const scheduling::snapshot& from) {
  std::map<model::queue_name, std::map<scheduling::reason, std::uint64_t>> out;
  for (const auto& refused : plan.refusals)
    out[model::queue_name{from.job_queue(refused.job_index)}][refused.code] += refused.jobs;
  for (const auto& skipped : plan.skips)
    out[model::queue_name{from.queue_name(skipped.queue)}][skipped.code] += skipped.jobs;
  return out;
}

std::vector<std::string> pool_use(const scheduling::plan& plan, const scheduling::config& conf) {
  std::vector<std::string> out;
  for (std::size_t d = 0; d < plan.resources.size() && d < plan.pool_total.size(); ++d) {
    const auto& name = plan.resources[d];
    if (plan.pool_total[d] == 0 || name == pod_resource) continue;
    std::int64_t used = 0;
    for (const auto& queue : plan.queues)
      if (d < queue.used_after.size()) used += queue.used_after[d];
    out.push_back(amount_of(used, name, conf, model::rounding::up) + " of " +
                  scheduling::amount_text(plan.pool_total[d], name, conf, model::rounding::down));
  }
  return out;
}

std::vector<std::string> queue_use(const scheduling::plan& plan,
                                   const scheduling::queue_figures& queue,
                                   const scheduling::config& conf) {
  std::vector<std::string> out;
  for (std::size_t d = 0; d < plan.resources.size() && d < queue.used_after.size(); ++d)
    if (queue.used_after[d] != 0 && plan.resources[d] != pod_resource)
      out.push_back(amount_of(queue.used_after[d], plan.resources[d], conf, model::rounding::up));
  return out;
}

}  // namespace

native::pool_round digest_of(const scheduling::plan& plan, const scheduling::snapshot& from,
                             const scheduling::config& conf, model::pool_name pool,
                             std::uint64_t number, std::int64_t time_ns) {
  native::pool_round out;
  out.pool = std::move(pool);
  out.number = number;
  out.time_ns = time_ns;
  out.started = plan.leases.size();
  out.preempted = plan.preemptions.size();
  out.returned = plan.rescheduled;
  out.used = pool_use(plan, conf);
  for (const auto& queue : plan.queues) {
    if (queue.guests) continue;
    auto& one = out.queues[model::queue_name{queue.name}];
    one.share = {queue.fair_share, queue.cost_after, queue.demand_share};
    one.active = true;
    one.weight = queue.weight;
    one.started = queue.leased;
    one.preempted = queue.preempted;
    one.used = queue_use(plan, queue, conf);
  }
  for (const auto& [queue, codes] : stops_of(plan, from)) {
    auto& stops = out.queues[queue].stops;
    for (const auto& [code, jobs] : codes)
      stops.push_back(
          {std::string{to_string(code)}, std::string{scheduling::sentence(code)}, jobs, {}});
    std::stable_sort(stops.begin(), stops.end(),
                     [](const auto& a, const auto& b) { return a.jobs > b.jobs; });
  }
  return out;
}

void name_kinds(const unplaced_kinds& unplaced, const scheduling::snapshot& from,
                const scheduling::config& conf, native::pool_round& round) {
  std::vector<std::pair<const unplaced_kinds::kind*, const unplaced_kinds::cause*>> all;
  for (const auto& [kind, causes] : unplaced.kinds())
    for (const auto& cause : causes) all.emplace_back(&kind, &cause);
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const auto& each) { return each.second->jobs; });
  std::size_t told = 0;
  for (const auto& [kind, cause] : all) {
    if (told == kinds_of_pool) return;
    auto& stops = round.queues[kind->queue].stops;
    const auto stop = std::ranges::find(stops, to_string(cause->code), &native::queue_stop::code);
    if (stop == stops.end() || stop->kinds.size() == kinds_of_stop) continue;
    auto asks = scheduling::requests_text(from, conf, kind->shape);
    if (kind->gang_terms != scheduling::none)
      asks += fmt::format(" each, in gangs of {}",
                          from.data().gang_terms[kind->gang_terms].cardinality);
    stop->kinds.push_back({std::move(asks), cause->jobs, cause->example});
    ++told;
  }
}

}  // namespace argosy::rounds
