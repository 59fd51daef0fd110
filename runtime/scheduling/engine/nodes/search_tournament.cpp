// SPDX-License-Identifier: Apache-2.0
// The first node of a query by a tournament tree over all nodes that may suit it. Its cost grows
// with the changes among these nodes, the cost of a walk over an index with the nodes that it
// passes by. A query gets its tree when its walks have cost as much as the tree will.
//
// Under exact amounts the first good node is the answer. Armada's walks over rounded amounts agree
// with that where rounding keeps all amounts apart, ids ascend as nodes were created, and the first
// good node is within the walk from its start and has rounded amounts enough, so that no mark
// passes it over; where these do not hold, the walks decide.
#include <algorithm>
#include <utility>

#include "runtime/scheduling/engine/nodes/search.hpp"

namespace argosy::scheduling::engine {

namespace {

/// How often a tree may fail before it is given up.
constexpr std::uint32_t patience = 16;

}  // namespace

void node_search::arrangement::open(const std::vector<std::uint32_t>& group_of,
                                    std::size_t groups) {
  spans.assign(groups, {0, 0});
  for (const auto group : group_of) ++spans[group].second;
  std::uint32_t first = 0;
  for (auto& span : spans) span.first = std::exchange(first, first + span.second);
  std::vector<std::uint32_t> next(groups);
  for (std::size_t i = 0; i < groups; ++i) next[i] = spans[i].first;
  nodes.resize(group_of.size());
  for (std::uint32_t node = 0; node < group_of.size(); ++node) {
    place.push_back(next[group_of[node]]++);
    nodes[place.back()] = node;
  }
}

void node_search::arrange() {
  std::vector<std::uint32_t> kinds;
  std::vector<std::uint32_t> profiles;
  std::vector<std::uint32_t> last_id(nodes_.t.kinds.size(), 0);
  for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
    kinds.push_back(nodes_.kind(node));
    profiles.push_back(nodes_.record(node).profile);
    auto& last = last_id[nodes_.kind(node)];
    in_order_ = in_order_ && nodes_.id_order(node) >= last;
    last = nodes_.id_order(node);
  }
  in_order_ = in_order_ || nodes_.conf.exact_index;
  by_kind_.open(kinds, nodes_.t.kinds.size());
  by_profile_.open(profiles, nodes_.t.profiles.size());
  plain_keys_ = key_bits_.size() == nodes_.indexed.size();
  plain_keys_ = plain_keys_ && !matching_.has_soft_taints();
}

node_search::contender node_search::contender_of(std::uint32_t node, std::uint32_t row) const {
  contender made{0, nodes_.id_order(node), node};
  if (!plain_keys_) return made;
  const auto* room = room_.free(node, row);
  for (std::size_t i = 0; i < key_bits_.size(); ++i)
    made.key = (made.key << key_bits_[i]) |
               static_cast<std::uint64_t>(nodes_.usable(room[nodes_.indexed[i].first]));
  return made;
}

bool node_search::worth_playing(const query_state& q, const row_cache& c) const {
  if (!in_order_ || !room_.kept_apart()) return false;
  std::size_t size = 16;
  for (const auto kind : matching_.get(q.matcher).kinds) {
    size += by_kind_.spans[kind].second;
    if (size > c.work) return false;
  }
  return leaves_ + size <= leaves_most;
}

void node_search::add_group(tournament& t, bool whole_kind, std::uint32_t number) const {
  const auto& changes = room_.known_changes();
  const auto& in = whole_kind ? by_kind_ : by_profile_;
  const auto [first, count] = in.spans[number];
  t.groups.push_back({whole_kind ? changes.list_of_kind(number) : changes.list_of_profile(number),
                      static_cast<std::uint32_t>(t.tree.size()) - first, &in.place});
  for (auto place = first; place < first + count; ++place)
    t.tree.push_back({0, 0, in.nodes[place]});
}

void node_search::gather(const query_state& q, tournament& t) {
  for (const auto kind : matching_.get(q.matcher).kinds) {
    const auto& profiles = matching_.profiles_of(kind);
    const auto suits = [&](std::uint32_t profile) {
      return matching_.suits_profile(q.matcher, profile);
    };
    const auto together = matching_.judges_profiles(q.matcher, kind);
    t.judged = t.judged || !together;
    if (!together || std::all_of(profiles.begin(), profiles.end(), suits)) {
      add_group(t, true, kind);
      continue;
    }
    for (const auto profile : profiles)
      if (suits(profile)) add_group(t, false, profile);
  }
  if (t.groups.size() <= 1 || t.tree.size() != nodes_.count()) return;
  // A query that may use every node follows one list.
  t.groups.assign(1, {change_log::everything, 0, nullptr});
  for (std::uint32_t node = 0; node < nodes_.count(); ++node) t.tree[node].node = node;
}

void node_search::open_tournament(const query_state& q, row_cache& c) {
  c.played = std::make_unique<tournament>();
  auto& t = *c.played;
  gather(q, t);
  // The nodes collected so far become the leaves behind as many vertices.
  const auto count = t.tree.size();
  leaves_ += count;
  t.tree.insert(t.tree.begin(), count, contender{});
  for (auto at = count; at < 2 * count; ++at) {
    const auto node = t.tree[at].node;
    t.tree[at] = contends(q, t, node, c.row) ? contender_of(node, c.row) : contender{};
  }
  for (auto at = count; at-- > 1;)
    t.tree[at] = first_of(q, t.tree[2 * at], t.tree[2 * at + 1], c.row);
  t.best = count == 0 ? none : t.tree[1].node;
  t.position = t.tree_position = room_.known_changes().filed();
}

bool node_search::contends(const query_state& q, const tournament& t, std::uint32_t node,
                           std::uint32_t row) {
  return room_.fits(q.need, node, row) && (nodes_.conf.exact_index || within_walk(q, node, row)) &&
         (!t.judged || matching_.suits(q.matcher, node));
}

void node_search::replay_node(const query_state& q, row_cache& c, std::size_t leaf,
                              std::uint32_t node) {
  auto& tree = c.played->tree;
  auto at = tree.size() / 2 + leaf;
  const auto now = contends(q, *c.played, node, c.row) ? contender_of(node, c.row) : contender{};
  if (now.node == none && tree[at].node == none) return;
  tree[at] = now;
  for (at /= 2; at > 0; at /= 2) {
    const auto& top = first_of(q, tree[2 * at], tree[2 * at + 1], c.row);
    if (top == tree[at] && (plain_keys_ || top.node != node)) return;
    tree[at] = top;
  }
}

void node_search::replay(const query_state& q, row_cache& c) {
  auto& t = *c.played;
  const auto& changes = room_.known_changes();
  for (const auto& group : t.groups)
    changes.visit(group.list, t.tree_position, [&](std::uint32_t node) {
      const auto place = group.places == nullptr ? node : (*group.places)[node];
      replay_node(q, c, static_cast<std::uint32_t>(place + group.shift), node);
      return true;
    });
  t.tree_position = changes.filed();
  t.best = t.groups.empty() ? none : t.tree[1].node;
}

bool node_search::still_first(const query_state& q, row_cache& c) {
  auto& t = *c.played;
  const auto& changes = room_.known_changes();
  const auto first = t.best;
  const auto since = std::exchange(t.position, changes.filed());
  bool lost = false;
  const auto look = [&](std::uint32_t node) {
    if (node == first)
      lost = room_.raised(node, c.row) > since || !contends(q, t, node, c.row);
    else if (contends(q, t, node, c.row))
      t.best = first_of(q, t.best, node, c.row);
    return !lost;
  };
  for (const auto& group : t.groups) {
    changes.visit(group.list, since, look);
    if (lost) return false;
  }
  return true;
}

bool node_search::play(const query_state& q, row_cache& c) {
  auto& t = *c.played;
  if (!room_.kept_apart() || (t.failed > patience && t.failed > t.asked / 2)) return false;
  ++t.asked;
  if (!still_first(q, c)) replay(q, c);
  if (t.best != none && !never_passed(q, t.best, c.row)) return ++t.failed, false;
  c.witness = t.best;
  return true;
}

}  // namespace argosy::scheduling::engine
