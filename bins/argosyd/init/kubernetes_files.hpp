// SPDX-License-Identifier: Apache-2.0
// This file declares what `argosyd init --kubernetes` writes for an agent that runs outside of its
// cluster: what is to be applied there, and how the agent reaches it. Pure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bins/argosyd/init/init_plan.hpp"

namespace argosy::argosyd {

/// The files of the agent of this cluster; their paths are below the folder of the request, which
/// names a kube_target.
[[nodiscard]] std::vector<init_file> kubernetes_files(const init_request& request,
                                                      const std::string& cluster);

/// The section of the agent's settings.
[[nodiscard]] std::string kubernetes_settings_text(const init_request& request,
                                                   const std::string& cluster);

/// Tells the commands that come before the agent is started, and how long its token holds.
[[nodiscard]] std::string how_to_apply(const init_request& request, const std::string& cluster);

/// ec::invalid_argument if the request names no cluster to which the context belongs, or several,
/// or one whose name no object of Kubernetes may have.
[[nodiscard]] result<void> check_kubernetes(const init_request& request);

}  // namespace argosy::argosyd
