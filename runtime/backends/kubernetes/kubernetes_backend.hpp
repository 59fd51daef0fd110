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
#include "runtime/backends/kubernetes/node_book.hpp"
#include "runtime/backends/kubernetes/placement.hpp"
#include "runtime/backends/kubernetes/pod_runs.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/kube/link_core.hpp"

namespace argosy::backends {

struct kubernetes_config {
  /// The agent's cluster, at most 63 characters. Pods carry it as a label, so that no two agents of
  /// one control plane in one Kubernetes cluster may have the same.
  std::string cluster;
  /// The id of the control plane that the agent belongs to; empty if it belongs to none yet.
  std::string control_plane{};
  kubernetes_rules rules{};
  /// What pods of jobs get that say nothing of it, by queue.
  std::vector<pod_defaults> defaults{};
  /// Where the address of the API server stands, for messages: "kubernetes.kubeconfig, 'FILE',
  /// which is read anew when it changes"; empty if nobody can change it.
  std::string address_place{};
  /// Where the lease, the marks of runs and outputs are kept; empty: nowhere.
  std::filesystem::path state_dir{};
  std::size_t creates_max = pod_rules{}.creates_max;
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
