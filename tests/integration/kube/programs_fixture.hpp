// SPDX-License-Identifier: Apache-2.0
// A running argosyd, and a Kubernetes cluster for agents: one in memory, or with
// ARGOSY_REAL_CLUSTER in the environment the one that KUBECONFIG names first. There,
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
  std::string name_space{};  ///< Empty: that of all tests.
  std::string nodes{};       ///< Their label, "name: value"; empty: that of all tests.
  std::string cpu{"10m"};
  std::string queue{"q"};
};

class programs_fixture : public deployment_fixture {
 protected:
  static constexpr const char* limit = "150s";

  void SetUp() override;
  void TearDown() override;

  /// Starts the agent, with these lines more in the section "kubernetes" of its file.
  child start_agent(const std::string& more = {}) const;
  std::string agent_log() const { return content_of(world.folder() / "agent-kube.log"); }
  /// Returns the id of the job; empty, with a failure, if it was not accepted.
  std::string submit(const pod_job& job) const;
  std::vector<std::string> submit(const pod_job& job, std::size_t count) const;
  /// The uids of the job's objects of a kind: "pods", "services" or "ingresses".
  std::vector<std::string> objects_of(const std::string& job, const std::string& kind) const;
  std::vector<std::string> pods_of(const std::string& job) const { return objects_of(job, "pods"); }
  nlohmann::json list(const std::string& job, const std::string& kind) const;
  [[nodiscard]] bool is_real() const { return !server_; }
  /// Asks the API server for something, past the agent.
  result<kube::answer> ask(kube::request what) const { return ask(*client, std::move(what)); }
  static result<kube::answer> ask(kube::api& of, kube::request what);
  /// The label of all nodes on which jobs may run, also of those that only play pods, as a query
  /// has it: "label%3Dvalue".
  [[nodiscard]] std::string selector() const;

  virtual_cluster cluster;  ///< It has nothing if the cluster is real.
  std::string settings =
      "agents: {heartbeat: 200ms, silenceMax: 2s}\n";  ///< The settings of argosyd.
  std::string kubeconfig;                              ///< The file that agents get.
  std::string name_space = "jobs";
  std::string other_namespace;  ///< Jobs may run in this one as well, if it has a name.
  std::unique_ptr<kube::api> client;

 private:
  /// An agent would take those of another test for its own, whose control plane is gone.
  void remove_pods() const;
  /// Whether some nodes are marked as those of kubelets, beside others that only play pods.
  [[nodiscard]] bool has_kubelets() const;

  std::string image_ = "none";
  std::string all_nodes_ = "kubernetes.io/os: linux";
  std::string nodes_ = all_nodes_;  ///< Those that carry containers out.
  std::unique_ptr<cluster_server> server_;
};

}  // namespace argosy::testing
