// SPDX-License-Identifier: Apache-2.0
// Chooses one of the nodes that could take a job. Each key of config::node_order compares two
// nodes, and the keys are asked in turn.
#include <algorithm>

#include "runtime/scheduling/engine/round_engine.hpp"

namespace argosy::scheduling::engine {

round_engine::order_of_nodes::order_of_nodes(const config& conf) {
  std::vector<node_key> ranked;  // The keys that decide among nodes where a job loses its place.
  for (const auto key : conf.node_order) {
    if (key == node_key::no_preemption) continue;
    ranked.push_back(key);
    const auto of_users = key == node_key::sole_user_node || key == node_key::empty_node ||
                          key == node_key::shared_node;
    asks_users = asks_users || of_users;
  }
  const auto fits_first = std::find(ranked.begin(), ranked.end(), node_key::best_fit);
  by_fit = fits_first != ranked.end();
  walks_free = asks_users || !by_fit;
  walks_table = conf.base == preset::current || !conf.explicit_victims();
  const auto counted = std::find(ranked.begin(), ranked.end(), node_key::least_victims);
  counts_victims = counted != ranked.end();
  fit_before_count = fits_first < counted;
  ranks_balance = !asks_users && ranked.size() >= 2 && ranked[0] == node_key::lowest_victim_class &&
                  ranked[1] == node_key::largest_victim_share;
  by_users = conf.exact_index && names_users_first(ranked);
}

/// Sets users_first. Returns false if free nodes are not in that order: best fit has to come next,
/// shared nodes are all that are left, and other keys say nothing of free nodes.
bool round_engine::order_of_nodes::names_users_first(const std::vector<node_key>& keys) {
  const auto asks_victims = [](node_key key) {
    return key == node_key::lowest_victim_class || key == node_key::largest_victim_share ||
           key == node_key::least_victims;
  };
  auto at = keys.begin();
  for (; at != keys.end() && *at != node_key::best_fit; ++at) {
    if (asks_victims(*at)) continue;
    if (*at == node_key::sole_user_node)
      users_first.push_back(node_users::sole);
    else if (*at == node_key::empty_node)
      users_first.push_back(node_users::nobody);
    else if (*at != node_key::shared_node || users_first.size() < 2)
      return false;
  }
  return at != keys.end() && std::all_of(at + 1, keys.end(), asks_victims);
}

round_engine::node_users round_engine::users_of(std::uint32_t node, std::uint32_t queue) {
  const auto user = users_.user(node);
  return user == none ? node_users::nobody : user == queue ? node_users::sole : node_users::shared;
}

int round_engine::compare_fit(std::uint32_t a, std::uint32_t b) const {
  const auto* left = nodes_.free(a, 0);
  const auto* right = nodes_.free(b, 0);
  for (const auto& [d, step] : nodes_.indexed) {
    const auto a_has = nodes_.usable(left[d]);
    const auto b_has = nodes_.usable(right[d]);
    if (a_has != b_has) return a_has < b_has ? -1 : 1;
  }
  return 0;
}

int round_engine::compare_by(node_key key, const victim_choice& a, const victim_choice& b) const {
  const auto prefer = [](bool left, bool right) { return left == right ? 0 : left ? -1 : 1; };
  switch (key) {
    case node_key::no_preemption:
      return prefer(a.count == 0, b.count == 0);
    case node_key::lowest_victim_class:
      return a.level == b.level ? 0 : prefer(a.level<b.level, a.level> b.level);
    case node_key::largest_victim_share:
      return a.share == b.share ? 0 : prefer(a.share > b.share, a.share < b.share);
    case node_key::least_victims:
      return a.count == b.count ? 0 : prefer(a.count<b.count, a.count> b.count);
    case node_key::sole_user_node:
      return prefer(a.users == node_users::sole, b.users == node_users::sole);
    case node_key::empty_node:
      return prefer(a.users == node_users::nobody, b.users == node_users::nobody);
    case node_key::shared_node:
      return prefer(a.users == node_users::shared, b.users == node_users::shared);
    case node_key::best_fit:
      return a.roomiest ? compare_fit(b.node, a.node) : compare_fit(a.node, b.node);
  }
  return 0;
}

bool round_engine::better(const victim_choice& a, const victim_choice& b) const {
  if (a.level == b.level && a.share == b.share && a.count == b.count && a.users == b.users) {
    // Only the fit can differ, which is the common case among nodes that are used alike.
    const auto by_fit = order_.by_fit || a.roomiest;
    if (const auto sign = by_fit ? compare_by(node_key::best_fit, a, b) : 0; sign != 0)
      return sign < 0;
  } else {
    for (const auto key : conf_.node_order)
      if (const auto sign = compare_by(key, a, b); sign != 0) return sign < 0;
  }
  if (a.soft_taints != b.soft_taints) return a.soft_taints < b.soft_taints;
  return nodes_.id_order[a.node] < nodes_.id_order[b.node];
}

void round_engine::look_at(victim_choice& choice, const offer& o, std::uint32_t matcher) {
  if (order_.asks_users) choice.users = users_of(choice.node, t_.jobs[o.job].queue);
  if (conf_.soft_taints_prefer)
    choice.soft_taints = matching_.soft_taints(matcher, nodes_.kind[choice.node]);
}

std::uint32_t round_engine::preferred_free(const offer& o, std::uint32_t query,
                                           std::uint32_t matcher) {
  if (!o.roomiest && order_.by_users && users_.packs()) {
    for (const auto whose : order_.users_first) {
      const auto user = whose == node_users::nobody ? none : t_.jobs[o.job].queue;
      const auto node = users_.first(user, t_.amounts(o.shape), matcher);
      if (node != none) return node;
    }
    return search_.first_fit(query, 0);
  }
  victim_choice best;
  for (std::uint32_t node = 0; node < nodes_.node_count(); ++node) {
    if (!nodes_.fits(t_.amounts(o.shape), node, 0) || !matching_.suits(matcher, node)) continue;
    victim_choice choice;
    choice.node = node;
    choice.roomiest = o.roomiest;
    look_at(choice, o, matcher);
    if (best.node == none || better(choice, best)) best = choice;
  }
  return best.node;
}

}  // namespace argosy::scheduling::engine
