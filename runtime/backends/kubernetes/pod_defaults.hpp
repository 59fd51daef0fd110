// SPDX-License-Identifier: Apache-2.0
// What the operator of a cluster gives to pods that say nothing of it. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace argosy::backends {

struct pod_defaults {
  std::vector<std::string> queues{};  ///< With * for any characters; empty: all.
  /// An object with `metadata` and `spec` as a pod has them.
  nlohmann::json pod = nlohmann::json::object();
};

/// Fills in what the first entry for the queue has. What the pod says stays: members of objects are
/// added where they are missing, items of lists where no equal one is, and nothing of DNS where the
/// pod says anything of it.
void add_defaults(const std::vector<pod_defaults>& all, const std::string& queue,
                  nlohmann::json& pod);

}  // namespace argosy::backends
