// SPDX-License-Identifier: Apache-2.0
// Makes from a job's specification the services and ingresses through which others reach its pod,
// as Armada derives them.
#pragma once

#include <string>
#include <vector>

#include "messages/proto/argosy/log.pb.h"
#include "runtime/model/agent.hpp"

namespace argosy::codec {

/// The manifests as Kubernetes' JSON, the services first. A port counts if a container that goes on
/// beside the others has it and does not take it from the node; a service or an ingress without any
/// is left out. `queue` is the value of the label armada_queue_id; empty for none. The hosts of
/// ingresses end with "NAMESPACE.", to which the cluster's domain is added.
[[nodiscard]] std::vector<std::string> make_attached_manifests(const model::start_run& order,
                                                               const log::v1::JobSpec& spec,
                                                               const std::string& queue);

}  // namespace argosy::codec
