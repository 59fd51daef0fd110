// SPDX-License-Identifier: Apache-2.0
// Goal: the cluster in memory with which agents are tested is as unpleasant as a test asks for, and
// says so in the words of a real one.
// Method: requests to its API server over loopback, and pods that its scheduler looks at.
#include <gmock/gmock.h>
#include <httplib.h>

#include <future>

#include "tests/support/kube/cluster_server.hpp"

namespace argosy::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;

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

TEST_F(unpleasant_cluster, says_of_a_right_what_it_does) {
  cluster_server server{cluster};
  httplib::Client client{"127.0.0.1", server.port()};
  cluster.refusals.add(no_right("get", "pods/log", "jobs"));
  const auto may = [&](const json& what) {
    const auto got =
        client.Post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                    json{{"spec", {{"resourceAttributes", what}}}}.dump(), "application/json");
    return got && json::parse(got->body)["status"]["allowed"] == true;
  };
  json log{{"verb", "get"}, {"resource", "pods"}, {"subresource", "log"}, {"namespace", "jobs"}};
  EXPECT_FALSE(may(log));
  const std::string folder = "/api/v1/namespaces/jobs/pods";
  const auto status_of = [&](const std::string& path) { return client.Get(path)->status; };
  EXPECT_EQ(status_of(folder + "/p/log"), 403);
  EXPECT_EQ(status_of(folder + "/p/log?follow=true"), 403);
  EXPECT_EQ(status_of(folder + "/p"), 404) << "another right";
  EXPECT_EQ(status_of(folder), 200);
  EXPECT_EQ(status_of("/api/v1/namespaces/more/pods/p/log"), 404);
  log["namespace"] = "more";
  EXPECT_TRUE(may(log));
  log.erase("subresource");
  EXPECT_TRUE(may(log));
  cluster.refusals.add(no_right("watch", "nodes", ""));
  EXPECT_FALSE(may({{"verb", "watch"}, {"resource", "nodes"}}));
  EXPECT_TRUE(may({{"verb", "list"}, {"resource", "nodes"}}));
  EXPECT_EQ(status_of("/api/v1/nodes?watch=1"), 403);
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

}  // namespace
}  // namespace argosy::testing
