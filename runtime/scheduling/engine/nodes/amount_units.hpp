// SPDX-License-Identifier: Apache-2.0
// Whether rounding to the resolutions of the index keeps different amounts apart. Different
// multiples of a unit never round to the same amount if the unit is at least the resolution.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/node_columns.hpp"

namespace argosy::scheduling::engine {

class amount_units {
 public:
  explicit amount_units(const node_columns& nodes);

  /// Whether the index rounds at all.
  [[nodiscard]] bool rounds() const { return !units_.empty(); }
  /// Whether all amounts that were seen are kept apart.
  [[nodiscard]] bool kept_apart() const { return kept_apart_; }
  /// There may be new shapes.
  void grow() {
    if (!units_.empty()) seen_.resize(nodes_.t.shapes.size(), 0);
  }
  /// These amounts may be free on a node.
  void see_room(const std::int64_t* amounts);
  /// A job of the shape is bound or unbound.
  void see(std::uint32_t shape) {
    if (!kept_apart_ || seen_.empty() || seen_[shape] != 0) return;
    seen_[shape] = 1;
    see_room(nodes_.t.amounts(shape));
  }

 private:
  const node_columns& nodes_;
  std::vector<std::int64_t> units_;  ///< For each index column, a number that divides every amount.
  std::vector<std::uint8_t> seen_;   ///< Whether the amounts of each shape were seen.
  bool kept_apart_ = true;
};

}  // namespace argosy::scheduling::engine
