// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/idle_islands.hpp"

#include <algorithm>
#include <utility>

#include "runtime/scheduling/engine/queues/books.hpp"

namespace argosy::scheduling::engine {

idle_islands::idle_islands(const node_columns& nodes, matching& terms)
    : nodes_(nodes), t_(nodes.t), matching_(terms), banned_(banned_resources(nodes)) {
  std::vector<std::uint32_t> number(t_.profiles.size(), none);
  for (std::uint32_t node = 0; node < nodes.count(); ++node) {
    if (is_closed(nodes, node)) continue;
    const auto profile = nodes.record(node).profile;
    if (number[profile] == none) {
      number[profile] = static_cast<std::uint32_t>(groups_.size());
      groups_.emplace_back().profile = profile;
    }
    groups_[number[profile]].nodes.push_back(node);
  }
  for (auto& g : groups_) measure(g);
}

void idle_islands::measure(group& g) const {
  const auto* first = nodes_.total(g.nodes.front());
  g.least.assign(first, first + nodes_.dims);
  g.most = g.least;
  for (const auto node : g.nodes)
    for (std::uint32_t d = 0; d < nodes_.dims; ++d) {
      const auto amount = nodes_.total(node)[d];
      g.least[d] = std::min(g.least[d], amount);
      g.most[d] = std::max(g.most[d], amount);
    }
}

void idle_islands::use_nodes(unused_nodes& from, std::uint32_t shape, std::uint32_t matcher) {
  const auto& g = from.now();
  const auto* need = t_.amounts(shape);
  if (!nodes_.fits(need, g.most.data())) return;
  const auto by_node = matching_.get(matcher).by_node;
  if (!by_node && !matching_.suits_profile(matcher, g.profile)) return;
  if (!by_node && nodes_.fits(need, g.least.data())) {
    from.none_left = true;
    return;
  }
  group rest;
  rest.profile = g.profile;
  for (const auto node : g.nodes)
    if (!nodes_.fits(need, nodes_.total(node)) || (by_node && !matching_.suits(matcher, node)))
      rest.nodes.push_back(node);
  if (rest.nodes.size() == g.nodes.size()) return;
  from.none_left = rest.nodes.empty();
  if (from.none_left) return;
  measure(rest);
  from.rest = std::move(rest);
}

void idle_islands::use(std::uint32_t shape, const added_terms& added) {
  const auto matcher = matching_.find(t_.shapes[shape].terms, added);
  for (auto& nodes : unused_) use_nodes(nodes, shape, matcher);
  std::erase_if(unused_, [](const unused_nodes& nodes) { return nodes.none_left; });
}

void idle_islands::look_at_shape(std::uint32_t shape, int wanted) {
  const auto& conf = nodes_.conf;
  const auto* need = t_.amounts(shape);
  const auto is_banned =
      std::any_of(banned_.begin(), banned_.end(), [&](auto d) { return need[d] != 0; });
  if (is_banned) {
    looked_[shape] = at_home | away;
    return;
  }
  added_terms added;
  added.defaults = true;
  added.away_class = t_.shapes[shape].class_index;
  if ((looked_[shape] & at_home) == 0) use(shape, added);
  looked_[shape] |= static_cast<std::uint8_t>(wanted);
  if ((wanted & away) == 0 || conf.disable_away) return;
  const auto& types = conf.classes[added.away_class].away;
  for (std::uint32_t i = 0; i < types.size() && i < away_types_max && !unused_.empty(); ++i) {
    added.away_mask = 1u << i;
    use(shape, added);
  }
}

void idle_islands::look_at(std::uint32_t shape, bool in_gang) {
  const auto wanted = in_gang && nodes_.conf.disable_gang_away ? at_home : at_home | away;
  if ((looked_[shape] & wanted) != wanted) look_at_shape(shape, wanted);
}

void idle_islands::look_at_queued(const queue_record& queue) {
  const auto pool = nodes_.borders.pool();
  for (const auto& [key, jobs] : queue.queued_alike) {
    if (unused_.empty()) return;
    if (!in_pool(t_, key.pools, pool)) continue;
    if (key.shape != none)
      look_at(key.shape, false);
    else
      for (const auto job : jobs) look_at(t_.jobs[job].shape, true);
  }
}

void idle_islands::look_at_running(const queue_record& queue) {
  const auto pool = nodes_.borders.pool();
  for (const auto& [key, jobs] : queue.running_alike) {
    if (unused_.empty()) return;
    if (key.pool == pool) look_at(key.shape, key.in_gang);
  }
}

std::vector<std::uint32_t> idle_islands::find() {
  looked_.assign(t_.shapes.size(), 0);
  unused_.clear();
  for (const auto& g : groups_) unused_.push_back({&g, {}, false});
  for (const auto& queue : t_.queues) {
    if (unused_.empty()) break;
    if (!queue.configured) continue;
    if (!queue.cordoned) look_at_queued(queue);
    look_at_running(queue);
  }
  std::vector<std::uint32_t> found;
  for (const auto& left : unused_)
    found.insert(found.end(), left.now().nodes.begin(), left.now().nodes.end());
  return found;
}

}  // namespace argosy::scheduling::engine
