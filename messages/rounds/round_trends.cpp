// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/round_trends.hpp"

#include <algorithm>
#include <utility>

namespace argosy::rounds {

namespace {

constexpr std::size_t causes_max = 5;
/// Spans are made coarser when so many have come.
constexpr std::size_t tidied_after = 30;

std::vector<native::cause_count> causes_of(const scheduling::plan& plan) {
  std::vector<native::cause_count> out;
  for (const auto& [code, jobs] : unplaced_jobs(plan))
    out.push_back({std::string{to_string(code)}, jobs});
  std::ranges::stable_sort(out, std::ranges::greater{}, &native::cause_count::jobs);
  if (out.size() > causes_max) out.resize(causes_max);
  return out;
}

/// Both together, of which `after` came later.
native::round_span joined(const native::round_span& before, native::round_span after) {
  after.from_ns = before.from_ns;
  after.rounds += before.rounds;
  after.duration_ns += before.duration_ns;
  after.longest_ns = std::max(after.longest_ns, before.longest_ns);
  after.tried += before.tried;
  after.started += before.started;
  after.preempted += before.preempted;
  after.returned += before.returned;
  return after;
}

}  // namespace

native::round_span round_trends::span_of(const scheduling::plan& plan, std::int64_t begun_ns,
                                         std::int64_t duration_ns, names& known) const {
  native::round_span out;
  out.from_ns = out.to_ns = begun_ns;
  out.rounds = 1;
  out.duration_ns = out.longest_ns = duration_ns;
  out.started = plan.leases.size();
  out.tried = plan.leases.size() + refused_jobs(plan);
  out.preempted = plan.preemptions.size();
  out.returned = plan.rescheduled;
  out.kept = causes_of(plan);
  std::vector<const scheduling::queue_figures*> queues;
  for (const auto& queue : plan.queues)
    if (!queue.guests) queues.push_back(&queue);
  if (queues.size() > limits_.queues_max) {
    std::ranges::stable_sort(queues, std::ranges::greater{}, [](const auto* queue) {
      return std::pair{queue->cost_after, queue->demand_share};
    });
    queues.resize(limits_.queues_max);
    std::ranges::sort(
        queues, {}, [](const auto* queue) -> const auto& { return queue->name; });
  }
  for (const auto* queue : queues) {
    auto name = known.find(queue->name);
    if (name == known.end())
      name = known.emplace(queue->name, std::make_shared<const std::string>(queue->name)).first;
    out.queues.push_back(
        {name->second, {queue->fair_share, queue->cost_after, queue->demand_share}});
  }
  return out;
}

void round_trends::make_coarser(one_pool& pool, std::int64_t now_ns) const {
  std::vector<native::round_span_ptr> out;
  for (auto& span : pool.spans) {
    const auto age = now_ns - span->to_ns;
    const auto rule =
        std::ranges::find_if(limits_.ages, [&](const auto& one) { return age <= one.age.count(); });
    if (rule == limits_.ages.end()) continue;
    if (!out.empty() && span->from_ns >= out.back()->to_ns &&
        span->to_ns - out.back()->from_ns < rule->span.count())
      out.back() = std::make_shared<native::round_span>(joined(*out.back(), *span));
    else
      out.push_back(std::move(span));
  }
  pool.spans = std::move(out);
  pool.tidied = pool.spans.size();
  std::erase_if(pool.known, [](const auto& name) { return name.second.use_count() == 1; });
}

void round_trends::decided(const model::pool_name& pool, const scheduling::plan& plan,
                           std::int64_t begun_ns, std::int64_t duration_ns) {
  auto& to = pools_[pool];
  auto fresh = span_of(plan, begun_ns, duration_ns, to.known);
  // A clock that was set back begins a span of its own.
  const bool same = !to.spans.empty() && begun_ns >= to.spans.back()->to_ns &&
                    begun_ns - to.spans.back()->from_ns < limits_.ages.front().span.count();
  if (same) {
    to.spans.back() =
        std::make_shared<native::round_span>(joined(*to.spans.back(), std::move(fresh)));
    return;
  }
  to.spans.push_back(std::make_shared<native::round_span>(std::move(fresh)));
  if (to.spans.size() >= to.tidied + tidied_after) make_coarser(to, begun_ns);
}

void round_trends::keep_only(const std::vector<model::pool_name>& pools) {
  std::erase_if(pools_, [&](const auto& entry) {
    return std::ranges::find(pools, entry.first) == pools.end();
  });
}

std::vector<native::round_trend> round_trends::all() const {
  std::vector<native::round_trend> out;
  for (const auto& [pool, kept] : pools_) out.push_back({pool, kept.spans});
  return out;
}

}  // namespace argosy::rounds
