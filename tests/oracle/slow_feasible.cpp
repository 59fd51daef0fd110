// SPDX-License-Identifier: Apache-2.0
// This part of the slow oracle tells whether a band could be placed with everything that balance
// and urgency may take for it. A band that could not has no turn.
#include <algorithm>

#include "tests/oracle/slow_parts.hpp"

namespace argosy::oracle {

/// While evicted jobs are numbered, and where lots are drawn, every evicted job may yet lose its
/// place. Else those that return before the band has its turn keep theirs.
slow_round::takes slow_round::taken_by(std::size_t queue, const band& g) const {
  if (keys_.empty() || rules_.slices) return [](std::size_t) { return true; };
  const auto own = rank_of(queue, g, used_now());
  return [this, own](std::size_t job) { return !(keys_.at(job) < own); };
}

bool slow_round::feasible(std::size_t queue, const band& g) const {
  const auto taken = taken_by(queue, g);
  const auto list = grounds(g);
  return std::any_of(list.begin(), list.end(),
                     [&](const auto& ground) { return feasible_under(g, ground, taken); });
}

amounts slow_round::room_at_best(std::size_t node, int priority, const takes& taken) const {
  auto left = allocatable(node);
  for (std::size_t j = 0; j < now_.size(); ++j) {
    const auto& own = now_[j];
    if (own.node != node || own.where == place::waiting || own.where == place::out) continue;
    const bool lower = !stays_[j] && own.at < priority;
    if (own.where == place::bound && lower) continue;
    if (own.where == place::evicted && (lower || (own.at <= priority && taken(j)))) continue;
    left = plus(left, w_.jobs[j].request, -1);
  }
  return left;
}

bool slow_round::has_node(std::size_t job, const common_ground& ground, const takes& taken) const {
  for (const auto& way : ways_of(job, ground))
    for (const auto n : nodes_)
      if (suits(job, n, way.tolerated, ground) &&
          fits(w_.jobs[job].request, room_at_best(n, way.priority, taken)))
        return true;
  return false;
}

amounts slow_round::pool_at_best(const band& g, const common_ground& ground,
                                 const takes& taken) const {
  std::vector<search> ways;
  for (const auto j : g.jobs)
    for (const auto& way : ways_of(j, ground)) ways.push_back(way);
  int highest = std::numeric_limits<int>::min();
  for (const auto& way : ways) highest = std::max(highest, way.priority);
  amounts sum{};
  for (const auto n : nodes_) {
    if (std::none_of(ways.begin(), ways.end(),
                     [&](const search& way) { return suits(way.job, n, way.tolerated, ground); }))
      continue;
    const auto room = room_at_best(n, highest, taken);
    for (std::size_t i = 0; i < node_amounts; ++i) sum[i] += std::max<std::int64_t>(0, room[i]);
  }
  return sum;
}

/// Enough members must have a node each, taken alone, and in each amount as many members as must
/// start, the smallest ones, must find room on all nodes together.
bool slow_round::feasible_under(const band& g, const common_ground& ground,
                                const takes& taken) const {
  const auto must = least_members(g);
  std::vector<std::size_t> able;
  for (const auto j : g.jobs)
    if (has_node(j, ground, taken)) able.push_back(j);
  if (able.size() < must) return false;
  if (g.jobs.size() == 1) return true;
  const auto room = pool_at_best(g, ground, taken);
  for (std::size_t i = 0; i < node_amounts; ++i) {
    std::sort(able.begin(), able.end(),
              [&](auto a, auto b) { return w_.jobs[a].request[i] < w_.jobs[b].request[i]; });
    std::int64_t need = 0;
    for (std::size_t k = 0; k < must; ++k) need += w_.jobs[able[k]].request[i];
    if (need > room[i]) return false;
  }
  return true;
}

}  // namespace argosy::oracle
