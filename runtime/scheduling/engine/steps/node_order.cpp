// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/node_order.hpp"

#include <algorithm>
#include <array>

namespace argosy::scheduling::engine {

namespace {

/// What a key asks for: how many the victims are, or their level or share; whose jobs run on the
/// node; how much is left free there; or anything else, for which all nodes are walked.
enum class about : std::uint8_t { victims, users, fit, node };

struct node_key_row {
  node_key key;
  about what;
  /// Below 0 if the key prefers `a`, and 0 if it prefers neither. For `about::node` and
  /// `about::fit` it may read what the node has at this moment.
  int (*compare)(const world& w, const victim_choice& a, const victim_choice& b);
  /// Whether it prefers a choice that costs less in the number, the level or the share of its
  /// victims to one that costs more, or asks for none of them.
  bool has_bound = true;
};

int prefer(bool left, bool right) {
  return left == right ? 0 : left ? -1 : 1;
}

template <class Value>
int less(const Value& left, const Value& right) {
  return left == right ? 0 : left < right ? -1 : 1;
}

/// By the indexed resources in their order.
int compare_fit(const world& w, std::uint32_t a, std::uint32_t b) {
  const auto* left = w.free.free(a, 0);
  const auto* right = w.free.free(b, 0);
  for (const auto& [d, step] : w.nodes.indexed)
    if (const auto sign = less(w.nodes.usable(left[d]), w.nodes.usable(right[d])); sign != 0)
      return sign;
  return 0;
}

int fuller(const world& w, const victim_choice& a, const victim_choice& b) {
  return a.roomiest ? compare_fit(w, b.node, a.node) : compare_fit(w, a.node, b.node);
}

template <node_users Users>
int used_by(const world&, const victim_choice& a, const victim_choice& b) {
  return prefer(a.users == Users, b.users == Users);
}

using choice = victim_choice;

constexpr std::array node_key_rows{
    node_key_row{node_key::no_preemption, about::victims,
                 [](const world&, const choice& a, const choice& b) {
                   return prefer(a.count == 0, b.count == 0);
                 }},
    node_key_row{
        node_key::lowest_victim_class, about::victims,
        [](const world&, const choice& a, const choice& b) { return less(a.level, b.level); }},
    node_key_row{
        node_key::largest_victim_share, about::victims,
        [](const world&, const choice& a, const choice& b) { return less(b.share, a.share); }},
    node_key_row{
        node_key::least_victims, about::victims,
        [](const world&, const choice& a, const choice& b) { return less(a.count, b.count); }},
    node_key_row{node_key::sole_user_node, about::users, used_by<node_users::sole>},
    node_key_row{node_key::empty_node, about::users, used_by<node_users::nobody>},
    node_key_row{node_key::shared_node, about::users, used_by<node_users::shared>},
    node_key_row{node_key::best_fit, about::fit, fuller},
};

constexpr bool all_in_order() {
  for (std::size_t i = 0; i < node_key_rows.size(); ++i)
    if (node_key_rows[i].key != static_cast<node_key>(i)) return false;
  return node_key_rows.size() == node_key_names.size();
}
static_assert(all_in_order(), "each key has a name and a row, in the order of node_key");

const node_key_row& row_of(node_key key) {
  return node_key_rows[static_cast<std::size_t>(key)];
}

}  // namespace

node_order::node_order(world& w, const newcomers& placed)
    : world_(w),
      conf_(w.nodes.conf),
      users_(w.nodes, w.free, w.bound, w.terms, placed, bits_of(w.largest_indexed, 128)) {
  walks_table_ = conf_.base == preset::current || !conf_.explicit_victims();
  read_keys();
}

void node_order::read_keys() {
  std::vector<node_key> ranked;  // The keys that decide among nodes where a job loses its place.
  for (const auto key : conf_.node_order) {
    if (key == node_key::no_preemption) continue;
    ranked.push_back(key);
    asks_users_ = asks_users_ || row_of(key).what == about::users;
    asks_nodes_ = asks_nodes_ || row_of(key).what == about::node;
    has_bounds_ = has_bounds_ && row_of(key).has_bound;
  }
  const auto fits_first = std::find(ranked.begin(), ranked.end(), node_key::best_fit);
  const auto counted = std::find(ranked.begin(), ranked.end(), node_key::least_victims);
  by_fit_ = fits_first != ranked.end();
  counts_victims_ = counted != ranked.end();
  fit_before_count_ = fits_first < counted;
  // A node_rank knows no other keys.
  ranks_balance_ = ranked.size() >= 2 && ranked[0] == node_key::lowest_victim_class &&
                   ranked[1] == node_key::largest_victim_share &&
                   std::all_of(ranked.begin() + 2, ranked.end(), [](node_key key) {
                     return key == node_key::least_victims || key == node_key::best_fit;
                   });
  by_users_ = conf_.exact_index && names_users_first(ranked);
}

bool node_order::names_users_first(const std::vector<node_key>& keys) {
  const auto asks_victims = [](node_key key) { return row_of(key).what == about::victims; };
  auto at = keys.begin();
  for (; at != keys.end() && *at != node_key::best_fit; ++at) {
    if (asks_victims(*at)) continue;
    if (*at == node_key::sole_user_node)
      users_first_.push_back(node_users::sole);
    else if (*at == node_key::empty_node)
      users_first_.push_back(node_users::nobody);
    else if (*at != node_key::shared_node || users_first_.size() < 2)
      return false;
  }
  return at != keys.end() && std::all_of(at + 1, keys.end(), asks_victims);
}

bool node_order::better(const victim_choice& a, const victim_choice& b) const {
  if (a.level == b.level && a.share == b.share && a.count == b.count && a.users == b.users &&
      !asks_nodes_) {
    // Only the fit can differ, which is the common case among nodes that are used alike.
    const auto asks_fit = by_fit_ || a.roomiest;
    if (const auto sign = asks_fit ? fuller(world_, a, b) : 0; sign != 0) return sign < 0;
  } else {
    for (const auto key : conf_.node_order)
      if (const auto sign = row_of(key).compare(world_, a, b); sign != 0) return sign < 0;
  }
  if (a.soft_taints != b.soft_taints) return a.soft_taints < b.soft_taints;
  return world_.nodes.id_order(a.node) < world_.nodes.id_order(b.node);
}

void node_order::look_at(victim_choice& made, const offer& o, std::uint32_t matcher) {
  if (asks_users_) {
    const auto user = users_.user(made.node);
    const auto own = user == world_.nodes.t.jobs[o.job].queue;
    made.users = user == none ? node_users::nobody : own ? node_users::sole : node_users::shared;
  }
  if (conf_.soft_taints_prefer)
    made.soft_taints = world_.terms.soft_taints(matcher, world_.nodes.kind(made.node));
}

std::uint32_t node_order::best_free(const offer& o, std::uint32_t query, std::uint32_t matcher) {
  const auto& t = world_.nodes.t;
  if (!o.roomiest && by_users_ && users_.packs()) {
    for (const auto whose : users_first_) {
      const auto user = whose == node_users::nobody ? none : t.jobs[o.job].queue;
      const auto node = users_.first(user, t.amounts(o.shape), matcher);
      if (node != none) return node;
    }
    return world_.search.first_fit(query, 0);
  }
  victim_choice best;
  for (std::uint32_t node = 0; node < world_.nodes.count(); ++node) {
    if (!world_.free.fits(t.amounts(o.shape), node, 0) || !world_.terms.suits(matcher, node))
      continue;
    victim_choice made;
    made.node = node;
    made.roomiest = o.roomiest;
    look_at(made, o, matcher);
    if (best.node == none || better(made, best)) best = made;
  }
  return best.node;
}

}  // namespace argosy::scheduling::engine
