// SPDX-License-Identifier: Apache-2.0
// Turns the settings of backend kubernetes into the backend and its client of the API server.
#pragma once

#include <filesystem>
#include <string>

#include "bins/argosy-agent/convert.hpp"

namespace argosy::agent {

/// The maker fails with ec::invalid_argument for a kubeconfig file that cannot be used, naming the
/// place in it, and otherwise as make_kubernetes_backend() does.
[[nodiscard]] backend_maker make_kubernetes_maker(const settings::agent_settings& from,
                                                  const std::filesystem::path& runs,
                                                  const std::string& control_plane);

}  // namespace argosy::agent
