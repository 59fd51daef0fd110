// SPDX-License-Identifier: Apache-2.0
// This file declares what turns the settings of backend kubernetes into the backend and its client
// of the API server.
#pragma once

#include <filesystem>
#include <string>

#include "bins/argosy-agent/convert.hpp"
#include "runtime/kube/credentials/cluster_access.hpp"

namespace argosy::agent {

/// Fails with ec::invalid_argument for a kubeconfig file that cannot be used, naming the place in
/// it. The maker waits for nothing: a cluster that is of no use yet is the backend's trouble.
[[nodiscard]] result<backend_maker> make_kubernetes_maker(const settings::agent_settings& from,
                                                          const backend_ground& ground);

/// Where the API server is and who the agent is, as the settings say. ec::invalid_argument says
/// what is wrong with the kubeconfig file, or that there is none.
[[nodiscard]] result<kube::cluster_access> access_of(
    const settings::kubernetes_backend_settings& from);

/// How to read that anew when a kubeconfig file is changed. Empty for the service account of a pod.
[[nodiscard]] kube::access_origin origin_of(const settings::kubernetes_backend_settings& from);

}  // namespace argosy::agent
