// SPDX-License-Identifier: Apache-2.0
// How the containers of a failed pod ended, as the user is told. Pure.
#pragma once

#include <vector>

#include "runtime/backends/kubernetes/pod_view.hpp"

namespace argosy::backends {

/// In the order of `ended`. Init containers are there only if they failed. Texts are cut.
[[nodiscard]] std::vector<model::container_end> ends_of(const std::vector<ended_container>& ended);

}  // namespace argosy::backends
