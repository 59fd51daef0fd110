// SPDX-License-Identifier: Apache-2.0
// What the nodes of a gang's members must have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/queues/gang.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling::engine {

/// One choice of it; without any number the nodes may be anywhere.
struct pin {
  std::uint32_t label = none;
  std::uint32_t value = none;
  std::uint32_t executor = none;
  bool spread = false;  ///< Members that are not among the largest take the roomiest nodes.

  [[nodiscard]] bool confines() const { return label != none || executor != none; }
};

/// Lists the choices for a gang, each to be tried, and with `spread` a second time with that.
/// Returns what it means if the gang fits under none of them.
[[nodiscard]] reason list_pins(const gang& g, const node_columns& nodes, matching& terms,
                               bool spread, std::vector<pin>& pins);

/// The additions to the terms of a job of the shape on nodes of these away types of its class, with
/// what its gang must have in common.
[[nodiscard]] added_terms added_for(const tables& t, std::uint32_t shape, std::uint32_t away_mask,
                                    const pin& common);

}  // namespace argosy::scheduling::engine
