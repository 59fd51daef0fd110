// SPDX-License-Identifier: Apache-2.0
// This part of the slow oracle says which jobs leave a node for another one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "tests/oracle/slow_parts.hpp"

namespace argosy::oracle {

/// Returns the jobs that lose their places with this one, itself included: its gang mates that hold
/// room. What is not evicted stays where jobs leave for balance.
std::vector<std::size_t> slow_round::falls_with(const picture& p, std::size_t job,
                                                bool for_balance) const {
  std::vector<std::size_t> all;
  for (const auto mate : mates(job))
    if (p[mate].where == place::evicted || (p[mate].where == place::bound && !for_balance))
      all.push_back(mate);
  return all;
}

/// Returns what is free on the node once all that falls with the job has left.
amounts slow_round::freed(const picture& p, std::size_t job, std::size_t node,
                          bool for_balance) const {
  amounts sum{};
  for (const auto each : falls_with(p, job, for_balance))
    if (p[each].node == node) sum = plus(sum, w_.jobs[each].request);
  return sum;
}

/// Returns the victims that leave one node: from the list, which begins with the least entitled
/// one, until the job fits, but without those whose leaving is not needed, beginning with the best
/// entitled one; and all that falls with them. The list is empty if the job does not fit.
std::vector<std::size_t> slow_round::take_from(const picture& p, const search& s, std::size_t node,
                                               const std::vector<std::size_t>& list,
                                               bool for_balance, const may_go& may) const {
  const auto& need = w_.jobs[s.job].request;
  auto rest = p;
  auto left = room(p, node);
  std::vector<std::size_t> taken;
  for (const auto v : list) {
    if (fits(need, left)) break;
    if (rest[v].where == place::out || !may(rest, v)) continue;
    left = plus(left, freed(p, v, node, for_balance));
    for (const auto each : falls_with(p, v, for_balance)) rest[each].where = place::out;
    taken.push_back(v);
  }
  if (!fits(need, left)) return {};
  for (auto i = taken.size(); i-- > 0;) {
    const auto without = plus(left, freed(p, taken[i], node, for_balance), -1);
    if (!fits(need, without)) continue;
    left = without;
    taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::vector<std::size_t> victims;
  for (const auto v : taken)
    for (const auto each : falls_with(p, v, for_balance)) victims.push_back(each);
  return victims;
}

/// Whether what an evicted gang would lose is within what the queue of the starting job is owed.
/// The loss is the cost of its evicted members, the debt what the queue's capped share is above the
/// cost of what it holds. A job on its own is always within it.
bool slow_round::within_debt(const picture& p, std::size_t victim, std::size_t starting) const {
  amounts loss{};
  const auto all = falls_with(p, victim, true);
  if (all.size() < 2) return true;
  for (const auto each : all) loss = plus(loss, w_.jobs[each].request);
  return cost(loss) <= allowed_loss(number_of_queue_.at(w_.jobs[starting].queue));
}

/// Returns the loss up to which a gang may fall for the queue.
double slow_round::allowed_loss(std::size_t queue) const {
  const auto& own = accounts_[queue];
  const auto debt = std::max(0.0, own.capped - cost(held_by(own, now_)));
  return w_.rules.gang_loss_factor * debt + 1e-9;
}

/// Whether a gang that was evicted at the beginning would lose more than that.
bool slow_round::spares_any(std::size_t queue) const {
  for (std::size_t j = 0; j < w_.jobs.size(); ++j) {
    amounts loss{};
    std::size_t count = 0;
    for (const auto mate : mates(j)) {
      if (!come_back_[mate]) continue;
      loss = plus(loss, w_.jobs[mate].request);
      ++count;
    }
    if (count >= 2 && come_back_[j] && cost(loss) > allowed_loss(queue)) return true;
  }
  return false;
}

/// Returns the cost, by weight, of what a queue's bound and evicted jobs hold and of this much
/// more.
double slow_round::share_held(const picture& p, std::size_t queue, const amounts& more) const {
  return cost(plus(held_by(accounts_[queue], p), more)) / accounts_[queue].weight;
}

/// Returns the jobs that leave a node for balance, with all that falls with them.
std::vector<std::size_t> slow_round::balance_victims(const trial_result& so_far, const search& s,
                                                     std::size_t node) const {
  const auto& p = so_far.after;
  std::vector<std::size_t> list;
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (p[j].where != place::evicted || p[j].node != node) continue;
    bool may = within_debt(p, j, s.job);
    for (const auto each : falls_with(p, j, true)) may = may && p[each].at <= s.priority;
    if (may) list.push_back(j);
  }
  std::sort(list.begin(), list.end(),
            [&](auto a, auto b) { return *come_back_[a] > *come_back_[b]; });
  // Where urgency is switched off, jobs of a lower class leave only if their queue holds more than
  // the queue of the starting job will.
  amounts starting{};
  for (const auto j : so_far.jobs)
    if (p[j].where == place::waiting) starting = plus(starting, w_.jobs[j].request);
  const auto own = number_of_queue_.at(w_.jobs[s.job].queue);
  const auto victims = take_from(p, s, node, list, true, [&](const picture& rest, std::size_t v) {
    bool lower = false;
    for (const auto each : falls_with(p, v, true)) lower = lower || p[each].at < s.priority;
    return !w_.rules.no_urgency || !lower ||
           share_held(rest, number_of_queue_.at(w_.jobs[v].queue), {}) >
               share_held(rest, own, starting);
  });
  // The preemption budget has to cover all that falls.
  std::set<std::size_t> losers(victims.begin(), victims.end());
  for (const auto other : at_stake(so_far.jobs))
    if (p[other].where == place::evicted) losers.insert(other);
  auto lost = static_cast<double>(losers.size());
  for (const auto& v : so_far.victims) lost += v.urgent ? 0 : 1;
  return lost > preemption_tokens_ ? std::vector<std::size_t>{} : victims;
}

/// Whether a job may be a victim of urgency for one of priority `below`.
/// A gang leaves as a whole, so that all its members must be allowed to.
bool slow_round::may_leave(const picture& p, std::size_t job, int below,
                           std::size_t starting) const {
  for (const auto mate : mates(job)) {
    if (p[mate].where == place::evicted) {
      // At an equal priority it would leave for balance, whatever it is called.
      if (p[mate].at == below && !within_debt(p, mate, starting)) return false;
      // An evicted job of the same priority would leave for balance, which the preemption budget
      // has to count, so that it is no victim of urgency where there is a budget.
      if (p[mate].at > below || (p[mate].at == below && std::isfinite(preemption_tokens_)))
        return false;
    } else if (p[mate].where == place::bound) {
      if (!known_queue(w_.jobs[mate].queue) || keeps_urgent_place(mate) || p[mate].at >= below)
        return false;
    }
  }
  return true;
}

/// Returns the cost, by weight, of what the job's queue used before the round.
double slow_round::share_before(std::size_t job) const {
  const auto at = number_of_queue_.find(w_.jobs[job].queue);
  if (at == number_of_queue_.end()) return 0;
  return cost(accounts_[at->second].used_before) / accounts_[at->second].weight;
}

/// Returns the jobs that leave a node for urgency, with all that falls with them.
std::vector<std::size_t> slow_round::urgent_victims(const picture& p, const search& s,
                                                    std::size_t node) const {
  std::vector<std::size_t> list;
  const auto own = mates(s.job);
  for (std::size_t j = 0; j < p.size(); ++j) {
    const bool there = p[j].where == place::bound || p[j].where == place::evicted;
    if (!there || p[j].node != node || std::count(own.begin(), own.end(), j) > 0) continue;
    if (may_leave(p, j, s.priority, s.job)) list.push_back(j);
  }
  // The least entitled jobs come first.
  const auto key = [&](std::size_t j) {
    const auto since = runs(j) ? w_.jobs[j].created : std::numeric_limits<std::int64_t>::max();
    return std::tuple(p[j].at, p[j].where == place::bound, -share_before(j), -since);
  };
  std::sort(list.begin(), list.end(), [&](auto a, auto b) {
    return key(a) != key(b) ? key(a) < key(b) : w_.jobs[a].id > w_.jobs[b].id;
  });
  return take_from(p, s, node, list, false, [](const picture&, std::size_t) { return true; });
}

}  // namespace argosy::oracle
