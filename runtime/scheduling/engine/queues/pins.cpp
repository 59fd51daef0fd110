// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/pins.hpp"

namespace argosy::scheduling::engine {

reason list_pins(const gang& g, const node_columns& nodes, matching& terms, bool spread,
                 std::vector<pin>& pins) {
  const auto& first = g.offers.front();
  const auto& conf = nodes.conf;
  auto label = none;
  if (first.gang != none && !(g.returning && conf.return_room_only)) {
    label = nodes.t.gang_terms[nodes.t.jobs[first.job].gang_terms].label;
    if (label == none && !conf.default_uniformity_label.empty() && !g.returning)
      label = terms.default_label();
  }
  pins.clear();
  auto if_none = reason::gang_does_not_fit;
  const auto add = [&](const pin& common) {
    pins.push_back(common);
    if (!spread) return;
    pins.push_back(common);
    pins.back().spread = true;
  };
  if (label != none) {
    const auto& values = terms.values(label);
    if_none = values.carried ? reason::no_uniform_value : reason::no_node_has_label;
    for (const auto value : values.numbers) add({label, value, none});
  } else if (conf.gang_in_one_cluster && first.gang != none && !g.returning) {
    if_none = reason::no_single_cluster;
    for (const auto executor : terms.executors()) add({none, none, executor});
  } else {
    add({});
  }
  return if_none;
}

added_terms added_for(const tables& t, std::uint32_t shape, std::uint32_t away_mask,
                      const pin& common) {
  added_terms added;
  added.defaults = true;
  added.away_class = t.shapes[shape].class_index;
  added.away_mask = away_mask;
  added.label = common.label;
  added.value = common.value;
  added.executor = common.executor;
  return added;
}

}  // namespace argosy::scheduling::engine
