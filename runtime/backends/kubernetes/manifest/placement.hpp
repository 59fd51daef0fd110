// SPDX-License-Identifier: Apache-2.0
// Adds to the manifests of a run what the backend knows: where its pod is to run, at which hosts
// its ingresses are, and whose all of them are. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/access/pods/pod_policy.hpp"
#include "runtime/backends/kubernetes/manifest/pod_defaults.hpp"
#include "runtime/backends/kubernetes/node_book.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::backends {

enum class pod_placement : std::uint8_t {
  selector,   ///< By a node selector, so that Kubernetes' scheduler checks and counts the pod.
  node_name,  ///< By spec.nodeName: the kubelet alone decides whether the pod fits.
};

struct placement_rules {
  std::string cluster;  ///< The agent's cluster.
  pod_placement placement = pod_placement::selector;
  std::string node_label = "kubernetes.io/hostname";
  /// Kubernetes' priority class of all pods; empty: the cluster's default.
  std::string priority_class{};
  /// What pods may have, by queue.
  std::vector<access::pod_policy> policies{};
  /// What pods get that say nothing of it, by queue.
  std::vector<pod_defaults> defaults{};
};

/// What an operator says about the ingresses of jobs.
struct ingress_rules {
  std::string host_suffix{};  ///< The end of each host, "apps.example.com".
  /// The end of the names of certificates that jobs do not name; empty: none is named, so that the
  /// controller's own counts.
  std::string certificate_suffix{};
  /// The class of ingresses whose annotations name none; empty: the cluster's default.
  std::string class_name{};
  std::map<std::string, std::string> annotations{};
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
    const std::string& control_plane, const placement_rules& rules, const ingress_rules& ingresses);

}  // namespace argosy::backends
