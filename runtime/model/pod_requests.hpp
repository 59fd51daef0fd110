// SPDX-License-Identifier: Apache-2.0
// A pod takes of a node what Kubernetes counts. The control plane counts jobs in this way, and the
// agent the pods that it finds on its nodes.
#pragma once

#include <vector>

#include "runtime/model/job.hpp"

namespace argosy::model {

struct init_container {
  resource_list requests;
  bool sidecar = false;  ///< It goes on beside what comes after it (restartPolicy Always).
};

/// Containers and sidecars run together. An init container runs before the containers, beside the
/// sidecars that were begun before it; the pod takes the most that it needs at any time, and its
/// overhead all the time. Returns a sum in the sense of amounts.hpp.
[[nodiscard]] resource_list pod_requests(const std::vector<resource_list>& containers,
                                         const std::vector<init_container>& init,
                                         const resource_list& overhead = {});

}  // namespace argosy::model
