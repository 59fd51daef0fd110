// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/kube/programs_fixture.hpp"

#include <cstdlib>
#include <future>

#include "runtime/kube/credentials/kubeconfig.hpp"
#include "runtime/kube/https/https_api.hpp"

namespace argosy::testing {

namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

}  // namespace

void programs_fixture::SetUp() {
  if (std::getenv("ARGOSY_REAL_CLUSTER") != nullptr) {
    kubeconfig_ = variable("KUBECONFIG", "");
    if (kubeconfig_.empty()) GTEST_SKIP() << "KUBECONFIG names no cluster";
    name_space_ = variable("ARGOSY_TEST_NAMESPACE", name_space_);
    image_ = variable("ARGOSY_TEST_IMAGE", "alpine:3.20.0");
    nodes_ = variable("ARGOSY_TEST_NODES", nodes_);
  } else {
    cluster.add_node("node-1", {{"kubernetes.io/os", "linux"}});
    server_ = std::make_unique<cluster_server>(cluster);
    kubeconfig_ = world.write("kubeconfig", server_->kubeconfig());
  }
  const auto access = kube::read_kubeconfig(content_of(kubeconfig_), kubeconfig_, {});
  ASSERT_TRUE(access) << access.error().detail;
  auto made = kube::make_https_api(*access, {}, system_clock_source(), 7);
  ASSERT_TRUE(made) << made.error().detail;
  client_ = std::move(*made);
  start_with_queue({"--sim-clusters", "1", "--config",
                    world.write("argosyd.yaml", "agents: {heartbeat: 200ms, silenceMax: 2s}\n")});
}

void programs_fixture::TearDown() {
  if (HasFailure()) std::cerr << "--- the agent's log\n" << agent_log() << "---\n";
  deployment_fixture::TearDown();
}

child programs_fixture::start_agent(const std::string& more) const {
  const auto config = world.write("agent.yaml",
                                  "kubernetes:\n"
                                  "  kubeconfig: " +
                                      kubeconfig_ + "\n  namespaces: [" + name_space_ + "]\n" +
                                      "  countOtherPods: false\n" + more);
  return world.start_agent("kube", {"--backend", "kubernetes", "--config", config});
}

std::string programs_fixture::submit(const pod_job& job) const {
  const std::string amounts = "{cpu: 10m, memory: 16Mi, ephemeral-storage: 1Mi}";
  std::string item;
  for (const auto& line : lines_of(job.item)) item += "    " + line + "\n";
  const auto file = world.write(
      "job.yaml",
      "queue: q\njobSetId: s\njobs:\n  - priority: 0\n    namespace: " + name_space_ + "\n" + item +
          "    podSpec:\n      nodeSelector: {" + nodes_ +
          "}\n      terminationGracePeriodSeconds: 1\n      containers:\n" + "        - name: " +
          job.container + "\n          image: " + image_ + "\n          command: [/bin/sh, -c, '" +
          job.command + "']\n" + (job.ports.empty() ? "" : "          ports: " + job.ports + "\n") +
          "          resources: {requests: " + amounts + ", limits: " + amounts + "}\n");
  const auto got = world.ctl({"submit", file, "-o", "name"});
  EXPECT_EQ(got.code, 0) << got.err;
  const auto names = lines_of(got.out);
  return names.empty() ? std::string{} : names.front().substr(std::string_view{"job/"}.size());
}

nlohmann::json programs_fixture::list(const std::string& job, const std::string& kind) const {
  const std::string group = kind == "ingresses" ? "/apis/networking.k8s.io/v1" : "/api/v1";
  kube::request what;
  what.path =
      group + "/namespaces/" + name_space_ + "/" + kind + "?labelSelector=armada_job_id%3D" + job;
  std::promise<result<kube::answer>> promise;
  client_->ask(what, [&](result<kube::answer> got) { promise.set_value(std::move(got)); });
  const auto got = promise.get_future().get();
  EXPECT_TRUE(got) << got.error().detail;
  if (!got) return nlohmann::json::array();
  EXPECT_EQ(got->status, 200) << got->body;
  return nlohmann::json::parse(got->body, nullptr, false).value("items", nlohmann::json::array());
}

std::vector<std::string> programs_fixture::objects_of(const std::string& job,
                                                      const std::string& kind) const {
  std::vector<std::string> out;
  for (const auto& each : list(job, kind)) out.push_back(each["metadata"]["uid"]);
  return out;
}

}  // namespace argosy::testing
