// SPDX-License-Identifier: Apache-2.0
// The API server of a cluster in memory, on loopback, and the link to it, which a test may disturb.
// Destroying it ends its watches.
#pragma once

#include <memory>
#include <string>

#include "tests/support/kube/cluster_link.hpp"
#include "tests/support/kube/virtual_cluster.hpp"

namespace argosy::testing {

class cluster_server {
 public:
  /// The cluster has to outlive it.
  explicit cluster_server(virtual_cluster& of);
  ~cluster_server();
  cluster_server(const cluster_server&) = delete;
  cluster_server& operator=(const cluster_server&) = delete;

  [[nodiscard]] int port() const;
  /// The text of a kubeconfig file, for this port of the machine; 0: the server's own.
  [[nodiscard]] std::string kubeconfig(int port = 0) const;
  [[nodiscard]] cluster_link& link();

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace argosy::testing
