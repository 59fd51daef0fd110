// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/gang_packing.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace argosy::scheduling::engine {

gang_fit fit_of(const gang& g) {
  std::int64_t sum = 0;
  gang_fit fit;
  for (const auto& o : g.offers) {
    fit.left_out += o.left_out ? 1 : 0;
    sum += o.left_out ? 0 : o.reach;
  }
  const auto placed = g.offers.size() - fit.left_out;
  if (placed > 0) fit.mean_reach = static_cast<double>(sum) / static_cast<double>(placed);
  return fit;
}

void order_members(gang& g, const node_columns& nodes) {
  g.turns.clear();
  g.large = g.offers.size();
  // As in Armada, members take their turns as they stand.
  if (g.returning || nodes.conf.base == preset::current) return;
  const auto shape = g.offers.front().shape;
  if (std::all_of(g.offers.begin(), g.offers.end(),
                  [&](const offer& o) { return o.shape == shape; }))
    return;
  std::vector<double> sizes;
  for (const auto& o : g.offers) {
    double most = 0;
    for (std::uint32_t d = 0; d < nodes.dims; ++d)
      if (nodes.pool_total()[d] > 0)
        most = std::max(most, static_cast<double>(nodes.t.amounts(o.shape)[d]) /
                                  static_cast<double>(nodes.pool_total()[d]));
    sizes.push_back(most);
  }
  g.turns.resize(g.offers.size());
  std::iota(g.turns.begin(), g.turns.end(), 0U);
  std::stable_sort(g.turns.begin(), g.turns.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
  const auto largest = sizes[g.turns.front()];
  g.large = static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), largest));
}

}  // namespace argosy::scheduling::engine
