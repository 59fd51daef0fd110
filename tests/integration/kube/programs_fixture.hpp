// SPDX-License-Identifier: Apache-2.0
// A running argosyd, and a Kubernetes cluster for agents: one in memory, or with
// ARGOSY_REAL_CLUSTER in the environment the one that KUBECONFIG names. There,
// ARGOSY_TEST_NAMESPACE, ARGOSY_TEST_IMAGE and ARGOSY_TEST_NODES ("label: value") say where jobs
// run and with which image, which has to have /bin/sh.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kube/api.hpp"
#include "tests/support/kube/cluster_server.hpp"
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

/// A job for the cluster.
struct pod_job {
  std::string command;
  std::string item{};   ///< More lines of the item.
  std::string ports{};  ///< What its container has: "[{containerPort: 80}]".
  std::string container{"main"};
};

class programs_fixture : public deployment_fixture {
 protected:
  static constexpr const char* limit = "60s";

  void SetUp() override;
  void TearDown() override;

  /// Starts the agent, with these lines more in the section "kubernetes" of its file.
  child start_agent(const std::string& more = {}) const;
  std::string agent_log() const { return content_of(world.folder() / "agent-kube.log"); }
  /// Returns the id of the job; empty, with a failure, if it was not accepted.
  std::string submit(const pod_job& job) const;
  /// The uids of the job's objects of a kind: "pods", "services" or "ingresses".
  std::vector<std::string> objects_of(const std::string& job, const std::string& kind) const;
  std::vector<std::string> pods_of(const std::string& job) const { return objects_of(job, "pods"); }
  nlohmann::json list(const std::string& job, const std::string& kind) const;
  [[nodiscard]] bool is_real() const { return !server_; }

  virtual_cluster cluster;  ///< It has nothing if the cluster is real.

 private:
  std::string kubeconfig_;
  std::string name_space_ = "jobs";
  std::string image_ = "none";
  std::string nodes_ = "kubernetes.io/os: linux";
  std::unique_ptr<cluster_server> server_;
  std::unique_ptr<kube::api> client_;
};

}  // namespace argosy::testing
