// SPDX-License-Identifier: Apache-2.0
// This file declares how a cluster_core finds out what the nodes that an agent lists change in
// those that the cluster has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"
#include "runtime/model/event.hpp"

namespace argosy::ledger {

using node_map = std::map<model::node_name, model::node_info>;  ///< The nodes by name.

/// Fails with ec::invalid_argument for a node with a name that cannot be, one that is listed twice,
/// and one with a negative amount.
[[nodiscard]] result<void> check_nodes(const std::vector<model::node_info>& nodes);

struct node_changes {
  std::vector<model::node_info> fresh;  ///< The nodes that are new or have changed.
  std::vector<model::node_info> told;   ///< What the NODEs have to hear.
  std::vector<model::node_name> gone;   ///< The removed nodes that there were.
};

/// `all_told` says that every NODE has to hear of its node, also if it has not changed.
[[nodiscard]] node_changes compare_nodes(const node_map& known,
                                         const std::vector<model::node_info>& set,
                                         const std::vector<model::node_name>& removed,
                                         bool all_told);

/// The node with what its cluster says of namespaces, as rounds shall see it: the value of a taint.
[[nodiscard]] model::node_info with_namespaces(model::node_info node, const std::string& value);

/// Whether a job that its node does not suit is likely to find others.
[[nodiscard]] bool others_would_do(const node_map& nodes, const model::start_run& start);

/// The change as events, each small enough that the log can divide a large change into records.
[[nodiscard]] std::vector<model::nodes_changed> divide_nodes(
    const model::cluster_name& cluster, const std::vector<model::node_info>& fresh,
    const std::vector<model::node_name>& gone);

}  // namespace argosy::ledger
