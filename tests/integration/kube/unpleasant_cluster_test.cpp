// SPDX-License-Identifier: Apache-2.0
// Goal: the cluster in memory with which agents are tested is as unpleasant as a test asks for, and
// says so in the words of a real one. What it refuses fails no job, what its users get wrong costs
// nobody a node, and both are said in words; all goes on when it is mended.
// Method: requests to its API server over loopback, and pods that its scheduler looks at; then the
// real programs in front of it.
#include <gmock/gmock.h>
#include <httplib.h>

#include <algorithm>
#include <future>

#include "tests/integration/kube/programs_fixture.hpp"
#include "tests/support/kube/cluster_server.hpp"

namespace argosy::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class unpleasant_cluster : public ::testing::Test {
 protected:
  static json pod(const std::string& name, json spec = json::object()) {
    spec["containers"] = {
        {{"name", "main"},
         {"command", {"/bin/sh", "-c", "sleep 9"}},
         {"resources", {{"requests", {{"cpu", "1"}}}, {"limits", {{"cpu", "1"}}}}}}};
    return {{"metadata", {{"name", name}, {"labels", {{"app", "a"}}}}}, {"spec", spec}};
  }
  kube_answer create(const json& what) {
    return cluster.ask({"POST", "/api/v1/namespaces/jobs/pods", {}, what.dump(), "", {}});
  }
  std::string why_unplaced(const json& what) {
    EXPECT_EQ(create(what).status, 201);
    const auto made = cluster.object("pods", "jobs", what["metadata"]["name"]);
    if (!made["status"].contains("conditions")) return {};
    const auto& condition = made["status"]["conditions"][0];
    return condition.value("reason", "") + ": " + condition.value("message", "");
  }
  static std::string message_of(const kube_answer& from) {
    return json::parse(from.body).value("message", "");
  }

  virtual_cluster cluster;
};

TEST_F(unpleasant_cluster, words_a_full_quota_as_kubernetes_does) {
  cluster.add_node("n1");
  cluster.set_quota(
      {"jobs", "team", {{"pods", "9"}, {"requests.cpu", "5"}}, {{"requests.cpu", "4"}}});
  EXPECT_EQ(create(pod("one")).status, 201);
  const auto got = create(pod("two"));
  EXPECT_EQ(got.status, 403);
  EXPECT_EQ(message_of(got),
            "pods \"two\" is forbidden: exceeded quota: team, requested: requests.cpu=1, used: "
            "requests.cpu=5, limited: requests.cpu=5");
  cluster.delete_by_hand("jobs", "one");
  EXPECT_EQ(create(pod("two")).status, 201);
}

TEST_F(unpleasant_cluster, refuses_by_verb_and_namespace_until_that_is_lifted) {
  cluster.add_node("n1");
  cluster.refusals.add(no_right("create", "pods", "jobs"));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(message_of(create(pod("one"))),
              "pods is forbidden: User \"system:serviceaccount:argosy:agent\" cannot create "
              "resource \"pods\" in API group \"\" in the namespace \"jobs\"");
  cluster.refusals.lift();
  EXPECT_EQ(create(pod("one")).status, 201);
}

TEST_F(unpleasant_cluster, says_why_a_pod_has_no_place) {
  cluster.add_node("n1", {{"zone", "a"}});
  cluster.add_node("n2", {{"zone", "b"}});
  EXPECT_EQ(why_unplaced(pod("gated", {{"schedulingGates", {{{"name", "x"}}}}})),
            "SchedulingGated: Scheduling is blocked due to non-empty scheduling gates");
  EXPECT_EQ(why_unplaced(pod("other", {{"schedulerName", "x"}})), "");
  const json claim{{"volumes", {{{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "c"}}}}}}};
  EXPECT_EQ(why_unplaced(pod("claims", claim)),
            "Unschedulable: 0/2 nodes are available: persistentvolumeclaim \"c\" not found. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
  cluster.put("persistentvolumes",
              {{"metadata", {{"name", "v"}}},
               {"spec",
                {{"nodeAffinity",
                  {{"required",
                    {{"nodeSelectorTerms",
                      {{{"matchExpressions",
                         {{{"key", "zone"}, {"operator", "In"}, {"values", {"b"}}}}}}}}}}}}}}});
  cluster.put("persistentvolumeclaims", {{"metadata", {{"name", "c"}, {"namespace", "jobs"}}},
                                         {"spec", {{"volumeName", "v"}}}});
  EXPECT_EQ(cluster.object("pods", "jobs", "claims")["spec"]["nodeName"], "n2");
  cluster.change("nodes", "", "n2", [](json& of) { of["spec"]["unschedulable"] = true; });
  EXPECT_EQ(why_unplaced(pod("again", claim)),
            "Unschedulable: 0/2 nodes are available: 1 node(s) had volume node affinity conflict, "
            "1 node(s) were unschedulable. preemption: 0/2 nodes are available: 2 Preemption is "
            "not helpful for scheduling.");
  cluster.scheduler_says("odd", {"Unschedulable", "words of the test"});
  EXPECT_EQ(why_unplaced(pod("odd")), "Unschedulable: words of the test");
}

TEST_F(unpleasant_cluster, keeps_pods_with_the_same_label_apart) {
  cluster.add_node("n1", {{"zone", "a"}});
  const json apart{
      {"affinity",
       {{"podAntiAffinity",
         {{"requiredDuringSchedulingIgnoredDuringExecution",
           {{{"topologyKey", "zone"}, {"labelSelector", {{"matchLabels", {{"app", "a"}}}}}}}}}}}}};
  EXPECT_EQ(create(pod("one", apart)).status, 201);
  EXPECT_THAT(why_unplaced(pod("two", apart)), HasSubstr("1 node(s) didn't match pod "
                                                         "anti-affinity rules"));
}

TEST_F(unpleasant_cluster, evicts_what_is_on_a_drained_node) {
  cluster.add_node("n1");
  EXPECT_EQ(create(pod("one")).status, 201);
  cluster.drain("n1");
  EXPECT_TRUE(cluster.names("pods").empty());
  EXPECT_THAT(why_unplaced(pod("two")), HasSubstr("1 node(s) were unschedulable"));
}

TEST_F(unpleasant_cluster, holds_answers_back_and_drops_them) {
  cluster.add_node("n1");
  cluster_server server{cluster};
  httplib::Client client{"127.0.0.1", server.port()};
  const auto post = [&](const std::string& name) {
    return client.Post("/api/v1/namespaces/jobs/pods", pod(name).dump(), "application/json");
  };
  server.link().disturb({.verb = "POST", .fault = link_fault::hold_answer});
  auto held = std::async(std::launch::async, [&] { return post("one"); });
  EXPECT_TRUE(cluster.wait_for("pods", "\"one\"")) << "the cluster has done it";
  EXPECT_EQ(held.wait_for(50ms), std::future_status::timeout);
  server.link().mend();
  const auto got = held.get();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 201);
  EXPECT_FALSE(got->get_header_value("Date").empty());
  server.link().disturb({.verb = "POST", .part = "/pods", .fault = link_fault::drop_request});
  EXPECT_FALSE(post("two"));
  EXPECT_TRUE(cluster.object("pods", "jobs", "two").is_null());
  EXPECT_TRUE(client.Get("/api/v1/nodes")) << "another verb";
}

TEST_F(unpleasant_cluster, says_when_to_come_back) {
  cluster_server server{cluster};
  httplib::Client client{"127.0.0.1", server.port()};
  cluster.refusals.add(too_many("GET", 7s));
  const auto got = client.Get("/api/v1/nodes");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, 429);
  EXPECT_EQ(got->get_header_value("Retry-After"), "7");
}

class kube_bad_day : public programs_fixture {
 protected:
  void SetUp() override {
    if (std::getenv("ARGOSY_REAL_CLUSTER") != nullptr) GTEST_SKIP() << "it is in memory";
    cluster.add_node("node-2", {{"kubernetes.io/os", "linux"}});
    programs_fixture::SetUp();
  }
  /// Waits until explain says so of the job.
  void expect_explained(const std::string& job, const std::string& words) const {
    std::string out;
    const auto is_told = [&] {
      out = world.ctl({"explain", job}).out;
      return out.find(words) != std::string::npos;
    };
    EXPECT_TRUE(eventually(is_told, 20s)) << words << "\n" << out << world.job(job);
  }
};

TEST_F(kube_bad_day, a_cluster_that_refuses_keeps_jobs_queued_and_says_why) {
  other_namespace = "full, rightless, ending";
  cluster.set_quota({"full", "team", {{"pods", "0"}}});
  cluster.refuse(no_right("create", "pods", "rightless"));
  cluster.refuse(ending_namespace("ending"));
  cluster.refuse({"POST", "/jobs/services", 403,
                  "services \"s\" is forbidden: exceeded quota: few, requested: services=1, used: "
                  "services=2, limited: services=2",
                  0, "Forbidden"});
  const auto agent = start_agent();
  const auto in = [&](const char* where) {
    return submit({.command = "true", .name_space = where});
  };
  const auto serving =
      submit({"true", "services: [{type: NodePort, ports: [80]}]", "[{containerPort: 80}]"});
  std::vector<std::string> jobs{in("full"), in("rightless"), in("ending"), serving};
  expect_explained(jobs[0],
                   "exceeded quota: team, requested: pods=1, used: pods=0, limited: pods=0");
  expect_explained(jobs[1], "cannot create resource \"pods\"");
  expect_explained(jobs[2], "is being terminated");
  expect_explained(jobs[3], "takes no jobs with services in its namespace 'jobs' for now: the ");
  EXPECT_EQ(wait_for(submit({"true"}), "done", limit), 0) << "it has no services" << agent_log();
  EXPECT_THAT(world.ctl({"status"}).out, HasSubstr("takes no jobs "));
  cluster.remove_quota("full", "team");
  cluster.refusals.lift();
  for (const auto& job : jobs) EXPECT_EQ(wait_for(job, "done", limit), 0) << world.job(job);
}

TEST_F(kube_bad_day, rights_of_owners_and_slips_of_the_operator_fail_no_job) {
  cluster.clock.set_ahead(1h);
  const auto agent =
      start_agent("  impersonateUsers: true\n  podDefaults: [{annotations: {team: x}}]\n");
  cluster.refuse({"POST", "/pods", 403,
                  "pods is forbidden: User \"x\" cannot create resource \"pods\" in API group \"\"",
                  0, "Forbidden"});
  const auto job = submit({"true"});
  expect_explained(job, "takes no jobs of user ");
  cluster.refusals.lift();
  auto busy = out_of_order("POST");
  auto denies = webhook_denies("policy", "annotation team is not allowed");
  busy.times = denies.times = 1;
  cluster.refuse(busy);
  cluster.refuse(denies);
  EXPECT_EQ(wait_for(job, "done", limit), 0) << world.job(job) << agent_log();
  const auto asked = cluster.asked("POST", "/pods");
  EXPECT_TRUE(std::ranges::any_of(asked, [](const auto& each) {
    return each.query.contains("dryRun");
  })) << "the agent asks whether its own settings are to blame";
}

TEST_F(kube_bad_day, drains_give_jobs_back_and_misspelt_claims_close_no_node) {
  const auto agent = start_agent("  nodeWait: 1s\n");
  const auto drained = submit({"sleep 600"});
  ASSERT_EQ(wait_for(drained, "running", limit), 0) << agent_log();
  const auto node_of = [&](int run) {
    const auto name = "armada-" + drained + "-" + std::to_string(run);
    const auto pod = cluster.object("pods", "jobs", name);
    return pod.is_object() ? pod["spec"].value("nodeName", "") : std::string{};
  };
  const auto before = node_of(0);
  cluster.drain(before);
  // It may be sent there once more before the cordon is told.
  const auto is_elsewhere = [&] {
    for (int run = 1; run < 9; ++run)
      if (const auto node = node_of(run); !node.empty()) return node != before;
    return false;
  };
  ASSERT_TRUE(eventually(is_elsewhere, 20s)) << world.job(drained) << agent_log();

  cluster.scheduler_says("armada-", {.message = "0/2 nodes are available: persistentvolumeclaim "
                                                "\"nosuch\" not found."});
  const auto misspelt = submit({"true"}, 12);
  for (const auto& job : misspelt) {
    EXPECT_EQ(wait_for(job, "done", limit), 10) << world.job(job);
    EXPECT_THAT(world.job(job), HasSubstr("nosuch"));
  }
  cluster.scheduler_says_nothing();
  EXPECT_THAT(world.ctl({"get", "nodes"}).out, Not(HasSubstr("quarantined")));
  EXPECT_EQ(wait_for(submit({"true"}), "done", limit), 0) << agent_log();
}

}  // namespace
}  // namespace argosy::testing
