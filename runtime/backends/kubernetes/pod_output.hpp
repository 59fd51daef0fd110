// SPDX-License-Identifier: Apache-2.0
// Reads a part of a pod's output. It waits for the API server, and runs on any thread.
#pragma once

#include <chrono>
#include <string>

#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::backends {

/// Where the output of a run is.
struct pod_place {
  std::string name_space;
  std::string name;
  std::string container;  ///< Empty: the only one.
  bool ended = false;
};

/// Kubernetes gives output from its beginning only, so that all before the offset is read as well.
/// Fails with ec::too_large beyond 64 MiB, ec::not_found if the pod is gone, and ec::unavailable.
[[nodiscard]] result<model::log_chunk> read_output(kube::api& api, const pod_place& place,
                                                   const model::log_request& request,
                                                   std::chrono::milliseconds limit);

}  // namespace argosy::backends
