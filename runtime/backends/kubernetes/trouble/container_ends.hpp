// SPDX-License-Identifier: Apache-2.0
// Tells users how the containers of a failed pod ended. Pure.
#pragma once

#include <vector>

#include "runtime/backends/kubernetes/pod_view.hpp"

namespace argosy::backends {

/// Keeps the order of `ended`. Init containers are there only if they failed. Texts are cut.
[[nodiscard]] std::vector<model::container_end> ends_of(const std::vector<ended_container>& ended);

}  // namespace argosy::backends
