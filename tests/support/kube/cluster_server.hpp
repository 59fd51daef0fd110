// SPDX-License-Identifier: Apache-2.0
// The API server of a cluster in memory, on loopback. Destroying it ends its watches.
#pragma once

#include <memory>
#include <string>

#include "tests/support/kube/virtual_cluster.hpp"

namespace argosy::testing {

class cluster_server {
 public:
  /// The cluster has to outlive it.
  explicit cluster_server(virtual_cluster& of);
  ~cluster_server();
  cluster_server(const cluster_server&) = delete;
  cluster_server& operator=(const cluster_server&) = delete;

  /// The text of a kubeconfig file.
  [[nodiscard]] std::string kubeconfig() const;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace argosy::testing
