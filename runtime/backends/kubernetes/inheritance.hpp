// SPDX-License-Identifier: Apache-2.0
// Which runs an agent goes on with that another replica of it, with another store, has left. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

/// `pods` are all pods that there are, of which those with the label of `cluster` count. An agent
/// that belongs to no control plane yet belongs to the one that all of these pods name. If they
/// name several, or do not say of which queue they are, the list is not whole: nobody knows
/// whether the runs that are missing in it are over.
[[nodiscard]] model::inherited_runs inherit_pods(const std::vector<pod_view>& pods,
                                                 const std::set<model::run_key>& known,
                                                 const std::string& cluster,
                                                 const std::string& control_plane);

}  // namespace argosy::backends
