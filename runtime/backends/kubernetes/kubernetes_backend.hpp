// SPDX-License-Identifier: Apache-2.0
// Backend `kubernetes`: runs are pods of a Kubernetes cluster, which the agent creates, follows and
// deletes through the API server. It has one thread, which sleeps until something comes in or is
// due. With a manual clock it has none, and a test decides when things happen.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/kubernetes/manifest/placement.hpp"
#include "runtime/backends/kubernetes/node_book.hpp"
#include "runtime/backends/kubernetes/pod_runs.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/kube/link/link_core.hpp"

namespace argosy::backends {

struct kubernetes_config {
  /// The agent's cluster, at most 63 characters. Pods carry it as a label, so that no two agents of
  /// one control plane in one Kubernetes cluster may have the same.
  std::string cluster;
  /// The id of the control plane that the agent belongs to; empty if it belongs to none yet.
  std::string control_plane{};
  /// The namespaces in which jobs may run; empty: all of them, which needs the right to list pods
  /// in all.
  std::vector<std::string> namespaces{};
  pod_placement placement = pod_placement::selector;
  std::string node_label = "kubernetes.io/hostname";
  /// The node labels that are told to the control plane; empty: all of them.
  std::vector<std::string> tracked_labels{};
  /// Kubernetes' priority class of all pods; empty: the cluster's default.
  std::string priority_class{};
  /// What pods of jobs may have, by queue.
  std::vector<access::pod_policy> policies{};
  /// What pods of jobs get that say nothing of it, by queue.
  std::vector<pod_defaults> defaults{};
  /// Whether pods of others are followed, so that what they request is not offered. It needs the
  /// right to list pods in all namespaces.
  bool count_other_pods = true;
  /// Where the address of the API server stands, for messages: "kubernetes.kubeconfig, 'FILE',
  /// which is read anew when it changes"; empty if nobody can change it.
  std::string address_place{};
  /// Whether the events of pods are followed, if the agent has the right to list them.
  bool follow_events = true;
  /// Where the lease and the marks of runs are kept; empty: nowhere.
  std::filesystem::path state_dir{};
  /// How many bytes of outputs are kept there, of which pods.save_output says the part of each.
  std::uint64_t kept_output_max = std::uint64_t{1} << 30;
  ingress_rules ingresses{};
  pod_rules pods{};
  /// When the API server counts as away.
  kube::link_rules link{};
  /// How long changes of nodes are gathered before they are told.
  boot_time node_pause = std::chrono::seconds{2};
  /// Set: there is no thread, and everything happens in advance().
  const clock_source* manual_clock = nullptr;
};

class kubernetes_backend : public backend {
 public:
  /// With a manual clock: takes what has come in, and does what is due.
  virtual void advance() = 0;
};

/// Makes the backend, which begins to follow nodes and pods. Fails with ec::invalid_argument for a
/// wrong configuration.
[[nodiscard]] result<std::unique_ptr<kubernetes_backend>> make_kubernetes_backend(
    kubernetes_config config, std::shared_ptr<kube::api> api, event_sink sink);

}  // namespace argosy::backends
