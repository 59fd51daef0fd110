// SPDX-License-Identifier: Apache-2.0
// Adds to the manifests of a run what the backend knows: where its pod is to run, at which hosts
// its ingresses are, and whose all of them are. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/node_book.hpp"
#include "runtime/backends/kubernetes/pod_defaults.hpp"
#include "runtime/backends/rules/kubernetes_rules.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::backends {

/// The rules by which an agent makes all of its pods. They refer to the agent's settings, which
/// have to live as long.
struct placement_rules {
  const std::string& cluster;  ///< The agent's cluster.
  const kubernetes_rules& set;
  /// What pods get that say nothing of it, by queue.
  const std::vector<pod_defaults>& defaults;
  /// Pods get neither these nor a priority class.
  bool bare = false;
};

/// The manifest, complete. Fails with ec::not_found if the node is not there any more, with
/// ec::denied if the policy of the job's queue does not allow the pod, and with ec::corrupt if the
/// text is no object.
[[nodiscard]] result<nlohmann::json> place_pod(const std::string& manifest,
                                               const model::start_run& order,
                                               const std::string& control_plane,
                                               const node_book& nodes,
                                               const placement_rules& rules);

/// The manifests of services and ingresses, complete. Fails with ec::denied if the policy of the
/// job's queue does not allow one, and with ec::corrupt.
[[nodiscard]] result<std::vector<nlohmann::json>> place_attached(
    const std::vector<std::string>& manifests, const model::start_run& order,
    const std::string& control_plane, const placement_rules& rules);

}  // namespace argosy::backends
