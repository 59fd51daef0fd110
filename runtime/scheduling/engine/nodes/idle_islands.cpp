// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/idle_islands.hpp"

#include <algorithm>

#include "runtime/scheduling/engine/queues/books.hpp"

namespace argosy::scheduling::engine {

idle_islands::idle_islands(const node_columns& nodes, matching& terms, std::uint32_t pool)
    : nodes_(nodes),
      t_(nodes.t),
      matching_(terms),
      pool_(pool),
      looked_(t_.shapes.size(), 0),
      banned_(banned_resources(nodes)) {
  std::vector<std::uint32_t> number(t_.profiles.size(), none);
  for (std::uint32_t node = 0; node < nodes.count(); ++node) {
    if (nodes.is_closed(node)) continue;
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

void idle_islands::use_group(group& g, std::uint32_t shape, std::uint32_t matcher) {
  const auto* need = t_.amounts(shape);
  if (!nodes_.fits(need, g.most.data())) return;
  const auto by_node = matching_.get(matcher).by_node;
  if (!by_node && !matching_.suits_profile(matcher, g.profile)) return;
  if (!by_node && nodes_.fits(need, g.least.data())) return g.nodes.clear();
  const auto before = g.nodes.size();
  std::erase_if(g.nodes, [&](std::uint32_t node) {
    return nodes_.fits(need, nodes_.total(node)) && (!by_node || matching_.suits(matcher, node));
  });
  if (!g.nodes.empty() && g.nodes.size() != before) measure(g);
}

void idle_islands::use(std::uint32_t shape, const added_terms& added) {
  const auto matcher = matching_.find(t_.shapes[shape].terms, added);
  for (auto& g : groups_) use_group(g, shape, matcher);
  std::erase_if(groups_, [](const group& g) { return g.nodes.empty(); });
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
  for (std::uint32_t i = 0; i < types.size() && i < away_types_max && !groups_.empty(); ++i) {
    added.away_mask = 1u << i;
    use(shape, added);
  }
}

template <class Entries, class Counts>
void idle_islands::look_at(const Entries& entries, Counts&& counts) {
  for (const auto& e : entries) {
    if (groups_.empty()) return;
    const auto wanted = e.gang != none && nodes_.conf.disable_gang_away ? at_home : at_home | away;
    if ((looked_[e.shape] & wanted) != wanted && counts(e)) look_at_shape(e.shape, wanted);
  }
}

std::vector<std::uint32_t> idle_islands::find() {
  for (const auto& queue : t_.queues) {
    if (!queue.configured) continue;
    if (!queue.cordoned)
      look_at(queue.queued,
              [&](const queued_entry& e) { return in_pool(t_, t_.jobs[e.job].pools, pool_); });
    look_at(queue.running,
            [&](const running_entry& e) { return t_.jobs[e.job].run_pool == pool_; });
  }
  std::vector<std::uint32_t> nodes;
  for (const auto& g : groups_) nodes.insert(nodes.end(), g.nodes.begin(), g.nodes.end());
  return nodes;
}

void leave_out_islands(node_columns& nodes, matching& terms, std::uint32_t pool) {
  if (nodes.conf.base == preset::current) return;
  for (const auto node : idle_islands(nodes, terms, pool).find()) nodes.leave_out(node);
}

}  // namespace argosy::scheduling::engine
