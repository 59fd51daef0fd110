// SPDX-License-Identifier: Apache-2.0
// Goal: of two agents with one Lease object one acts. The other one stands by, is ready meanwhile,
// and goes on with the pods of the first when that is gone.
// Method: the program itself, an API server of Kubernetes and a control plane that are part of the
// test, SIGKILL and SIGTERM.
#include <fstream>

#include "tests/integration/agent/agent_fixture.hpp"
#include "tests/integration/kube/fake_api_server.hpp"
#include "tests/support/process/child.hpp"
#include "tests/unit/health/http_get.hpp"
#include "tests/unit/kube/lease_fixture.hpp"

namespace argosy {
namespace {

using httplib::Request;
using httplib::Response;
using nlohmann::json;

class agent_replicas : public agent_fixture {
 protected:
  agent_replicas() {
    std::ofstream{folder_.path() / "kubeconfig"} << R"(
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: ")" << api_.url()
                                                 << R"("}}]
users: [{name: u, user: {}}]
)";
    std::ofstream{folder_.path() / "agent.yaml"}
        << "backend: kubernetes\nkubernetes:\n  kubeconfig: "
        << (folder_.path() / "kubeconfig").string() << R"(
  leaderElection: always
  leaseNamespace: argosy
  leaseDuration: 5s
  renewDeadline: 4s
  retryPeriod: 100ms
)";
  }

  testing::child start(const std::string& name) {
    return testing::child{
        {.words = {std::string{ARGOSY_BIN_DIR} + "/argosy-agent", "--cluster", "c", "--data-dir",
                   (folder_.path() / name).string(), "--nats", server_.url(), "--config",
                   (folder_.path() / "agent.yaml").string()},
         .environment = {"HOME=" + folder_.path().string()},
         .err = folder_.path() / (name + ".log")}};
  }

  /// A pod of this cluster whose run is `run`, as a replica has made it.
  static json pod_of(const model::run_key& run) {
    return {{"metadata",
             {{"name", "armada-" + to_string(run.job) + "-0"},
              {"namespace", "jobs"},
              {"uid", "u1"},
              {"resourceVersion", "5"},
              {"labels",
               {{"argosy.io/run", to_string(run)},
                {"argosy.io/cluster", "c"},
                {"argosy.io/control-plane", "ours"}}},
              {"annotations", {{"argosy.io/queue", "q"}}}}},
            {"spec", {{"nodeName", "n1"}}},
            {"status", {{"phase", "Running"}}}};
  }

  void answer(const Request& from, Response& to) {
    if (from.path.starts_with("/apis/coordination.k8s.io/")) {
      const std::lock_guard guard{api_mutex_};
      const auto got = lease_.serve({.verb = from.method, .path = from.path, .body = from.body});
      to.status = got.status;
      to.set_content(got.body, "application/json");
      return;
    }
    // To ask for one's rights changes nothing.
    const bool is_review = from.path.find("/selfsubject") != std::string::npos;
    if (from.method != "GET" && !is_review) ++changes_;
    if (from.has_param("watch")) {
      api_.stream(to);
      return;
    }
    json items = json::array();
    if (from.path == "/api/v1/nodes")
      items.push_back(json::parse(R"({"metadata":{"name":"n1","resourceVersion":"4",
          "labels":{"kubernetes.io/hostname":"n1"}},"status":{"allocatable":{"cpu":"4"},
          "conditions":[{"type":"Ready","status":"True"}]}})"));
    else if (from.get_param_value("labelSelector") == "argosy.io/cluster=c")
      items.push_back(pod_of(run_));
    to.set_content(json{{"metadata", {{"resourceVersion", "10"}}}, {"items", items}}.dump(),
                   "application/json");
  }

  std::string holder() {
    const std::lock_guard guard{api_mutex_};
    return lease_.object ? lease_.holder() : std::string{"nobody yet"};
  }

  /// The page of a replica's health endpoint; status 0 before it listens.
  tests::http_reply page(const std::string& name, const std::string& path) {
    const auto port = testing::content_of(folder_.path() / name / "health.port");
    return port.empty() ? tests::http_reply{}
                        : tests::http_get(static_cast<std::uint16_t>(std::stoi(port)), path);
  }

  std::string log_of(const std::string& name) {
    return testing::content_of(folder_.path() / (name + ".log"));
  }

  model::run_key run_{ulid_from_hash(1, 2, 3), 1};
  std::mutex api_mutex_;
  kube::testing::lease_server lease_;
  std::atomic<int> changes_ = 0;
  kube::testing::fake_api_server api_{
      [this](const Request& from, Response& to) { answer(from, to); }};
};

TEST_F(agent_replicas, one_acts_and_the_next_goes_on_with_its_pods_when_it_is_killed) {
  control_plane_ = "ours";
  auto first = start("first");
  EXPECT_NE(first_hello().trouble.why, "") << "it does not know yet whose the pod is";
  wait_until([&] { return !hellos_.back().runs.empty(); }, "the hello with the run of the pod");
  auto second = start("second");
  wait_until_true(
      [&] { return page("second", "/status").body.find("standby") != std::string::npos; });
  EXPECT_EQ(page("second", "/readyz").status, 200) << "whoever probes it finds it ready";
  const auto before = holder();
  EXPECT_EQ(first_hello().cluster.process, hellos_.back().cluster.process) << "it says nothing";
  first.kill();
  const auto acting = hellos_.front().cluster.process;
  const auto is_next = [&](const model::agent_hello& said) {
    return said.cluster.process != acting;
  };
  wait_until([&] { return is_next(hellos_.back()) && hellos_.back().trouble.why.empty(); },
             "the hello of the next one");
  EXPECT_NE(holder(), before);
  const std::lock_guard guard{mutex_};
  const auto& hello = hellos_.back();
  EXPECT_TRUE(std::ranges::find_if(hellos_, is_next)->take_over)
      << "the lease says that the other one does not act";
  EXPECT_TRUE(hello.all_runs);
  ASSERT_EQ(hello.runs.size(), 1U);
  EXPECT_EQ(hello.runs[0].run, run_);
  EXPECT_EQ(hello.runs[0].phase, run_phase::running);
  EXPECT_EQ(changes_, 0) << "no pod is made or deleted";
}

TEST_F(agent_replicas, one_that_loses_the_lease_ends_at_once_and_says_so) {
  auto only = start("only");
  static_cast<void>(first_hello());
  {
    const std::lock_guard guard{api_mutex_};
    (*lease_.object)["spec"]["holderIdentity"] = "somebody";
    (*lease_.object)["metadata"]["resourceVersion"] = "999";
  }
  EXPECT_EQ(only.wait(20s), 7);
  EXPECT_NE(log_of("only").find("argosy-agent: lease 'argosy/argosy-agent-c' was not renewed in "
                                "time or is held by another replica"),
            std::string::npos)
      << log_of("only");
}

TEST_F(agent_replicas, one_that_is_told_to_end_gives_the_lease_up) {
  auto only = start("only");
  static_cast<void>(first_hello());
  EXPECT_NE(holder(), "");
  only.signal(SIGTERM);
  EXPECT_EQ(only.wait(20s), 0);
  EXPECT_EQ(holder(), "");
  auto next = start("next");
  const auto acting = hellos_.front().cluster.process;
  wait_until([&] { return hellos_.back().cluster.process != acting; }, "the hello of the next one");
}

TEST_F(agent_replicas, one_that_may_not_have_the_lease_is_not_ready_and_says_why) {
  const auto api_answers = [&](int status) {
    const std::lock_guard guard{api_mutex_};
    lease_.fails_with = status;
  };
  const auto ready = [&] { return page("only", "/readyz").status; };
  api_answers(403);
  control_plane_ = "ours";
  auto only = start("only");
  wait_until_true([&] { return ready() == 503; });
  const auto told = page("only", "/readyz").body;
  EXPECT_NE(told.find("[x] lease failed: denied: "), std::string::npos) << told;
  EXPECT_NE(told.find("give the agent's user the right"), std::string::npos) << told;
  EXPECT_EQ(page("only", "/readyz?exclude=lease").status, 200) << "it is the only one that fails";
  EXPECT_EQ(page("only", "/livez").status, 200);
  // A server that is away is no reason to put another replica in place of this one.
  api_answers(500);
  wait_until_true([&] { return ready() == 200; });
  api_answers(401);
  wait_until_true([&] { return ready() == 503; });
  EXPECT_TRUE(hellos_.empty());
  api_answers(0);
  static_cast<void>(first_hello());
  wait_until_true([&] { return ready() == 200; });
}

TEST_F(agent_replicas, one_that_stands_by_ends_when_it_is_told_to) {
  {
    const std::lock_guard guard{api_mutex_};
    static_cast<void>(lease_.serve(kube::create_lease(
        "argosy", "argosy-agent-c", {.holder = "somebody", .duration = 1h}, wall_time{})));
  }
  auto only = start("only");
  wait_until_true([&] {
    return page("only", "/status").body.find(R"("lease_holder":"somebody")") != std::string::npos;
  });
  EXPECT_EQ(page("only", "/readyz").status, 200);
  only.signal(SIGTERM);
  EXPECT_EQ(only.wait(20s), 0);
  EXPECT_EQ(holder(), "somebody");
  EXPECT_TRUE(hellos_.empty());
}

}  // namespace
}  // namespace argosy
