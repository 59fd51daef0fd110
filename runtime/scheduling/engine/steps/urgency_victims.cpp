// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/urgency_victims.hpp"

#include <algorithm>
#include <utility>

namespace argosy::scheduling::engine {

namespace {

/// A round remembers so many queries and priorities, and no more than fit into so many bytes.
constexpr std::size_t remembered_most = 64;
constexpr std::size_t remembered_bytes = std::size_t{256} << 20;

}  // namespace

std::size_t urgency_victims::node_costs::most(std::size_t nodes) {
  const auto each = nodes * (sizeof(victim_choice) + 3 * sizeof(std::uint32_t)) + 1;
  return std::min(remembered_most, remembered_bytes / each);
}

urgency_victims::urgency_victims(world& w, const books& sums, const trial& under_way,
                                 node_order& order, const preemption_budget& budget)
    : world_(w),
      trial_(under_way),
      order_(order),
      picker_(w, sums, under_way, budget),
      sizes_(w, sums),
      remembered_(node_costs::most(w.nodes.count())) {}

bool urgency_victims::could_take(const offer& o, std::uint32_t matcher, std::uint32_t node) {
  // Jobs that count at the job's own priority can never leave for it.
  const auto row = world_.nodes.rows.of(o.priority);
  return world_.free.fits(world_.nodes.t.amounts(o.shape), node, row) &&
         world_.terms.suits(matcher, node);
}

victim_choice urgency_victims::judge(const offer& o, std::uint32_t matcher, std::uint32_t node) {
  if (!could_take(o, matcher, node)) return {};
  auto choice = picker_.pick(o, node);
  if (choice.node != none) order_.look_at(choice, o, matcher);
  return choice;
}

victim_choice urgency_victims::estimate(const offer& o, std::uint32_t matcher, std::uint32_t node) {
  if (!order_.has_bounds()) return judge(o, matcher, node);
  if (!could_take(o, matcher, node)) return {};
  const auto& nodes = world_.nodes;
  const auto least_victims = sizes_.least_victims(nodes.t.amounts(o.shape), node);
  if (!least_victims) return {};
  victim_choice least;
  least.node = node;
  least.judged = false;
  least.count = *least_victims;
  least.share = picker_.richest_share();
  least.level = nodes.rows.lowest();
  if (nodes.guests().empty()) {
    least.level = every_row;
    // A job that urgency alone may not push out may leave once it was evicted for balance.
    const auto& classes = nodes.conf.classes;
    const auto of_all = std::any_of(classes.begin(), classes.end(),
                                    [](const priority_class& c) {
                                      return c.fair_share_preemptible && !c.urgency_preemptible;
                                    })
                            ? nodes.rows.lowest()
                            : every_row;
    for (const auto cutoff : nodes.record(node).cutoffs)
      least.level = std::min(least.level, cutoff == every_row ? of_all : cutoff);
    trial_.bound_new().visit(
        node, [&](auto job) { least.level = std::min(least.level, world_.bound.priority(job)); });
  }
  order_.look_at(least, o, matcher);
  return least;
}

std::uint32_t urgency_victims::better_node(const node_costs& c, std::uint32_t a,
                                           std::uint32_t b) const {
  if (a == none || b == none) return a == none ? b : a;
  return order_.better(c.choices[b], c.choices[a]) ? b : a;
}

void urgency_victims::choose_again(node_costs& c, const victim_choice& choice, std::uint32_t node) {
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

void urgency_victims::follow(node_costs& c, const offer& o, std::uint32_t matcher) {
  sizes_.follow(trial_.bound_new());
  const auto& changes = world_.free.changes();
  const auto count = world_.nodes.count();
  const auto since = std::exchange(c.position, changes.filed());
  if (c.tree.empty()) {
    c.choices.assign(count, {});
    c.tree.assign(2 * std::size_t{count}, none);
    for (std::uint32_t node = 0; node < count; ++node) {
      c.choices[node] = estimate(o, matcher, node);
      c.tree[count + node] = c.choices[node].node;
    }
    for (auto at = count - 1; at > 0; --at)
      c.tree[at] = better_node(c, c.tree[2 * at], c.tree[2 * at + 1]);
    return;
  }
  changes.visit(change_log::everything, since, [&](std::uint32_t node) {
    choose_again(c, estimate(o, matcher, node), node);
    return true;
  });
  for (std::size_t i = 0; i < c.shared.size(); ++i)
    choose_again(c, estimate(o, matcher, c.shared[i]), c.shared[i]);
}

std::uint32_t urgency_victims::judge_best(node_costs& c, const offer& o, std::uint32_t matcher) {
  auto node = c.tree[1];
  while (node != none && !c.choices[node].judged) {
    const auto choice = judge(o, matcher, node);
    // The node is as good as its estimate, so that it stays first, and its victims are known.
    if (choice.node != none && !choice.shared && !order_.better(c.choices[node], choice)) {
      const auto listed = c.choices[node].listed;
      c.choices[node] = choice;
      c.choices[node].listed = listed;
      return node;
    }
    choose_again(c, choice, node);
    if (c.tree[1] == node) return node;
    node = c.tree[1];
  }
  if (node != none) (void)picker_.pick(o, node);
  return node;
}

victim_choice urgency_victims::choose(const offer& o, std::uint32_t query, std::uint32_t matcher) {
  if (world_.nodes.count() == 0) return {};
  // A gang's own members are no victims for it, so its choices are of use to nobody else; nor are
  // those that ask whose jobs run on a node.
  if (const auto* only = world_.terms.get(matcher).only) return choose_among(o, matcher, *only);
  node_costs once;
  const auto key = (std::uint64_t{query} << 32) | static_cast<std::uint32_t>(o.priority);
  auto& c = o.gang == none && !order_.asks_users() ? remembered_.of(key) : once;
  follow(c, o, matcher);
  const auto node = judge_best(c, o, matcher);
  if (node == none) return {};
  picker_.take(o.job);
  return c.choices[node];
}

victim_choice urgency_victims::choose_among(const offer& o, std::uint32_t matcher,
                                            const std::vector<std::uint32_t>& nodes) {
  victim_choice best;
  for (const auto node : nodes) {
    const auto choice = judge(o, matcher, node);
    if (choice.node != none && (best.node == none || order_.better(choice, best))) best = choice;
  }
  if (best.node != none) (void)picker_.pick(o, best.node);
  return best;
}

}  // namespace argosy::scheduling::engine
