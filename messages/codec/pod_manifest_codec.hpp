// SPDX-License-Identifier: Apache-2.0
// Makes from a job's specification the pod that runs it on Kubernetes.
#pragma once

#include <string>

#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::codec {

/// The manifest of the pod, as Kubernetes' JSON. It has everything that follows from the job: name,
/// labels, annotations, environment, times and what the user wrote. Where it is placed and whose
/// pod it is the backend adds. Fails with ec::corrupt when the specification does not decode, and
/// with ec::invalid_argument for an order that names no namespace.
[[nodiscard]] result<std::string> make_pod_manifest(const model::start_run& order);

/// "armada-<job id>-<run number - 1>".
[[nodiscard]] std::string pod_name(const model::run_key& run);

}  // namespace argosy::codec
