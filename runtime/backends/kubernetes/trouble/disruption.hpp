// SPDX-License-Identifier: Apache-2.0
// Reads of the status of a pod whether somebody else than its job has ended it. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace argosy::backends {

struct disruption {
  const char* reason;   ///< As model::run_outcome has it.
  std::string message;  ///< Why, and Kubernetes' words.
};

/// Nothing if the pod ended by itself, or since it stored more than it may.
[[nodiscard]] std::optional<disruption> disruption_of(const nlohmann::json& status);

/// Whether a kubelet has evicted the pod since it stored more than it may itself, which it says in
/// its message alone.
[[nodiscard]] bool exceeds_its_limit(const nlohmann::json& status);

}  // namespace argosy::backends
