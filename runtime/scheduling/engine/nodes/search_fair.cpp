// SPDX-License-Identifier: Apache-2.0
// Fair-share preemption: the table of evicted jobs is walked from the last number down, adding up
// node by node what would become free. A query asked again keeps, for each node, the number at
// which the job would fit, in a tree of maxima.
#include <algorithm>
#include <utility>

#include "runtime/scheduling/engine/nodes/search.hpp"

namespace argosy::scheduling::engine {

namespace {

/// How many steps over the table are made before a tree is built.
constexpr std::uint32_t walk_limit = 4096;
constexpr std::size_t fair_cache_limit = 512;

}  // namespace

std::uint32_t node_search::trigger(query_state& q, std::uint32_t node, std::int32_t priority) {
  nodes_.trim(node);
  const auto* first = nodes_.places_begin(node);
  const auto* last = nodes_.places_end(node);
  if (first == last || !matching_.suits(q.matcher, node)) return 0;
  auto* room = room_.data() + std::size_t{node} * nodes_.dims;
  std::copy_n(nodes_.free(node, 0), nodes_.dims, room);
  while (last != first) {
    const auto number = *--last;
    const auto& entry = nodes_.table()[number];
    if (!entry.alive || nodes_.state(entry.job).priority > priority) continue;
    const auto* need = nodes_.t.amounts(entry.shape);
    for (std::uint32_t d = 0; d < nodes_.dims; ++d) room[d] += need[d];
    if (nodes_.fits(q.need, room)) return number + 1;
  }
  return 0;
}

bool node_search::walk_table(query_state& q, std::int32_t priority, std::uint32_t& number) {
  ++stamp_;
  const auto end = nodes_.table_end();
  const auto steps = std::min(end, walk_limit);
  for (std::uint32_t i = 0; i < steps; ++i) {
    number = end - 1 - i;
    const auto& entry = nodes_.table()[number];
    if (!entry.alive || nodes_.state(entry.job).priority > priority) continue;
    auto* room = room_.data() + std::size_t{entry.node} * nodes_.dims;
    if (stamps_[entry.node] != stamp_) {
      stamps_[entry.node] = stamp_;
      std::copy_n(nodes_.free(entry.node, 0), nodes_.dims, room);
    }
    const auto* need = nodes_.t.amounts(entry.shape);
    for (std::uint32_t d = 0; d < nodes_.dims; ++d) room[d] += need[d];
    if (!nodes_.fits(q.need, room)) continue;
    const auto suits = matching_.suits(q.matcher, entry.node);
    if (matching_.failed() && !nodes_.conf.isolated_trials) stuck_ = true;
    if (suits || stuck_) return true;
  }
  number = none;
  return steps == end;
}

node_search::fair_cache& node_search::fair_state(query_state& q, std::int32_t priority) {
  for (auto& c : q.fair)
    if (c.priority == priority) return c;
  if (++fair_caches_ > fair_cache_limit) {
    for (auto& other : queries_) other.fair.clear();
    fair_caches_ = 1;
  }
  auto& c = q.fair.emplace_back();
  c.priority = priority;
  return c;
}

std::uint32_t node_search::best_trigger(query_state& q, fair_cache& c) {
  const auto& changes = nodes_.changes();
  const auto count = nodes_.node_count();
  const auto since = std::exchange(c.position, changes.filed());
  if (c.tree.empty()) {
    c.leaves = std::max(1u, count);
    c.tree.assign(2 * std::size_t{c.leaves}, 0);
    for (std::uint32_t node = 0; node < count; ++node)
      c.tree[c.leaves + node] = trigger(q, node, c.priority);
    for (auto i = c.leaves - 1; i > 0; --i) c.tree[i] = std::max(c.tree[2 * i], c.tree[2 * i + 1]);
    return c.tree[1];
  }
  changes.visit(change_log::everything, since, [&](std::uint32_t node) {
    auto at = std::size_t{c.leaves} + node;
    const auto number = trigger(q, node, c.priority);
    if (c.tree[at] == number) return true;
    c.tree[at] = number;
    for (at /= 2; at > 0; at /= 2) {
      const auto top = std::max(c.tree[2 * at], c.tree[2 * at + 1]);
      if (c.tree[at] == top) break;
      c.tree[at] = top;
    }
    return true;
  });
  return c.tree[1];
}

void node_search::collect(std::uint32_t number, std::int32_t priority,
                          std::vector<std::uint32_t>& crowd) {
  const auto node = nodes_.table()[number].node;
  const auto* first = nodes_.places_begin(node);
  for (const auto* at = nodes_.places_end(node); at != first;) {
    const auto place = *--at;
    if (place < number) break;
    const auto& entry = nodes_.table()[place];
    if (entry.alive && nodes_.state(entry.job).priority <= priority) crowd.push_back(entry.job);
  }
}

std::uint32_t node_search::first_fair(std::uint32_t query_number, std::int32_t priority,
                                      std::vector<std::uint32_t>& crowd) {
  crowd.clear();
  if (nodes_.table_end() == 0) return none;
  auto& q = queries_[query_number];
  auto& c = fair_state(q, priority);
  std::uint32_t number = none;
  // Invalid affinity must be met in the order of the table.
  const auto valid = nodes_.t.terms[matching_.get(q.matcher).terms].valid;
  const bool walked = (c.uses++ == 0 || !valid) && walk_table(q, priority, number);
  if (stuck_) return none;
  if (!walked) {
    const auto best = best_trigger(q, c);
    number = best == 0 ? none : best - 1;
  }
  if (number == none) return none;
  collect(number, priority, crowd);
  return nodes_.table()[number].node;
}

}  // namespace argosy::scheduling::engine
