// SPDX-License-Identifier: Apache-2.0
// How an entry of kubernetes.podDefaults becomes what the backend fills into pods.
#pragma once

#include "runtime/backends/kubernetes/pod_defaults.hpp"
#include "runtime/settings/agent/pod_default_settings.hpp"

namespace argosy::agent {

[[nodiscard]] backends::pod_defaults defaults_of(const settings::pod_default_settings& from);

}  // namespace argosy::agent
