// SPDX-License-Identifier: Apache-2.0
// The verbs cordon, uncordon and drain, which nodes and clusters have alike.
#pragma once

#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

/// Adds node cordon, node uncordon and node drain.
void define_node_cordons(CLI::App& node, command_set& commands);
/// Adds cluster cordon, cluster uncordon and cluster drain.
void define_cluster_cordons(CLI::App& cluster, command_set& commands);

}  // namespace argosy::ctl
