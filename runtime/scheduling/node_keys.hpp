// SPDX-License-Identifier: Apache-2.0
// The keys of config::node_order: their names in files and what is said of them. How nodes are
// compared by them stands in the table of engine/steps/node_order.cpp, and nowhere else.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace argosy::scheduling {

/// What nodes for a job are compared by. A key counts where the nodes are equal in all keys before
/// it; the node id decides last.
enum class node_key : std::uint8_t {
  no_preemption,         ///< A node where nobody loses a place.
  lowest_victim_class,   ///< The highest priority among the victims is lower.
  largest_victim_share,  ///< The richest of the victims' queues is richer.
  least_victims,
  sole_user_node,  ///< Only jobs of this queue run there.
  empty_node,
  shared_node,
  best_fit,  ///< Less is free there, compared by the indexed resources in their order.
};

/// The name of each key, by its number.
inline constexpr std::array<std::string_view, 8> node_key_names{
    "noPreemption", "lowestVictimClass", "largestVictimShare", "leastVictims",
    "soleUserNode", "emptyNode",         "sharedNode",         "bestFit"};

/// What the documentation of the key nodeOrder says.
inline constexpr std::string_view node_order_text =
    "By what the nodes for a job are compared, the first key first: noPreemption "
    "(nobody loses a place there), lowestVictimClass, largestVictimShare (of the "
    "queue that loses), leastVictims, soleUserNode (only this queue runs there), "
    "emptyNode, sharedNode, and bestFit (least is left free). noPreemption must come "
    "first unless nobody can be preempted. Ties go to the lower node id.";

}  // namespace argosy::scheduling
