// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/pool_probe.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/scheduling/explain/amounts.hpp"

namespace argosy::probes {

namespace {

using metrics::gauge_family;

}  // namespace

pool_probe::queue pool_probe::figures_of(const scheduling::queue_figures& from,
                                         const scheduling::plan& plan,
                                         const scheduling::config& config) {
  queue out{from.name,
            from.cost_after,
            from.fair_share,
            from.capped_share,
            from.demand_share,
            from.uncapped_share,
            from.weight,
            {},
            {}};
  const auto units = [&](const std::vector<std::int64_t>& steps, std::size_t at) {
    return at < steps.size() ? scheduling::amount_in_units(steps[at], plan.resources[at], config)
                             : 0.0;
  };
  for (std::size_t i = 0; i < plan.resources.size(); ++i) {
    const amount both{units(from.used_after, i), units(from.demand, i)};
    if (both.allocated != 0 || both.demand != 0) out.amounts[plan.resources[i]] = both;
  }
  return out;
}

void pool_probe::decided(const std::string& pool, const scheduling::plan& plan,
                         const scheduling::config& config, const native::pool_round& figures,
                         wall_time begun, std::chrono::nanoseconds took) {
  durations.add(pool, took);
  last_round last;
  last.begun = begun;
  for (const auto& [code, jobs] : unplaced_jobs(plan))
    last.unplaced[std::string{to_string(code)}] = jobs;
  last.stopped = stopped_in(figures);
  for (const auto& each : plan.queues) {
    if (each.guests) continue;
    last.unfairness += std::max(0.0, each.capped_share - each.cost_after);
    last.queues.push_back(figures_of(each, plan, config));
  }
  if (last.queues.size() > queues_max) {
    std::stable_sort(
        last.queues.begin(), last.queues.end(),
        [](const auto& left, const auto& right) { return left.demand > right.demand; });
    last.queues.resize(queues_max);
  }
  last.placed = plan.leases.size();
  last.preempted = plan.preemptions.size();
  last.returned = plan.rescheduled;
  last.tried = last.placed + refused_jobs(plan);
  const std::lock_guard lock{mutex_};
  auto& kept = rounds_[pool];
  note_starving(kept, last);
  kept = std::move(last);
}

std::vector<pool_probe::stopped_queue> pool_probe::stopped_in(const native::pool_round& figures) {
  std::vector<stopped_queue> out;
  for (const auto& [name, queue] : figures.queues) {
    if (queue.stops.empty()) continue;
    auto& one = out.emplace_back(stopped_queue{name, 0, {}});
    for (const auto& stop : queue.stops) {
      one.jobs += stop.jobs;
      one.reasons.emplace_back(stop.code, stop.jobs);
    }
  }
  if (out.size() > stopped_queues_max) {
    std::ranges::stable_sort(out, std::ranges::greater{}, &stopped_queue::jobs);
    out.resize(stopped_queues_max);
  }
  return out;
}

/// A queue starves since the first of the rounds in a row after which it lacked a part of its
/// share.
void pool_probe::note_starving(const last_round& before, last_round& now) {
  std::map<std::string_view, wall_time> since;
  for (const auto& each : before.queues) since[each.name] = each.starved_since;
  for (auto& each : now.queues) {
    if (each.adjusted - each.actual <= starved_above) continue;
    const auto found = since.find(each.name);
    each.starved_since =
        found != since.end() && found->second != wall_time{} ? found->second : now.begun;
  }
}

void pool_probe::keep_only(const std::vector<model::pool_name>& pools) {
  const std::lock_guard lock{mutex_};
  std::erase_if(rounds_, [&](const auto& item) {
    return std::find(pools.begin(), pools.end(), item.first) == pools.end();
  });
}

void pool_probe::collect_unplaced(metrics::family_list& out) const {
  auto unplaced = gauge_family("argosy_unplaced_jobs",
                               "Jobs that got no place in the last round of a pool, by reason.");
  auto stopped =
      gauge_family("argosy_queue_unplaced_jobs",
                   "Jobs of a queue that got no place in the last round of a pool, by reason.");
  for (const auto& [pool, last] : rounds_) {
    for (const auto& [reason, jobs] : last.unplaced)
      unplaced.samples.push_back({{{"pool", pool}, {"reason", reason}}, static_cast<double>(jobs)});
    for (const auto& each : last.stopped)
      for (const auto& [reason, jobs] : each.reasons)
        stopped.samples.push_back({{{"pool", pool}, {"queue", each.name}, {"reason", reason}},
                                   static_cast<double>(jobs)});
  }
  out.push_back(std::move(unplaced));
  out.push_back(std::move(stopped));
}

void pool_probe::collect(metrics::family_list& out) const {
  auto begun = gauge_family("argosy_pool_round_time_seconds",
                            "Unix time at which the last round of a pool began that gave a plan.");
  auto unfair = gauge_family("argosy_pool_unfairness_ratio",
                             "The part of a pool that queues lack of their adjusted fair shares.");
  auto shares = gauge_family(
      "argosy_queue_share_ratio",
      "Shares of queues in a pool after its last round: what a queue has (actual), its share by "
      "weight (fair), that with what others leave and at most its demand (adjusted), what it "
      "wants (demand), and what it would get if it wanted everything (uncapped).");
  auto allocated = gauge_family("argosy_queue_allocated",
                                "What the jobs of a queue have in a pool: cores, bytes or pieces.");
  auto demand = gauge_family("argosy_queue_demand",
                             "What the jobs of a queue want in a pool: cores, bytes or pieces.");
  auto starved = gauge_family("argosy_queue_starved_seconds",
                              "For how long a queue has had less than its adjusted share, by more "
                              "than a hundredth of the pool; 0: it has its share.");
  auto weights = gauge_family("argosy_queue_weight", "The weight of a queue in a pool.");
  auto outcomes =
      gauge_family("argosy_round_jobs",
                   "Jobs in the last round of a pool: that had their turn (considered), "
                   "that got a node (placed) or none (unplaced), that were pushed out "
                   "(preempted), or evicted and put back (returned).");
  const std::lock_guard lock{mutex_};
  for (const auto& [pool, last] : rounds_) {
    const std::array<std::pair<const char*, std::uint64_t>, 5> ends = {
        {{"considered", last.tried},
         {"placed", last.placed},
         {"unplaced", last.tried - last.placed},
         {"preempted", last.preempted},
         {"returned", last.returned}}};
    for (const auto& [outcome, jobs] : ends)
      outcomes.samples.push_back(
          {{{"pool", pool}, {"outcome", outcome}}, static_cast<double>(jobs)});
    begun.samples.push_back(
        {{{"pool", pool}}, std::chrono::duration<double>(last.begun.time_since_epoch()).count()});
    unfair.samples.push_back({{{"pool", pool}}, last.unfairness});
    for (const auto& each : last.queues) {
      const std::array<std::pair<const char*, double>, 5> kinds = {{{"actual", each.actual},
                                                                    {"fair", each.fair},
                                                                    {"adjusted", each.adjusted},
                                                                    {"demand", each.demand},
                                                                    {"uncapped", each.uncapped}}};
      for (const auto& [kind, share] : kinds)
        shares.samples.push_back({{{"pool", pool}, {"queue", each.name}, {"kind", kind}}, share});
      const metrics::label_list of{{"pool", pool}, {"queue", each.name}};
      const auto lacking = each.starved_since == wall_time{} ? std::chrono::duration<double>{}
                                                             : last.begun - each.starved_since;
      starved.samples.push_back({of, std::max(0.0, lacking.count())});
      weights.samples.push_back({of, each.weight});
      for (const auto& [resource, amounts] : each.amounts) {
        const metrics::label_list labels{
            {"pool", pool}, {"queue", each.name}, {"resource", resource}};
        allocated.samples.push_back({labels, amounts.allocated});
        demand.samples.push_back({labels, amounts.demand});
      }
    }
  }
  for (auto* item : {&begun, &unfair, &outcomes, &shares, &starved, &weights, &allocated, &demand})
    out.push_back(std::move(*item));
  collect_unplaced(out);
}

}  // namespace argosy::probes
