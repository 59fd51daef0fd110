// SPDX-License-Identifier: Apache-2.0
// Fills the defaults into a checked pod spec, and reads the scheduling shape from it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "messages/codec/shape_table.hpp"
#include "messages/codec/submit/limits.hpp"
#include "messages/proto/k8s/pod.pb.h"
#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"

namespace argosy::codec {

/// Fills in what the user left out: container resources, priority class, deadline, grace period;
/// and appends the configured tolerations.
void apply_pod_defaults(k8s::io::api::core::v1::PodSpec& pod, const submit_limits& limits);

/// The shape, which is what rounds look at. The pod must have passed the checks and have its
/// defaults. Fails with ec::invalid_argument, beginning with `place`, when a sum of requests
/// overflows.
[[nodiscard]] result<model::job_shape> shape_of(const k8s::io::api::core::v1::PodSpec& pod,
                                                const submit_limits& limits,
                                                const std::string& place);

/// The shape of a job that has services or ingresses besides such a pod. An ingress brings a
/// service with it.
[[nodiscard]] std::shared_ptr<const model::job_shape> with_attached(
    const std::shared_ptr<const model::job_shape>& of_pod, bool services, bool ingresses,
    shape_table& shapes);

/// The first field that the backend `process` cannot carry out ("podSpec.volumes"), or an empty
/// text.
[[nodiscard]] std::string process_obstacle(const k8s::io::api::core::v1::PodSpec& pod);

/// The first field that the backend `container` cannot carry out, in a pod that processes cannot
/// carry out either.
[[nodiscard]] std::string container_obstacle(const k8s::io::api::core::v1::PodSpec& pod);

/// Whether the pod names an image and is to be run from it where images can be.
[[nodiscard]] bool has_image(const k8s::io::api::core::v1::PodSpec& pod);

/// Fields that a container takes and that have no effect in it, where Kubernetes would keep them.
[[nodiscard]] std::vector<std::string> ignored_in_containers(
    const k8s::io::api::core::v1::PodSpec& pod);

/// Likewise of what a job has besides its pod: a process has no address that could be published.
[[nodiscard]] std::string attached_obstacle(bool services, bool ingresses);

}  // namespace argosy::codec
