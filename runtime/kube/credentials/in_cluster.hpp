// SPDX-License-Identifier: Apache-2.0
// How a process in a pod reaches the API server of its own cluster: by its service account.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/base/result.hpp"
#include "runtime/kube/credentials/cluster_access.hpp"

namespace argosy::kube {

inline constexpr auto service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";

using variable_lookup = std::function<std::optional<std::string>(const std::string& name)>;

/// Reads KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT and the namespace of the pod from
/// `folder`, which holds `token`, `ca.crt` and `namespace`. ec::not_found says what is missing and
/// how to do without it.
[[nodiscard]] result<cluster_access> in_cluster_access(
    const variable_lookup& variable, const std::string& folder = service_account_folder);

}  // namespace argosy::kube
