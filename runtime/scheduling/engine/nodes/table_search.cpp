// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/table_search.hpp"

#include <algorithm>
#include <utility>

namespace argosy::scheduling::engine {

namespace {

/// How many steps over the table are made before a tree is built.
constexpr std::uint32_t walk_limit = 4096;
constexpr std::size_t cache_limit = 512;

}  // namespace

table_search::table_search(const node_columns& nodes, room& free, returning_table& returning,
                           matching& terms)
    : nodes_(nodes),
      room_(free),
      table_(returning),
      matching_(terms),
      stamps_(nodes.count(), 0),
      left_(std::size_t{nodes.count()} * nodes.dims) {}

void table_search::begin_round() {
  if (cached_ == 0) return;
  caches_.clear();
  cached_ = 0;
}

std::uint32_t table_search::trigger(const question& q, std::uint32_t node) {
  table_.trim(node);
  const auto* first = table_.places_begin(node);
  const auto* last = table_.places_end(node);
  if (first == last || !matching_.suits(q.matcher, node)) return 0;
  auto* room = left_.data() + std::size_t{node} * nodes_.dims;
  std::copy_n(room_.free(node, 0), nodes_.dims, room);
  while (last != first) {
    const auto number = *--last;
    const auto& entry = table_[number];
    if (!entry.alive || entry.priority > q.priority) continue;
    const auto* need = nodes_.t.amounts(entry.shape);
    for (std::uint32_t d = 0; d < nodes_.dims; ++d) room[d] += need[d];
    if (nodes_.fits(q.need, room)) return number + 1;
  }
  return 0;
}

bool table_search::walk(const question& q, std::uint32_t& number) {
  ++stamp_;
  const auto end = table_.end();
  const auto steps = std::min(end, walk_limit);
  for (std::uint32_t i = 0; i < steps; ++i) {
    number = end - 1 - i;
    const auto& entry = table_[number];
    if (!entry.alive || entry.priority > q.priority) continue;
    auto* room = left_.data() + std::size_t{entry.node} * nodes_.dims;
    if (stamps_[entry.node] != stamp_) {
      stamps_[entry.node] = stamp_;
      std::copy_n(room_.free(entry.node, 0), nodes_.dims, room);
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

table_search::cache& table_search::cache_of(std::uint32_t query, std::int32_t priority) {
  if (query >= caches_.size()) caches_.resize(query + 1);
  for (auto& c : caches_[query])
    if (c.priority == priority) return c;
  if (++cached_ > cache_limit) {
    for (auto& other : caches_) other.clear();
    cached_ = 1;
  }
  auto& c = caches_[query].emplace_back();
  c.priority = priority;
  return c;
}

std::uint32_t table_search::best_trigger(const question& q, cache& c) {
  const auto& changes = room_.changes();
  const auto count = nodes_.count();
  const auto since = std::exchange(c.position, changes.filed());
  if (c.tree.empty()) {
    c.leaves = std::max(1u, count);
    c.tree.assign(2 * std::size_t{c.leaves}, 0);
    for (std::uint32_t node = 0; node < count; ++node) c.tree[c.leaves + node] = trigger(q, node);
    for (auto i = c.leaves - 1; i > 0; --i) c.tree[i] = std::max(c.tree[2 * i], c.tree[2 * i + 1]);
    return c.tree[1];
  }
  changes.visit(change_log::everything, since, [&](std::uint32_t node) {
    auto at = std::size_t{c.leaves} + node;
    const auto number = trigger(q, node);
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

void table_search::collect(std::uint32_t number, std::int32_t priority,
                           std::vector<std::uint32_t>& crowd) {
  const auto node = table_[number].node;
  const auto* first = table_.places_begin(node);
  for (const auto* at = table_.places_end(node); at != first;) {
    const auto place = *--at;
    if (place < number) break;
    const auto& entry = table_[place];
    if (entry.alive && entry.priority <= priority) crowd.push_back(entry.job);
  }
}

std::uint32_t table_search::first(std::uint32_t query, std::uint32_t matcher, std::uint32_t shape,
                                  std::int32_t priority, std::vector<std::uint32_t>& crowd) {
  crowd.clear();
  if (table_.end() == 0) return none;
  const question q{matcher, nodes_.t.amounts(shape), priority};
  auto& c = cache_of(query, priority);
  std::uint32_t number = none;
  // Invalid affinity must be met in the order of the table.
  const auto valid = nodes_.t.terms[matching_.get(matcher).terms].valid;
  const bool walked = (c.uses++ == 0 || !valid) && walk(q, number);
  if (stuck_) return none;
  if (!walked) {
    const auto best = best_trigger(q, c);
    number = best == 0 ? none : best - 1;
  }
  if (number == none) return none;
  collect(number, priority, crowd);
  return table_[number].node;
}

}  // namespace argosy::scheduling::engine
