// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/amount_units.hpp"

#include <algorithm>
#include <numeric>

namespace argosy::scheduling::engine {

amount_units::amount_units(const node_columns& nodes) : nodes_(nodes) {
  const auto rounded = [](const auto& column) { return column.second > 1; };
  if (std::none_of(nodes.indexed.begin(), nodes.indexed.end(), rounded)) return;
  units_.assign(nodes.indexed.size(), 0);
  seen_.assign(nodes.t.shapes.size(), 0);
}

void amount_units::see_room(const std::int64_t* amounts) {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const auto [d, step] = nodes_.indexed[i];
    auto& unit = units_[i];
    if (step == 1 || (unit != 0 && amounts[d] % unit == 0)) continue;
    unit = std::gcd(unit, amounts[d]);
    kept_apart_ = kept_apart_ && (unit == 0 || unit >= step);
  }
}

}  // namespace argosy::scheduling::engine
