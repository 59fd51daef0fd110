// SPDX-License-Identifier: Apache-2.0
// What a pod, a service or an ingress has by its annotations that a policy may not allow. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/access/pods/pod_demands.hpp"

namespace argosy::access {

/// Adds the demand that an annotation makes to `out`; Argosy's and Armada's own make none.
void add_annotation_demand(std::string_view name, std::string_view value,
                           std::vector<pod_demand>& out);

/// Whether an annotation is known to give a pod or an ingress more than its fields do: other
/// networks, roles, hosts, settings of its runtime or text in the configuration of a server.
[[nodiscard]] bool is_far_reaching(std::string_view annotation);

}  // namespace argosy::access
