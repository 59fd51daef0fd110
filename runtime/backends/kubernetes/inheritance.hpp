// SPDX-License-Identifier: Apache-2.0
// Which runs an agent goes on with that another replica of it, with another store, has left. Pure.
#pragma once

#include <string>
#include <vector>

#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::backends {

/// Leaves only one of the pods that name one run: whoever copies a pod to look into it copies its
/// labels as well. It is the one that the record of the run names, or the first that was made where
/// the record names none.
void drop_copies(std::vector<pod_view>& pods, const std::vector<model::recorded_run>& known);

/// `pods` are all pods that there are, of which those with the labels of `cluster` and
/// `control_plane` count. If one does not say of which queue it is, the list is not whole: nobody
/// knows whether the runs that are missing in it are over.
[[nodiscard]] model::inherited_runs inherit_pods(const std::vector<pod_view>& pods,
                                                 const std::vector<model::recorded_run>& known,
                                                 const std::string& cluster,
                                                 const std::string& control_plane);

/// Says, as a clause about the API server, that another control plane calls pods those of this
/// cluster as well. Returns nothing if there are none.
[[nodiscard]] std::string foreign_pods(const std::vector<pod_view>& pods,
                                       const std::string& cluster,
                                       const std::string& control_plane);

}  // namespace argosy::backends
