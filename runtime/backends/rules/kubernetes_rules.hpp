// SPDX-License-Identifier: Apache-2.0
// This file declares the rules that the operator of a cluster sets for runs that are pods.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/access/pods/pod_policy.hpp"
#include "runtime/backends/rules/trouble_rules.hpp"
#include "runtime/model/byte_size.hpp"
#include "runtime/model/job.hpp"

namespace argosy::backends {

/// How a pod is bound to the node that the round chose.
enum class pod_placement : std::uint8_t {
  selector,   ///< By a node selector, so that Kubernetes' scheduler checks and counts the pod.
  node_name,  ///< By spec.nodeName: the kubelet alone decides whether the pod fits.
};
[[nodiscard]] std::span<const std::string_view> enum_names(pod_placement);

/// The rules that the operator of a cluster sets for the ingresses of jobs.
struct ingress_rules {
  std::string host_suffix{};  ///< The end of each host, "apps.example.com".
  /// The end of the names of certificates that jobs do not name; empty: none is named, so that the
  /// controller's own counts.
  std::string certificate_suffix{};
  /// The class of ingresses whose annotations name none; empty: the cluster's default.
  std::string class_name{};
  model::label_list annotations{};
};

struct kubernetes_rules {
  /// The namespaces in which jobs may run; empty: all of them, which needs the right to list pods
  /// in all.
  std::vector<std::string> namespaces{};
  pod_placement placement = pod_placement::selector;
  std::string node_label = "kubernetes.io/hostname";
  /// The node labels that are told to the control plane; empty: all of them.
  std::vector<std::string> tracked_labels{};
  /// Kubernetes' priority class of all pods; empty: the cluster's default.
  std::string priority_class{};
  /// Pods are made and deleted in the name of the job's owner.
  bool impersonate_users = false;
  /// What pods of jobs may have, by queue.
  std::vector<access::pod_policy> policies{};
  ingress_rules ingresses{};
  /// Whether pods of others are followed, so that what they request is not offered. It needs the
  /// right to list pods in all namespaces.
  bool count_other_pods = true;
  trouble_rules trouble{};
  /// How long the pod of an ended run is kept, for its output, and how many at most.
  std::chrono::milliseconds keep_pods{600'000};
  std::uint32_t keep_pods_max = 1'000;
  /// How much of a run's output is read before its pod goes, 0: none; and how much is kept of all.
  model::byte_size kept_output_per_run{1 << 20};
  model::byte_size kept_output_max{std::uint64_t{1} << 30};
};

}  // namespace argosy::backends
