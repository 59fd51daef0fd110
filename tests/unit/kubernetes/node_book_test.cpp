// SPDX-License-Identifier: Apache-2.0
// Goal: nodes offer what is allocatable, less what pods of others request.
// Method: objects as Kubernetes gives them, read and added up.
#include "runtime/backends/kubernetes/node_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/amounts.hpp"
#include "runtime/model/node_trouble.hpp"

namespace argosy::backends {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

json node(const std::string& name) {
  auto out = json::parse(R"({"metadata":{"labels":{"zone":"z1","other":"x"}},
    "spec":{"taints":[{"key":"gpu","value":"true","effect":"NoSchedule"}]},
    "status":{"capacity":{"cpu":"4","memory":"8Gi"},
      "allocatable":{"cpu":"3800m","memory":"7340032Ki","nvidia.com/gpu":"2"},
      "conditions":[{"type":"MemoryPressure","status":"False"},
        {"type":"Ready","status":"True"}]}})");
  out["metadata"]["name"] = name;
  out["metadata"]["labels"]["kubernetes.io/hostname"] = name + ".local";
  return out;
}

json pod(const std::string& uid, const std::string& node, const std::string& cpu) {
  return {{"metadata", {{"uid", uid}}},
          {"spec",
           {{"nodeName", node},
            {"containers", {{{"resources", {{"requests", {{"cpu", cpu}, {"memory", "1Gi"}}}}}}}}}},
          {"status", {{"phase", "Running"}}}};
}

TEST(node_reader, allocatable_counts_and_not_capacity) {
  const auto read = read_node(node("a"), {});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "a");
  EXPECT_THAT(read->total, ElementsAre(Pair("cpu", 3800), Pair("memory", 7340032LL * 1024),
                                       Pair("nvidia.com/gpu", 2)));
  EXPECT_EQ(read->allocatable, read->total);
  EXPECT_THAT(read->taints, ElementsAre(model::taint{"gpu", "true", "NoSchedule"}));
  EXPECT_FALSE(read->unschedulable);
}

TEST(node_reader, only_the_labels_that_are_asked_for_are_told) {
  node_rules rules;
  rules.labels = {"zone"};
  EXPECT_THAT(read_node(node("a"), rules)->labels,
              ElementsAre(Pair("kubernetes.io/hostname", "a.local"), Pair("zone", "z1")));
  EXPECT_EQ(read_node(node("a"), {})->labels.size(), 3U);
}

TEST(node_reader, a_node_that_is_not_ready_or_cordoned_takes_nothing) {
  auto silent = node("a");
  silent["status"]["conditions"][1]["status"] = "Unknown";
  EXPECT_TRUE(read_node(silent, {})->unschedulable);
  auto cordoned = node("a");
  cordoned["spec"]["unschedulable"] = true;
  EXPECT_TRUE(read_node(cordoned, {})->unschedulable);
  auto fresh = node("a");
  fresh["status"].erase("conditions");
  EXPECT_TRUE(read_node(fresh, {})->unschedulable);
}

TEST(node_reader, a_node_without_the_label_by_which_pods_are_placed_is_shown_and_takes_nothing) {
  auto bare = node("a");
  bare["metadata"]["labels"].erase("kubernetes.io/hostname");
  const auto read = read_node(bare, {});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->unschedulable);
  EXPECT_THAT(model::trouble_of(*read), HasSubstr("kubectl label node a kubernetes.io/hostname=a"));
  EXPECT_FALSE(read_node(bare, {"", {}})->unschedulable) << "pods are placed by the node's name";
  EXPECT_FALSE(read_node(json::object(), {"", {}}));
}

TEST(node_reader, what_is_wrong_with_a_kubelet_is_told_and_a_cordon_is_no_trouble) {
  auto node_of = node("a");
  auto& status = node_of["status"]["conditions"][1]["status"];
  status = "Unknown";
  EXPECT_THAT(model::trouble_of(*read_node(node_of, {})), HasSubstr("its kubelet is silent"));
  status = "False";
  EXPECT_THAT(model::trouble_of(*read_node(node_of, {})), HasSubstr("not ready"));
  status = "Unknown";
  const auto own = json{{"key", "node.kubernetes.io/unreachable"}, {"effect", "NoSchedule"}};
  node_of["spec"]["taints"].push_back(own);
  EXPECT_EQ(read_node(node_of, {})->taints.size(), 2U) << "Kubernetes has told it too";
  status = "True";
  node_of["spec"] = {{"unschedulable", true}};
  EXPECT_EQ(model::trouble_of(*read_node(node_of, {})), "");
}

TEST(pod_requests, are_counted_as_kubernetes_scheduler_does) {
  const auto requests = requests_of(json::parse(R"({"spec":{
    "containers":[{"resources":{"requests":{"cpu":"500m"},"limits":{"cpu":"1","memory":"100Mi"}}},
                  {"resources":{"requests":{"cpu":1}}}],
    "initContainers":[{"resources":{"requests":{"cpu":"4"}}},
                      {"restartPolicy":"Always","resources":{"requests":{"cpu":"250m"}}},
                      {"resources":{"requests":{"memory":"1Gi"}}}],
    "overhead":{"cpu":"10m","memory":"1500m"}}})"));
  EXPECT_EQ(model::amount_of(requests, "cpu"), 4010);
  EXPECT_EQ(model::amount_of(requests, "memory"), (1LL << 30) + 2);
}

TEST(node_book, what_pods_of_others_request_is_taken_off) {
  node_book book{{}};
  book.nodes_listed({node("b"), node("a")});
  book.pods_listed({pod("1", "a", "800m"), pod("2", "a", "1"), pod("3", "b", "9")});
  auto nodes = book.nodes();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "a");
  EXPECT_EQ(model::amount_of(nodes[0].allocatable, "cpu"), 2000);
  EXPECT_EQ(model::amount_of(nodes[0].total, "cpu"), 3800);
  EXPECT_EQ(model::amount_of(nodes[1].allocatable, "cpu"), 0) << "never less than nothing";

  auto ended = pod("2", "a", "1");
  ended["status"]["phase"] = "Succeeded";
  book.pod_changed(ended);
  book.pod_gone(pod("1", "a", "800m"));
  nodes = book.nodes();
  EXPECT_EQ(model::amount_of(nodes[0].allocatable, "cpu"), 3800);
}

TEST(node_book, nodes_come_change_and_go) {
  node_book book{{}};
  book.node_changed(node("a"));
  EXPECT_EQ(book.label("a", "kubernetes.io/hostname"), "a.local");
  EXPECT_EQ(book.label("a", "none"), std::nullopt);
  EXPECT_EQ(book.label("z", "zone"), std::nullopt);
  book.node_gone(node("a"));
  EXPECT_TRUE(book.nodes().empty());
  book.node_changed(node("a"));
  book.nodes_listed({node("b")});
  EXPECT_FALSE(book.has("a"));
  EXPECT_TRUE(book.has("b"));
}

}  // namespace
}  // namespace argosy::backends
