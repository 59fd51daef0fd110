// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/search.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

namespace {

constexpr std::uint32_t dirty = none - 1;

}  // namespace

node_search::node_search(space& nodes, matching& terms)
    : nodes_(nodes),
      terms_(terms),
      indexes_(nodes.row_count()),
      stamps_(nodes.node_count(), 0),
      room_(std::size_t{nodes.node_count()} * nodes.dims) {
  ids_in_order_ = std::is_sorted(nodes.id_order.begin(), nodes.id_order.end());
}

std::uint32_t node_search::query(std::uint32_t matcher_number, std::uint32_t shape) {
  const auto key = (std::uint64_t{matcher_number} << 32) | shape;
  const auto [at, added] = numbers_.try_emplace(key, static_cast<std::uint32_t>(queries_.size()));
  if (!added) return at->second;
  auto& q = queries_.emplace_back();
  q.matcher = matcher_number;
  q.shape = shape;
  q.need = nodes_.t.amounts(shape);
  q.aligned = nodes_.t.terms[terms_.get(matcher_number).terms].valid || nodes_.conf.isolated_trials;
  std::uint32_t indexed_needs = 0;
  std::uint32_t needs = 0;
  for (std::uint32_t d = 0; d < nodes_.dims; ++d) needs += q.need[d] != 0;
  for (const auto& [d, step] : nodes_.indexed) {
    indexed_needs += q.need[d] != 0;
    // A negative amount may round to a request of zero, and the walk gets stuck there.
    if (step > 1 && (q.need[d] % step != 0 || q.need[d] == 0)) q.aligned = false;
  }
  const auto& m = terms_.get(matcher_number);
  q.simple = needs == indexed_needs;
  for (const auto kind : m.kinds)
    q.simple = q.simple && terms_.suits_whole_kind(matcher_number, kind);
  if (kind_place_.size() <= matcher_number) kind_place_.resize(matcher_number + 1);
  auto& places = kind_place_[matcher_number];
  if (places.empty()) {
    places.assign(nodes_.t.kinds.size(), none);
    for (std::uint32_t i = 0; i < m.kinds.size(); ++i) places[m.kinds[i]] = i;
  }
  return at->second;
}

bool node_search::followed(const query_state& q) const {
  if (!q.aligned) return false;
  if (nodes_.conf.exact_index || q.simple || terms_.get(q.matcher).kinds.size() <= 1) return true;
  // Else a node that does not suit may stand before one that does, and delay its kind in the merge.
  return ids_in_order_ && nodes_.aligned();
}

bool node_search::good(const query_state& q, std::uint32_t node, std::uint32_t row) {
  return nodes_.fits(q.need, node, row) && (q.simple || terms_.suits(q.matcher, node));
}

node_index& node_search::index(std::uint32_t row) {
  auto& made = indexes_[row];
  if (!made) made = std::make_unique<node_index>(nodes_, row);
  made->refresh();
  return *made;
}

node_search::row_cache& node_search::cache(query_state& q, std::uint32_t row) {
  for (auto& c : q.rows)
    if (c.row == row) return c;
  auto& c = q.rows.emplace_back();
  c.row = row;
  c.position = nodes_.log().size();
  c.best.assign(terms_.get(q.matcher).kinds.size(), dirty);
  return c;
}

bool node_search::stream_before(std::uint32_t a, std::uint32_t b, std::uint32_t row) const {
  const auto* x = nodes_.free(a, row);
  const auto* y = nodes_.free(b, row);
  for (const auto& [d, step] : nodes_.indexed) {
    const auto left = step == 1 ? x[d] : x[d] / step * step;
    const auto right = step == 1 ? y[d] : y[d] / step * step;
    if (left != right) return left < right;
  }
  return nodes_.order[a] < nodes_.order[b];
}

bool node_search::front_before(const query_state& q, std::uint32_t a, std::uint32_t b,
                               std::uint32_t row) const {
  const auto* x = nodes_.free(a, row);
  const auto* y = nodes_.free(b, row);
  for (const auto& [d, step] : nodes_.indexed)
    if (x[d] != y[d]) return x[d] < y[d];
  if (nodes_.conf.soft_taints_prefer && nodes_.kind[a] != nodes_.kind[b]) {
    const auto left = terms_.soft_taints(q.matcher, nodes_.kind[a]);
    const auto right = terms_.soft_taints(q.matcher, nodes_.kind[b]);
    if (left != right) return left < right;
  }
  return nodes_.id_order[a] < nodes_.id_order[b];
}

void node_search::search_again(query_state& q, row_cache& c, std::size_t place) {
  node_index::walk walk(index(c.row), terms_.get(q.matcher).kinds[place], q.need);
  auto node = walk.next();
  while (node != none && !good(q, node, c.row)) node = walk.next();
  c.best[place] = node;
}

void node_search::follow(query_state& q, row_cache& c) {
  const auto& log = nodes_.log();
  const auto since = c.position;
  c.position = log.size();
  const auto& places = kind_place_[q.matcher];
  if (log.size() - since > 64 + nodes_.node_count()) {
    std::fill(c.best.begin(), c.best.end(), dirty);
  } else {
    for (auto i = since; i < log.size(); ++i) {
      const auto node = log[i];
      const auto place = places[nodes_.kind[node]];
      if (place == none) continue;
      auto& best = c.best[place];
      if (best == dirty) continue;
      if (node == best) {
        if (nodes_.raised(node, c.row) > since || !nodes_.fits(q.need, node, c.row)) best = dirty;
      } else if (good(q, node, c.row) && (best == none || stream_before(node, best, c.row))) {
        best = node;
      }
    }
  }
  for (std::size_t place = 0; place < c.best.size(); ++place)
    if (c.best[place] == dirty) search_again(q, c, place);
}

std::uint32_t node_search::smallest(const query_state& q, const row_cache& c) const {
  std::uint32_t found = none;
  for (const auto node : c.best) {
    if (node == none) continue;
    if (found == none || front_before(q, node, found, c.row)) found = node;
  }
  return found;
}

std::uint32_t node_search::first_fit(std::uint32_t number, std::uint32_t row) {
  auto& q = queries_[number];
  if (!followed(q)) return merge(q, row);
  auto& c = cache(q, row);
  follow(q, c);
  c.witness = smallest(q, c);
  return c.witness;
}

bool node_search::any_fit(std::uint32_t number, std::uint32_t row) {
  auto& q = queries_[number];
  if (!followed(q)) return merge(q, row) != none;
  auto& c = cache(q, row);
  if (c.witness != none && nodes_.fits(q.need, c.witness, row)) return true;
  return first_fit(number, row) != none;
}

std::uint32_t node_search::merge(query_state& q, std::uint32_t row) {
  auto& from = index(row);
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
  const auto& kinds = terms_.get(q.matcher).kinds;
  walks.reserve(kinds.size());
  for (const auto kind : kinds) {
    walks.emplace_back(from, kind, q.need);
    move(walks.back());
  }
  while (!fronts.empty() && !stuck_) {
    std::pop_heap(fronts.begin(), fronts.end(), later);
    const auto top = fronts.back();
    fronts.pop_back();
    move(*top.at);
    if (stuck_) break;
    if (nodes_.fits(q.need, top.node, row) && terms_.suits(q.matcher, top.node)) return top.node;
    if (terms_.failed()) stuck_ = true;
  }
  return none;
}

}  // namespace argosy::scheduling::engine
