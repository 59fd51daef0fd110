// SPDX-License-Identifier: Apache-2.0
// From which nodes the volumes of a pod are reached: what its manifest, claims and volumes say.
// Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/node_book.hpp"
#include "runtime/backends/kubernetes/trouble/refusal.hpp"
#include "runtime/model/job.hpp"

namespace argosy::backends {

/// The claims that the pod names, each once. Those that are made together with it are not among
/// them.
[[nodiscard]] std::vector<std::string> claims_of(const nlohmann::json& pod);

/// The volume to which a claim is bound; empty if it is not bound, as one that waits for its first
/// pod.
[[nodiscard]] std::string volume_of(const nlohmann::json& claim);

/// The node affinity of a volume; empty: it is reached from all nodes. Nothing if it asks for more
/// than labels.
[[nodiscard]] std::optional<model::affinity_terms> affinity_of_volume(const nlohmann::json& volume);

/// A claim of a pod that is bound to a volume.
struct bound_claim {
  std::string claim;
  std::string volume;
  model::affinity_terms nodes;  ///< The volume's node affinity.
};

/// Why the pod cannot run on this node; nothing if its volumes are reached from there. The refusal
/// says which nodes reach them, if that can be said by labels that are told to the control plane.
[[nodiscard]] std::optional<refusal> judge_reach(const std::vector<bound_claim>& claims,
                                                 const std::string& node, const node_book& nodes);

}  // namespace argosy::backends
