// SPDX-License-Identifier: Apache-2.0
// Makes from a job's specification the pod that runs it on Kubernetes, and the services and
// ingresses that belong to it.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::codec {

struct job_manifests {
  std::string pod;
  std::vector<std::string> attached;  ///< The services and then the ingresses.
  std::vector<std::string> owner_groups;
};

/// The manifests, as Kubernetes' JSON. They have everything that follows from the job: names,
/// labels, annotations, environment, times and what the user wrote. Where the pod is placed and
/// whose it is the backend adds. Fails with ec::corrupt when the specification does not decode, and
/// with ec::invalid_argument for an order that names no namespace.
[[nodiscard]] result<job_manifests> make_job_manifests(const model::start_run& order);

/// "armada-<job id>-<run number - 1>".
[[nodiscard]] std::string pod_name(const model::run_key& run);

}  // namespace argosy::codec
