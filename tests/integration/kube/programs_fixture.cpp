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
    kubeconfig = variable("KUBECONFIG", "");
    kubeconfig = kubeconfig.substr(0, kubeconfig.find(':'));
    if (kubeconfig.empty()) GTEST_SKIP() << "KUBECONFIG names no cluster";
    name_space = variable("ARGOSY_TEST_NAMESPACE", name_space);
    image_ = variable("ARGOSY_TEST_IMAGE", "alpine:3.20.0");
  } else {
    cluster.add_node("node-1", {{"lab/pods", "true"}});
    nodes_ = all_nodes_ = "lab/pods: \"true\"";
    server_ = std::make_unique<cluster_server>(cluster);
    kubeconfig = world.write("kubeconfig", server_->kubeconfig());
  }
  const auto access = kube::read_kubeconfig(content_of(kubeconfig), kubeconfig, {});
  ASSERT_TRUE(access) << access.error().detail;
  auto made = kube::make_https_api(*access, {}, system_clock_source(), 7);
  ASSERT_TRUE(made) << made.error().detail;
  client = std::move(*made);
  if (is_real()) {
    remove_pods();
    all_nodes_ = variable("ARGOSY_TEST_NODES", all_nodes_);
    nodes_ = variable("ARGOSY_TEST_NODES", has_kubelets() ? "lab/real: \"true\"" : all_nodes_);
  }
  start_with_queue({"--sim-clusters", "1", "--config", world.write("argosyd.yaml", settings)});
  // Its virtual nodes have the labels that all nodes have.
  if (is_real()) ASSERT_EQ(world.ctl({"cluster", "cordon", "sim-1"}).code, 0);
}

void programs_fixture::remove_pods() const {
  kube::request what;
  what.path = "/api/v1/namespaces/" + name_space + "/pods?labelSelector=argosy.io%2Fcluster%3Dkube";
  auto removal = what;
  removal.verb = "DELETE";
  removal.path += "&gracePeriodSeconds=0";
  const auto done = ask(removal);
  ASSERT_TRUE(done && done->ok()) << (done ? done->body : done.error().detail);
  ASSERT_TRUE(eventually(
      [&] {
        const auto left = ask(what);
        return left && nlohmann::json::parse(left->body, nullptr, false)["items"].empty();
      },
      60s));
}

bool programs_fixture::has_kubelets() const {
  kube::request what;
  what.path = "/api/v1/nodes?labelSelector=lab%2Freal%3Dtrue";
  const auto got = ask(what);
  return got && got->ok() && !nlohmann::json::parse(got->body)["items"].empty();
}

void programs_fixture::TearDown() {
  if (HasFailure()) std::cerr << "--- the agent's log\n" << agent_log() << "---\n";
  deployment_fixture::TearDown();
}

child programs_fixture::start_agent(const std::string& more) const {
  const auto config = world.write("agent.yaml",
                                  "kubernetes:\n"
                                  "  kubeconfig: " +
                                      kubeconfig + "\n  namespaces: [" + name_space +
                                      (other_namespace.empty() ? "" : ", " + other_namespace) +
                                      "]\n" + "  countOtherPods: false\n" + more);
  return world.start_agent("kube", {"--backend", "kubernetes", "--config", config});
}

std::vector<std::string> programs_fixture::submit(const pod_job& job, std::size_t count) const {
  const std::string amounts = "{cpu: " + job.cpu + ", memory: 16Mi, ephemeral-storage: 1Mi}";
  std::string item;
  for (const auto& line : lines_of(job.item)) item += "    " + line + "\n";
  item =
      "  - priority: 0\n    namespace: " + (job.name_space.empty() ? name_space : job.name_space) +
      "\n" + item + "    podSpec:\n      nodeSelector: {" +
      (job.nodes.empty() ? nodes_ : job.nodes) +
      "}\n      terminationGracePeriodSeconds: 1\n      containers:\n        - name: " +
      job.container + "\n          image: " + image_ + "\n          command: [/bin/sh, -c, '" +
      job.command + "']\n" + (job.ports.empty() ? "" : "          ports: " + job.ports + "\n") +
      "          resources: {requests: " + amounts + ", limits: " + amounts + "}\n";
  std::string text = "queue: " + job.queue + "\njobSetId: s\njobs:\n";
  for (std::size_t i = 0; i < count; ++i) text += item;
  const auto got = world.ctl({"submit", world.write("job.yaml", text), "-o", "name"});
  EXPECT_EQ(got.code, 0) << got.err;
  auto ids = lines_of(got.out);
  for (auto& id : ids) id.erase(0, std::string_view{"job/"}.size());
  ids.resize(count);
  return ids;
}

std::string programs_fixture::submit(const pod_job& job) const {
  return submit(job, 1).front();
}

result<kube::answer> programs_fixture::ask(kube::api& of, kube::request what) {
  std::promise<result<kube::answer>> promise;
  of.ask(std::move(what), [&](result<kube::answer> got) { promise.set_value(std::move(got)); });
  return promise.get_future().get();
}

std::string programs_fixture::selector() const {
  const auto colon = all_nodes_.find(": ");
  auto value = all_nodes_.substr(colon + 2);
  std::erase(value, '"');
  auto name = all_nodes_.substr(0, colon);
  for (auto at = name.find('/'); at != std::string::npos; at = name.find('/', at))
    name.replace(at, 1, "%2F");
  return name + "%3D" + value;
}

nlohmann::json programs_fixture::list(const std::string& job, const std::string& kind) const {
  const std::string group = kind == "ingresses" ? "/apis/networking.k8s.io/v1" : "/api/v1";
  kube::request what;
  what.path =
      group + "/namespaces/" + name_space + "/" + kind + "?labelSelector=armada_job_id%3D" + job;
  const auto got = ask(what);
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
