// SPDX-License-Identifier: Apache-2.0
// Urgency with its victims named at once. The node with the least harm is taken, and no job loses
// its place in vain.
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/scheduling/engine/round_engine.hpp"

namespace argosy::scheduling::engine {

namespace {

/// A round remembers so many queries and priorities, and no more than fit into so many bytes.
constexpr std::size_t remembered_most = 64;
constexpr std::size_t remembered_bytes = std::size_t{256} << 20;

}  // namespace

std::size_t round_engine::urgency_cache::most(std::size_t nodes) {
  const auto each = nodes * (sizeof(victim_choice) + 3 * sizeof(std::uint32_t)) + 1;
  return std::min(remembered_most, remembered_bytes / each);
}

bool round_engine::within_budget() {
  if (!conf_.hard_preemption_budget || std::isinf(books_.preemption_tokens)) return true;
  std::size_t so_far = 0;
  for (const auto& p : pushed_) so_far += p.cause != preemption_cause::urgency;
  absl::flat_hash_set<std::uint32_t> leaving(crowd_.begin(), crowd_.end());
  for (const auto job : crowd_) {
    const auto gang = t_.jobs[job].gang;
    if (gang == none) continue;
    for (const auto mate : t_.gangs[gang].members)
      if ((nodes_.state(mate).flags & holds_room) != 0) leaving.insert(mate);
  }
  for (const auto job : at_stake_)
    if ((nodes_.state(job).flags & holds_room) != 0) leaving.insert(job);
  return static_cast<double>(so_far + leaving.size()) <= books_.preemption_tokens;
}

round_engine::victim_choice round_engine::judge_node(const offer& o, std::uint32_t matcher,
                                                     std::uint32_t node) {
  // Jobs that count at the job's own priority can never leave for it.
  const auto row = nodes_.row_of(o.priority);
  if (!nodes_.fits(t_.amounts(o.shape), node, row) || !matching_.suits(matcher, node)) return {};
  auto choice = pick_victims(o, node);
  if (choice.node != none) look_at(choice, o, matcher);
  return choice;
}

void round_engine::measure_victims() {
  largest_victim_.assign(nodes_.dims, 0);
  std::vector<std::uint8_t> seen(t_.shapes.size(), 0);
  for (const auto share : victim_shares_) richest_share_ = std::max(richest_share_, share);
  for (const auto& book : books_.queues) {
    for (const auto& e : t_.queues[book.slot].running)
      if (std::exchange(seen[e.shape], 1) == 0) count_victim(e.shape);
  }
  newcomers_.visit_all([&](auto job) { count_newcomer(job, shape_of(job)); });
}

void round_engine::count_newcomer(std::uint32_t job, std::uint32_t shape) {
  // Those of the highest class leave for nobody.
  if (nodes_.bound_priority(job) < nodes_.rows.back()) count_victim(shape);
}

void round_engine::count_victim(std::uint32_t shape) {
  for (std::uint32_t d = 0; d < largest_victim_.size(); ++d)
    largest_victim_[d] = std::max(largest_victim_[d], t_.amounts(shape)[d]);
}

round_engine::victim_choice round_engine::at_best(const offer& o, std::uint32_t matcher,
                                                  std::uint32_t node) {
  const auto* need = t_.amounts(o.shape);
  if (!nodes_.fits(need, node, nodes_.row_of(o.priority)) || !matching_.suits(matcher, node))
    return {};
  victim_choice bound;
  bound.node = node;
  bound.judged = false;
  bound.share = richest_share_;
  bound.level = nodes_.rows.front();
  if (nodes_.guests.empty()) {
    bound.level = every_row;
    // A job that urgency alone may not push out may leave once it was evicted for balance.
    const auto least = std::any_of(conf_.classes.begin(), conf_.classes.end(),
                                   [](const priority_class& c) {
                                     return c.fair_share_preemptible && !c.urgency_preemptible;
                                   })
                           ? nodes_.rows.front()
                           : every_row;
    for (const auto cutoff : t_.nodes[nodes_.slots[node]].cutoffs)
      bound.level = std::min(bound.level, cutoff == every_row ? least : cutoff);
    newcomers_.visit(
        node, [&](auto job) { bound.level = std::min(bound.level, nodes_.bound_priority(job)); });
  }
  const auto* room = nodes_.free(node, 0);
  for (std::uint32_t d = 0; d < nodes_.dims; ++d) {
    if (need[d] <= nodes_.usable(room[d])) continue;
    const auto lacking = need[d] - room[d];
    if (largest_victim_[d] == 0) return {};
    const auto least = (lacking + largest_victim_[d] - 1) / largest_victim_[d];
    bound.count = std::max(bound.count, static_cast<std::size_t>(least));
  }
  look_at(bound, o, matcher);
  return bound;
}

std::uint32_t round_engine::better_node(const urgency_cache& c, std::uint32_t a,
                                        std::uint32_t b) const {
  if (a == none || b == none) return a == none ? b : a;
  return better(c.choices[b], c.choices[a]) ? b : a;
}

void round_engine::choose_again(urgency_cache& c, const victim_choice& choice, std::uint32_t node) {
  const auto listed = c.choices[node].listed;
  if (choice.shared && !listed) c.shared.push_back(node);
  c.choices[node] = choice;
  c.choices[node].listed = listed || choice.shared;
  auto at = c.tree.size() / 2 + node;
  c.tree[at] = choice.node;
  for (at /= 2; at > 0; at /= 2) {
    const auto top = better_node(c, c.tree[2 * at], c.tree[2 * at + 1]);
    if (top == c.tree[at] && top != node) return;
    c.tree[at] = top;
  }
}

void round_engine::follow(urgency_cache& c, const offer& o, std::uint32_t matcher) {
  const auto& changes = nodes_.changes();
  const auto count = nodes_.node_count();
  const auto since = std::exchange(c.position, changes.filed());
  if (c.tree.empty()) {
    if (largest_victim_.empty()) measure_victims();
    c.choices.assign(count, {});
    c.tree.assign(2 * std::size_t{count}, none);
    for (std::uint32_t node = 0; node < count; ++node) {
      c.choices[node] = at_best(o, matcher, node);
      c.tree[count + node] = c.choices[node].node;
    }
    for (auto at = count - 1; at > 0; --at)
      c.tree[at] = better_node(c, c.tree[2 * at], c.tree[2 * at + 1]);
    return;
  }
  changes.visit(change_log::everything, since, [&](std::uint32_t node) {
    choose_again(c, at_best(o, matcher, node), node);
    return true;
  });
  for (std::size_t i = 0; i < c.shared.size(); ++i)
    choose_again(c, at_best(o, matcher, c.shared[i]), c.shared[i]);
}

std::uint32_t round_engine::judge_best(urgency_cache& c, const offer& o, std::uint32_t matcher) {
  auto node = c.tree[1];
  while (node != none && !c.choices[node].judged) {
    const auto choice = judge_node(o, matcher, node);
    // The node is as good as its estimate, so that it stays first, and its victims are known.
    if (choice.node != none && !choice.shared && !better(c.choices[node], choice)) {
      const auto listed = c.choices[node].listed;
      c.choices[node] = choice;
      c.choices[node].listed = listed;
      return node;
    }
    choose_again(c, choice, node);
    if (c.tree[1] == node) return node;
    node = c.tree[1];
  }
  if (node != none) (void)pick_victims(o, node);
  return node;
}

std::uint32_t round_engine::push_in_naming(offer& o, std::uint32_t query, std::uint32_t matcher) {
  if (nodes_.node_count() == 0) return none;
  // A gang's own members are no victims for it, so its choices are of use to nobody else; nor are
  // those that ask whose jobs run on a node.
  if (const auto* only = matching_.get(matcher).only) return push_in_among(o, matcher, *only);
  urgency_cache once;
  const auto key = (std::uint64_t{query} << 32) | static_cast<std::uint32_t>(o.priority);
  auto& c = o.gang == none && !order_.asks_users ? urgency_.of(key) : once;
  follow(c, o, matcher);
  const auto node = judge_best(c, o, matcher);
  if (node == none) return none;
  o.reach = c.choices[node].level;
  for (const auto job : victims_) push_out(job, o.job);
  rest_.after = o.job;
  return node;
}

std::uint32_t round_engine::push_in_among(offer& o, std::uint32_t matcher,
                                          const std::vector<std::uint32_t>& nodes) {
  victim_choice best;
  for (const auto node : nodes) {
    const auto choice = judge_node(o, matcher, node);
    if (choice.node != none && (best.node == none || better(choice, best))) best = choice;
  }
  if (best.node == none) return none;
  (void)pick_victims(o, best.node);
  o.reach = best.level;
  for (const auto job : victims_) push_out(job, o.job);
  return best.node;
}

void round_engine::push_out_one(std::uint32_t job, std::uint32_t preemptor,
                                preemption_cause cause) {
  if ((nodes_.state(job).flags & holds_room) != 0) {
    if (nodes_.strike(job)) {
      nodes_.drop_evicted(job, shape_of(job));
      count_held(job, shape_of(job), -1);
      pushed_.push_back({job, preemptor, cause});
    }
  } else if (nodes_.is_bound(job)) {
    nodes_.drop_bound(job, shape_of(job));
    count_held(job, shape_of(job), -1);
    pushed_.push_back({job, preemptor, cause, true});
  }
}

void round_engine::push_out(std::uint32_t job, std::uint32_t preemptor) {
  push_out_one(job, preemptor, preemption_cause::urgency);
  const auto gang = t_.jobs[job].gang;
  if (gang == none) return;
  for (const auto mate : t_.gangs[gang].members)
    push_out_one(mate, preemptor, preemption_cause::urgency);
}

/// Whether one of these jobs' queues now holds more than its limit of all classes and than before.
bool round_engine::total_lost(const std::vector<std::uint32_t>& jobs) const {
  return totals_.is_open() && std::any_of(jobs.begin(), jobs.end(), [&](std::uint32_t job) {
           const auto queue = books_.of(job);
           return queue != none && books_.total_lost(queue, totals_.amounts(queue));
         });
}

void round_engine::bring_back() {
  if (!conf_.return_room_only) return;
  // Room on nodes and in the pool only shrinks here, so that jobs without room now will find none
  // later.
  std::vector<found_job> lost;
  for (const auto& e : evicted_)
    if (nodes_.fits(t_.amounts(e.shape), e.node, 0) && !nodes_.is_bound(e.job) &&
        t_.jobs[e.job].running)
      lost.push_back(e);
  const auto entitled = [&](const found_job& a, const found_job& b) {
    const auto x = nodes_.state(a.job).number - 1;  // Jobs without a number come last.
    const auto y = nodes_.state(b.job).number - 1;
    return x != y ? x < y : t_.jobs[a.job].id < t_.jobs[b.job].id;
  };
  std::sort(lost.begin(), lost.end(), entitled);
  std::vector<std::uint32_t> whole;
  for (const auto& e : lost) {
    if (nodes_.is_bound(e.job)) continue;
    whole.assign(1, e.job);
    const auto gang = t_.jobs[e.job].gang;
    if (gang != none)
      for (const auto mate : t_.gangs[gang].members)
        if (mate != e.job && (nodes_.state(mate).flags & evicted) != 0 && t_.jobs[mate].running &&
            !nodes_.is_bound(mate))
          whole.push_back(mate);
    nodes_.begin();
    totals_.begin();
    bool all = true;
    for (const auto job : whole) {
      const auto node = nodes_.node_of(job);
      const auto holds = (nodes_.state(job).flags & holds_room) != 0;
      if (totals_.is_open() && !holds) totals_.count(books_.of(job), shape_of(job), +1);
      all = all && nodes_.fits(t_.amounts(shape_of(job)), node, 0);
      if (!all) break;
      nodes_.bind(job, shape_of(job), node, nodes_.bound_priority(job));
    }
    for (const auto job : whole) books_.charge(books_.of(job), shape_of(job), +1, false);
    if (!all || books_.floating_lost() || total_lost(whole)) {
      totals_.undo();
      for (const auto job : whole) books_.charge(books_.of(job), shape_of(job), -1, false);
      nodes_.rollback();
      continue;
    }
    nodes_.commit();
    for (const auto job : whole) {
      // No job was preempted after all.
      const auto cause = nodes_.state(job).cause;
      if (cause != 0 && causes_[cause - 1].cause != preemption_cause::urgency)
        --plan_.preemption_tokens_used;
    }
    returned_ += whole.size();
  }
}

}  // namespace argosy::scheduling::engine
