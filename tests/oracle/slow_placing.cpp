// SPDX-License-Identifier: Apache-2.0
// This part of the slow oracle places a gang member by member, and finds a node for one job.
#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "tests/oracle/slow_parts.hpp"

namespace argosy::oracle {

namespace {

std::optional<std::int64_t> integer(std::string text) {
  if (!text.empty() && text.front() == '+') text.erase(0, 1);
  std::int64_t value = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return value;
}

bool valid(const demand_rule& rule) {
  if (rule.op == "In" || rule.op == "NotIn") return !rule.values.empty();
  if (rule.op == "Exists" || rule.op == "DoesNotExist") return rule.values.empty();
  if (rule.op == "Gt" || rule.op == "Lt")
    return rule.values.size() == 1 && integer(rule.values.front()).has_value();
  return false;
}

bool holds(const demand_rule& rule, const std::map<std::string, std::string>& labels) {
  const auto at = labels.find(rule.label);
  const bool there = at != labels.end();
  const bool listed = there && std::count(rule.values.begin(), rule.values.end(), at->second) > 0;
  if (rule.op == "In") return listed;
  if (rule.op == "NotIn") return !listed;
  if (rule.op == "Exists") return there;
  if (rule.op == "DoesNotExist") return !there;
  const auto have = there ? integer(at->second) : std::nullopt;
  if (!have) return false;
  return rule.op == "Gt" ? *have > *integer(rule.values.front())
                         : *have < *integer(rule.values.front());
}

bool affinity_holds(const std::vector<std::vector<demand_rule>>& terms,
                    const std::map<std::string, std::string>& labels) {
  for (const auto& term : terms)
    for (const auto& rule : term)
      if (!valid(rule)) return false;
  if (terms.empty()) return true;
  for (const auto& term : terms)
    if (std::all_of(term.begin(), term.end(),
                    [&](const auto& rule) { return holds(rule, labels); }))
      return true;
  return false;
}

}  // namespace

bool tolerates(const std::vector<leave>& tolerated, const spot& taint) {
  for (const auto& t : tolerated) {
    if (!t.effect.empty() && t.effect != taint.effect) continue;
    if (!t.key.empty() && t.key != taint.key) continue;
    if (t.exists || t.value == taint.value) return true;
  }
  return false;
}

/// Whether labels, taints, affinity and cluster admit the job to the node, whatever is free
/// there.
bool slow_round::suits(std::size_t job, std::size_t node, const std::vector<leave>& tolerated,
                       const common_ground& ground) const {
  const auto& n = w_.nodes[node];
  const auto& closed = w_.rules.closed;
  if (std::count(closed.begin(), closed.end(), n.cluster) > 0) return false;
  if (n.unschedulable &&
      !tolerates(tolerated, {"armadaproject.io/unschedulable", "true", "NoSchedule"}))
    return false;
  return suits_open(job, node, tolerated, ground);
}

bool slow_round::suits_open(std::size_t job, std::size_t node, const std::vector<leave>& tolerated,
                            const common_ground& ground) const {
  const auto& n = w_.nodes[node];
  if (!ground.cluster.empty() && n.cluster != ground.cluster) return false;
  for (const auto& t : n.taints)
    if (t.effect != "PreferNoSchedule" && !tolerates(tolerated, t)) return false;
  auto labels = n.labels;
  labels["armadaproject.io/nodeId"] = n.id;
  auto selector = w_.jobs[job].selector;
  for (const auto& [label, value] : selector)
    if (!labels.contains(label) || labels[label] != value) return false;
  if (!ground.label.empty() &&
      (!labels.contains(ground.label) || labels[ground.label] != ground.value))
    return false;
  return affinity_holds(w_.jobs[job].affinity, labels);
}

/// Returns what nobody holds on the node.
amounts slow_round::room(const picture& p, std::size_t node) const {
  auto left = allocatable(node);
  for (std::size_t j = 0; j < p.size(); ++j) {
    const auto where = p[j].where;
    const bool holds = where == place::bound || where == place::evicted || where == place::leaving;
    if (holds && p[j].node == node) left = plus(left, w_.jobs[j].request, -1);
  }
  return left;
}

/// Returns how many taints with the effect PreferNoSchedule are not tolerated.
int slow_round::soft_taints(std::size_t node, const std::vector<leave>& tolerated) const {
  int count = 0;
  for (const auto& t : w_.nodes[node].taints)
    count += t.effect == "PreferNoSchedule" && !tolerates(tolerated, t);
  return count;
}

/// Whether `a` fits better than `b`: by the least of the indexed amounts, or the most with
/// `roomiest`, then by the fewest soft taints, then by id.
bool slow_round::tighter(const picture& p, std::size_t a, std::size_t b,
                         const std::vector<leave>& tolerated, bool roomiest) const {
  const std::int64_t sign = roomiest ? -1 : 1;
  const auto key = [&](std::size_t n) {
    auto left = room(p, n);
    for (auto& amount : left) amount = std::max<std::int64_t>(0, amount);
    return std::tuple(sign * left[2], sign * left[0], sign * left[1], soft_taints(n, tolerated),
                      w_.nodes[n].id);
  };
  return key(a) < key(b);
}

/// Returns 0 if only jobs of the queue are on the node, 1 if none is, and 2 if others are.
int slow_round::user_rank(const picture& p, std::size_t node, const std::string& queue) const {
  bool own = false;
  bool others = false;
  for (std::size_t j = 0; j < p.size(); ++j)
    if ((p[j].where == place::bound || p[j].where == place::evicted) && p[j].node == node)
      (w_.jobs[j].queue == queue ? own : others) = true;
  return others ? 2 : own ? 0 : 1;
}

/// Returns everything that the band's nodes may have in common; each is tried. The list is empty
/// if the band must share a label that no node has.
std::vector<common_ground> slow_round::grounds(const band& g) const {
  const auto& first = w_.jobs[g.jobs.front()];
  if (first.gang.empty() || g.returning) return {{}};
  std::vector<common_ground> list;
  const auto& label = first.label.empty() ? w_.rules.default_label : first.label;
  std::set<std::string> seen;
  if (!label.empty()) {
    for (const auto n : nodes_) {
      auto labels = w_.nodes[n].labels;
      labels["armadaproject.io/nodeId"] = w_.nodes[n].id;
      if (labels.contains(label) && !labels[label].empty()) seen.insert(labels[label]);
    }
    for (const auto& value : seen) list.push_back({label, value, ""});
  } else if (rules_.one_cluster) {
    for (const auto n : nodes_) seen.insert(w_.nodes[n].cluster);
    for (const auto& cluster : seen) list.push_back({"", "", cluster});
  } else {
    list.push_back({});
  }
  return list;
}

answer slow_round::place_gang(const band& g) {
  if (g.returning) {
    for (const auto j : g.jobs) now_[j].where = place::bound;
    return answer::placed;
  }
  // The best ground is the one on which most members find room; among equal ones the one on which
  // the victims' priorities have the lowest mean, which is lowest without any victim; then the
  // first one. On each ground all members take the tightest node first, then only the largest do.
  std::optional<trial_result> best;
  for (const auto& ground : grounds(g)) {
    for (const bool spread : {false, true}) {
      auto t = try_under(g, ground, spread);
      if (!t.good) continue;
      const auto key = [](const trial_result& r) {
        return std::tuple(r.left_out.size(), r.mean_reach);
      };
      if (!best || key(t) < key(*best)) best = std::move(t);
    }
  }
  if (!best) return answer::no_fit;
  settle(*best);
  return answer::placed;
}

/// Makes the outcome of a trial the truth.
void slow_round::settle(const trial_result& t) {
  now_ = t.after;
  for (const auto& v : t.victims) {
    if (v.was_bound) charge(v.job, -1, false);
    if (!v.urgent) preemption_tokens_ -= 1;
  }
  for (const auto j : t.left_out) {
    charge(j, -1, true);
    left_out_.insert(j);
  }
}

double slow_round::dominant(std::size_t job) const {
  double most = 0;
  for (std::size_t i = 0; i < node_amounts; ++i)
    if (total_[i] > 0)
      most = std::max(
          most, static_cast<double>(w_.jobs[job].request[i]) / static_cast<double>(total_[i]));
  return most;
}

/// Returns how many of its jobs the band cannot start without.
std::size_t slow_round::least_members(const band& g) const {
  const auto& first = w_.jobs[g.jobs.front()];
  if (first.gang.empty() || first.minimum == 0) return g.jobs.size();
  return std::min<std::size_t>(g.jobs.size(), first.minimum);
}

trial_result slow_round::try_under(const band& g, const common_ground& ground, bool spread) const {
  trial_result t;
  t.jobs = g.jobs;
  t.after = now_;
  const auto must = least_members(g);
  double reach = 0;
  auto order = g.jobs;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return dominant(a) > dominant(b); });
  for (const auto j : order) {
    const auto f = choose(t, j, ground, spread && dominant(j) < dominant(order.front()));
    if (!f) {
      t.left_out.push_back(j);
      if (g.jobs.size() - t.left_out.size() < must) return t;
      continue;
    }
    for (const auto& v : f->victims) {
      t.after[v.job].where = place::out;
      t.victims.push_back(v);
    }
    t.after[j] = {place::bound, f->node, f->priority};
    reach += f->reach;
  }
  t.good = true;
  t.mean_reach = reach / static_cast<double>(g.jobs.size() - t.left_out.size());
  return t;
}

std::vector<slow_round::search> slow_round::ways_of(std::size_t job,
                                                    const common_ground& ground) const {
  for (const auto i : w_.rules.unscheduled)
    if (w_.jobs[job].request[i] != 0) return {};
  const auto& own = class_of(job);
  search home{job, own.priority, w_.jobs[job].tolerations, ground, false};
  home.tolerated.insert(home.tolerated.end(), w_.rules.default_tolerations.begin(),
                        w_.rules.default_tolerations.end());
  std::vector<search> ways{home};
  if (w_.rules.no_away || (w_.rules.no_gang_away && !w_.jobs[job].gang.empty())) return ways;
  for (const auto& away : own.away) {
    auto there = home;
    there.priority = away.priority;
    for (const auto& t : away.taints)
      there.tolerated.push_back({t.key, t.value, t.value == "*", t.effect});
    ways.push_back(there);
  }
  return ways;
}

/// Looks for a node for the job, first at home and then on the nodes that its class may use away
/// from home.
std::optional<slow_round::found> slow_round::choose(const trial_result& so_far, std::size_t job,
                                                    const common_ground& ground,
                                                    bool roomiest) const {
  for (auto way : ways_of(job, ground)) {
    way.roomiest = roomiest;
    if (auto f = choose_at(so_far, way)) return f;
  }
  return std::nullopt;
}

std::optional<slow_round::found> slow_round::choose_at(const trial_result& so_far,
                                                       const search& s) const {
  auto f = without_preemption(so_far.after, s);
  if (!f && !w_.rules.no_fair_share) f = preempt_fairly(so_far, s);
  if (!f && rules_.victims != preset_row::victim_rule::none && !w_.rules.no_urgency)
    f = push_in(so_far.after, s);
  return f;
}

std::optional<slow_round::found> slow_round::without_preemption(const picture& p,
                                                                const search& s) const {
  const auto& j = w_.jobs[s.job];
  std::optional<std::size_t> best;
  for (const auto n : nodes_) {
    if (!fits(j.request, room(p, n)) || !suits(s.job, n, s.tolerated, s.ground)) continue;
    const auto rank = [&](std::size_t node) {
      return rules_.sole_user_first ? user_rank(p, node, j.queue) : 0;
    };
    if (!best || rank(n) < rank(*best) ||
        (rank(n) == rank(*best) && tighter(p, n, *best, s.tolerated, s.roomiest)))
      best = n;
  }
  if (!best) return std::nullopt;
  return found{*best, s.priority, -2, {}};
}

/// Fills in what better() compares.
void slow_round::weigh(choice& c, const picture& p, const search& s, bool for_balance) const {
  c.users = user_rank(p, c.node, w_.jobs[s.job].queue);
  for (const auto v : c.victims) {
    c.level = std::max(c.level, p[v].at);
    c.share =
        std::max(c.share, for_balance ? share_held(p, number_of_queue_.at(w_.jobs[v].queue), {})
                                      : share_before(v));
  }
}

bool slow_round::better(const picture& p, const search& s, const choice& a, const choice& b) const {
  const auto key = [&](const choice& c) {
    return std::tuple(rules_.sole_user_first ? c.users : 0, rules_.asks_victims ? c.level : 0,
                      rules_.asks_victims ? -c.share : 0,
                      rules_.asks_victims && rules_.fewest_victims ? c.victims.size() : 0);
  };
  return key(a) != key(b) ? key(a) < key(b) : tighter(p, a.node, b.node, s.tolerated);
}

std::optional<slow_round::choice> slow_round::best_choice(const picture& p, const search& s,
                                                          bool for_balance,
                                                          const victims_of& victims) const {
  std::optional<choice> best;
  for (const auto n : nodes_) {
    if (!suits(s.job, n, s.tolerated, s.ground)) continue;
    choice c;
    c.node = n;
    c.victims = victims(n);
    if (c.victims.empty()) continue;
    weigh(c, p, s, for_balance);
    if (!best || better(p, s, c, *best)) best = c;
  }
  return best;
}

std::optional<slow_round::found> slow_round::preempt_fairly(const trial_result& so_far,
                                                            const search& s) const {
  const auto& p = so_far.after;
  const auto best =
      best_choice(p, s, true, [&](std::size_t n) { return balance_victims(so_far, s, n); });
  if (!best) return std::nullopt;
  found f{best->node, s.priority, best->level, {}};
  for (const auto v : best->victims) f.victims.push_back({v, false, false});
  return f;
}

std::optional<slow_round::found> slow_round::push_in(const picture& p, const search& s) const {
  const auto best =
      best_choice(p, s, false, [&](std::size_t n) { return urgent_victims(p, s, n); });
  if (!best) return std::nullopt;
  found f{best->node, s.priority, best->level, {}};
  for (const auto v : best->victims) f.victims.push_back({v, true, p[v].where == place::bound});
  return f;
}

}  // namespace argosy::oracle
