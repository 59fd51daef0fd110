// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

world::world(const tables& t, const config& conf, const round_params& params, std::uint32_t pool)
    : nodes(t, conf, params, pool),
      largest_indexed(engine::largest_indexed(nodes)),
      terms(nodes),
      free(nodes),
      bound(nodes, free),
      table(nodes, free),
      search(nodes, free, terms, bits_of(largest_indexed, 64)),
      table_walks(nodes, free, table, terms),
      islands_(nodes, terms),
      numbering_(t.numbering.value()),
      others_(t.changed_nodes.others()),
      pools_(t.pools.size()),
      labels_(t.label_names.size()),
      position_(t.changed_nodes.now()),
      round_began_(free.now()) {
  leave_out_islands();
}

/// Takes what nobody uses of nodes that no competing job could use off the total of the pool.
/// Armada counts them.
void world::leave_out_islands() {
  if (nodes.conf.base == preset::current) return;
  nodes.leave_out(islands_.find());
}

std::optional<std::size_t> world::begin_round() {
  const auto& t = nodes.t;
  const auto& changed = t.changed_nodes;
  if (numbering_ != t.numbering.value() || others_ != changed.others() ||
      pools_ != t.pools.size() || labels_ != t.label_names.size() || is_stuck() || terms.failed() ||
      !terms.begin_round() || nodes.rows != row_set(t, nodes.conf))
    return {};
  bound.begin_round();
  table.begin_round();
  free.grow();
  std::size_t measured = 0;
  const auto measure = [&](std::uint32_t node) {
    free.measure(node);
    ++measured;
    return true;
  };
  free.changes().visit(change_log::everything, round_began_, measure);
  const auto follows = changed.visit_since(position_, [&](std::uint32_t slot) {
    if (!nodes.describe(slot)) return false;
    return nodes.number_of(slot) == none || measure(nodes.number_of(slot));
  });
  if (!follows || !search.begin_round()) return {};
  position_ = changed.now();
  round_began_ = free.now();
  table_walks.begin_round();
  leave_out_islands();
  return measured;
}

}  // namespace argosy::scheduling::engine
