// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/search.hpp"

#include <algorithm>
#include <utility>

namespace argosy::scheduling::engine {

namespace {

/// How many changed nodes of a kind are followed before its walk is made again.
constexpr std::uint32_t follow_limit = 24;
/// With more queries than this it is better to begin anew.
constexpr std::size_t queries_most = 20'000;
/// An index that has seen so many amounts beyond two for each node is made anew.
constexpr std::size_t cells_most = 10'000;

}  // namespace

node_search::node_search(const node_columns& nodes, room& free, matching& terms,
                         std::vector<std::uint8_t> bits)
    : nodes_(nodes),
      room_(free),
      matching_(terms),
      by_shape_(nodes.t.shapes.size(), {none, 0}),
      indexes_(nodes.rows.count()),
      key_bits_(std::move(bits)) {
  arrange();
}

bool node_search::begin_round() {
  if (queries_.size() > queries_most || leaves_ > leaves_most / 2) return false;
  for (auto& index : indexes_)
    if (index && index->cells() > 2 * std::size_t{nodes_.count()} + cells_most) index.reset();
  by_shape_.resize(nodes_.t.shapes.size(), {none, 0});
  for (auto& q : queries_) q.need = nodes_.t.amounts(q.shape);
  return true;
}

std::uint32_t node_search::query(std::uint32_t matcher_number, std::uint32_t shape) {
  const auto number = static_cast<std::uint32_t>(queries_.size());
  auto& [usual, of_usual] = by_shape_[shape];
  if (of_usual == 0) {
    usual = matcher_number;
    of_usual = number + 1;
  } else if (usual == matcher_number) {
    return of_usual - 1;
  } else {
    const auto key = (std::uint64_t{matcher_number} << 32) | shape;
    const auto [at, added] = numbers_.try_emplace(key, number);
    if (!added) return at->second;
  }
  auto& q = queries_.emplace_back();
  q.matcher = matcher_number;
  q.shape = shape;
  q.need = nodes_.t.amounts(shape);
  q.only = matching_.get(matcher_number).only;
  // Where an invalid rule is judged, or a walk gets stuck, the order of looking decides.
  q.followed =
      nodes_.t.terms[matching_.get(matcher_number).terms].valid || nodes_.conf.isolated_trials;
  q.aligned = true;
  std::uint32_t indexed_needs = 0;
  std::uint32_t needs = 0;
  for (std::uint32_t d = 0; d < nodes_.dims; ++d) needs += q.need[d] != 0;
  for (const auto& [d, step] : nodes_.indexed) {
    indexed_needs += q.need[d] != 0;
    if (step == 1) continue;
    q.aligned = q.aligned && q.need[d] % step == 0;
    // A negative amount may round to a request of zero, and the walk gets stuck there.
    q.followed = q.followed && q.need[d] != 0;
  }
  const auto& m = matching_.get(matcher_number);
  q.simple = needs == indexed_needs;
  for (const auto kind : m.kinds)
    q.simple = q.simple && matching_.suits_whole_kind(matcher_number, kind);
  q.loose = q.aligned && (q.simple || m.kinds.size() <= 1 || nodes_.conf.exact_index);
  return number;
}

bool node_search::good(const query_state& q, std::uint32_t node, std::uint32_t row) {
  return (q.simple || matching_.suits(q.matcher, node)) && room_.fits(q.need, node, row);
}

node_index& node_search::index(std::uint32_t row, std::uint32_t kind) {
  auto& made = indexes_[row];
  if (!made) made = std::make_unique<node_index>(nodes_, room_, row);
  made->refresh(kind);
  return *made;
}

node_search::row_cache& node_search::cache(query_state& q, std::uint32_t row) {
  for (auto& c : q.rows)
    if (c.row == row) return c;
  auto& c = q.rows.emplace_back();
  c.row = row;
  c.best.resize(matching_.get(q.matcher).kinds.size());
  return c;
}

bool node_search::stream_before(std::uint32_t a, std::uint32_t b, std::uint32_t row) const {
  const auto* x = room_.free(a, row);
  const auto* y = room_.free(b, row);
  for (const auto& [d, step] : nodes_.indexed) {
    const auto a_has = nodes_.usable(x[d]);
    const auto b_has = nodes_.usable(y[d]);
    const auto left = step == 1 ? a_has : a_has / step * step;
    const auto right = step == 1 ? b_has : b_has / step * step;
    if (left != right) return left < right;
  }
  return nodes_.order(a) < nodes_.order(b);
}

bool node_search::front_before(const query_state& q, std::uint32_t a, std::uint32_t b,
                               std::uint32_t row) const {
  const auto* x = room_.free(a, row);
  const auto* y = room_.free(b, row);
  // The loop has no branches, since it is hard to predict where the amounts differ.
  bool less = false;
  bool same = true;
  for (const auto& [d, step] : nodes_.indexed) {
    const auto left = nodes_.usable(x[d]);
    const auto right = nodes_.usable(y[d]);
    less = less | (same & (left < right));
    same = same & (left == right);
  }
  if (!same) return less;
  if (nodes_.conf.soft_taints_prefer && nodes_.kind(a) != nodes_.kind(b)) {
    const auto left = matching_.soft_taints(q.matcher, nodes_.kind(a));
    const auto right = matching_.soft_taints(q.matcher, nodes_.kind(b));
    if (left != right) return left < right;
  }
  return nodes_.id_order(a) < nodes_.id_order(b);
}

bool node_search::within_walk(const query_state& q, std::uint32_t node, std::uint32_t row) const {
  const auto* room = room_.free(node, row);
  for (const auto& [d, step] : nodes_.indexed) {
    if (room[d] - q.need[d] >= step) return true;  // This spares the division below.
    const auto rounded = step == 1 ? room[d] : room[d] / step * step;
    if (rounded != q.need[d]) return rounded > q.need[d];
  }
  return true;
}

bool node_search::never_passed(const query_state& q, std::uint32_t node, std::uint32_t row) const {
  if (q.aligned || nodes_.conf.exact_index) return true;
  const auto* room = room_.free(node, row);
  return std::all_of(nodes_.indexed.begin(), nodes_.indexed.end(), [&](const auto& column) {
    const auto [d, step] = column;
    return step == 1 || room[d] / step * step >= q.need[d];
  });
}

void node_search::search_again(query_state& q, row_cache& c, std::size_t place) {
  const auto kind = matching_.get(q.matcher).kinds[place];
  node_index::walk walk(index(c.row, kind), kind, q.need);
  auto& best = c.best[place];
  auto node = walk.next();
  best.bar = node;
  while (node != none && !good(q, node, c.row)) {
    node = walk.next();
    if (node != none && front_before(q, best.bar, node, c.row)) best.bar = node;
  }
  best.node = node;
  if (q.loose) best.bar = node;
  best.direct = walk.visited() == (node == none ? 0u : 1u);
  best.dirty = false;
  c.work += walk.visited();
}

void node_search::follow_node(const query_state& q, row_cache& c, std::uint64_t since,
                              std::uint32_t node, kind_best& best) {
  const auto row = c.row;
  if (q.loose) {
    if (node == best.node) return;  // follow() has looked at this node.
    if (good(q, node, row) && (best.node == none || stream_before(node, best.node, row)))
      best.node = best.bar = node;
    return;
  }
  // The result of a walk that looked at one node alone changes only when another node now comes
  // before it.
  if (!best.direct) {
    // Room only shrank. Nodes behind the best one are still behind it, and nodes with room that do
    // not suit moved no mark before and move none now.
    const auto shrank = room_.raised(node, row) <= since && node != best.node && node != best.bar;
    const auto behind = best.node != none && stream_before(best.node, node, row);
    const auto passed = !matching_.suits(q.matcher, node) && room_.fits(q.need, node, row);
    best.dirty = !shrank || (!behind && !passed);
  } else if (node == best.node) {
    best.dirty = room_.raised(node, row) > since || !room_.fits(q.need, node, row) ||
                 !within_walk(q, node, row);
  } else {
    best.dirty =
        within_walk(q, node, row) && (best.node == none || stream_before(node, best.node, row));
  }
}

void node_search::follow(query_state& q, row_cache& c) {
  const auto& changes = room_.known_changes();
  const auto& kinds = matching_.get(q.matcher).kinds;
  const auto since = c.position;
  for (std::uint32_t place = 0; place < kinds.size(); ++place) {
    auto& best = c.best[place];
    std::uint32_t steps = 0;
    // This is asked before another changed node can take the place of the best: if the best moved
    // back, nodes that did not change may come before both.
    if (q.loose && best.node != none && !best.dirty)
      best.dirty = room_.raised(best.node, c.row) > since || !room_.fits(q.need, best.node, c.row);
    if (!best.dirty)
      changes.visit(changes.list_of_kind(kinds[place]), since, [&](std::uint32_t node) {
        follow_node(q, c, since, node, best);
        // After this many steps a new walk costs less.
        best.dirty = best.dirty || ++steps == follow_limit;
        return !best.dirty;
      });
    if (best.dirty) search_again(q, c, place);
    c.work += 1 + steps;
  }
  c.position = changes.filed();
}

std::uint32_t node_search::smallest(const query_state& q, const row_cache& c) const {
  const kind_best* found = nullptr;
  for (const auto& best : c.best) {
    if (best.node == none) continue;
    if (found == nullptr || front_before(q, best.bar, found->bar, c.row)) found = &best;
  }
  return found == nullptr ? none : found->node;
}

std::uint32_t node_search::first_among(const query_state& q, std::uint32_t row) {
  auto first = none;
  for (const auto node : *q.only) {
    if (!room_.fits(q.need, node, row) || !matching_.suits(q.matcher, node)) continue;
    if (first == none || front_before(q, node, first, row)) first = node;
  }
  return first;
}

std::uint32_t node_search::first_fit(std::uint32_t number, std::uint32_t row) {
  auto& q = queries_[number];
  if (q.only != nullptr) return first_among(q, row);
  room_.changes();
  if (!q.followed) return merge(q, row);
  auto& c = cache(q, row);
  if (!c.played && worth_playing(q, c)) open_tournament(q, c);
  if (c.played && play(q, c)) return c.witness;
  follow(q, c);
  c.witness = smallest(q, c);
  return c.witness;
}

bool node_search::any_fit(std::uint32_t number, std::uint32_t row) {
  auto& q = queries_[number];
  if (!q.followed || q.only != nullptr) return first_fit(number, row) != none;
  auto& c = cache(q, row);
  if (c.witness != none && room_.fits(q.need, c.witness, row) && never_passed(q, c.witness, row))
    return true;
  return first_fit(number, row) != none;
}

std::uint32_t node_search::merge(query_state& q, std::uint32_t row) {
  struct front {
    std::uint32_t node;
    node_index::walk* at;
  };
  std::vector<node_index::walk> walks;
  std::vector<front> fronts;
  const auto later = [&](const front& a, const front& b) {
    return front_before(q, b.node, a.node, row);
  };
  const auto move = [&](node_index::walk& at) {
    const auto node = at.next();
    if (at.stuck()) stuck_ = true;
    if (node == none) return;
    fronts.push_back({node, &at});
    std::push_heap(fronts.begin(), fronts.end(), later);
  };
  const auto& kinds = matching_.get(q.matcher).kinds;
  walks.reserve(kinds.size());
  for (const auto kind : kinds) {
    walks.emplace_back(index(row, kind), kind, q.need);
    move(walks.back());
  }
  while (!fronts.empty() && !stuck_) {
    std::pop_heap(fronts.begin(), fronts.end(), later);
    const auto top = fronts.back();
    fronts.pop_back();
    move(*top.at);
    if (stuck_) break;
    if (room_.fits(q.need, top.node, row) && matching_.suits(q.matcher, top.node)) return top.node;
    if (matching_.failed()) stuck_ = true;
  }
  return none;
}

}  // namespace argosy::scheduling::engine
