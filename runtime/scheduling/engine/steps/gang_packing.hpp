// SPDX-License-Identifier: Apache-2.0
// How the members of a gang are put on nodes: in which order, and how good the outcome is.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/scheduling/engine/nodes/node_columns.hpp"
#include "runtime/scheduling/engine/queues/gang.hpp"

namespace argosy::scheduling::engine {

/// How well a trial placed a gang. Fewer members left out are better, then a lower mean reach.
struct gang_fit {
  std::size_t left_out = 0;
  double mean_reach = evicted_priority;
  [[nodiscard]] bool is_perfect() const { return left_out == 0 && mean_reach == evicted_priority; }
  friend auto operator<=>(const gang_fit&, const gang_fit&) = default;
};

/// What a gang would have without anybody's preemption.
struct members_placed {
  std::size_t count = 0;          ///< How many members find a node.
  std::uint32_t next = none;      ///< The first member that does not; `none` if all do.
  bool label_carried = true;      ///< False if no node has the label that they must share.
  std::string value;              ///< The value of that label; empty if there is no label.
  std::uint32_t executor = none;  ///< The cluster, if all must be in one.
};

/// The fit of the last trial of a gang.
[[nodiscard]] gang_fit fit_of(const gang& g);

/// Sets in which order the members are placed: the one first that asks for the largest part of the
/// pool of any resource of its nodes, and equal ones as they stand. Evicted gangs, and those of
/// preset `current`, stay in the order in which they came.
void order_members(gang& g, const node_columns& nodes);

}  // namespace argosy::scheduling::engine
