// SPDX-License-Identifier: Apache-2.0
// Goal: no new work comes to a cluster or node that an operator has cordoned, what runs there goes
// on, and a restart changes nothing of it. Method: the whole control plane in virtual time, with
// agents that follow a script.
#include <gmock/gmock.h>

#include "messages/proto/api/binoculars.pb.h"
#include "messages/proto/api/executor.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;

struct cordons : control_plane_test {
  cordons() {
    start();
    create_queue("q");
  }

  ec send(const std::string& method, const google::protobuf::MessageLite& request) {
    const auto got = call(method, request);
    return got ? ec::none : got.error().code;
  }
  ec cordon_node(const std::string& cluster, const std::string& node, bool on,
                 const std::string& reason = "its fan") {
    v1::CordonNodeRequest request;
    request.set_cluster(cluster);
    request.set_node(node);
    request.set_cordoned(on);
    request.set_reason(reason);
    return send("ClusterService.CordonNode", request);
  }
  ec cordon_cluster(const std::string& cluster, bool on, const std::string& reason = "power") {
    v1::CordonClusterRequest request;
    request.set_name(cluster);
    request.set_cordoned(on);
    request.set_reason(reason);
    return send("ClusterService.CordonCluster", request);
  }
  ec upsert(const std::string& name, bool on, const std::string& reason = "power") {
    api::ExecutorSettingsUpsertRequest request;
    request.set_name(name);
    request.set_cordoned(on);
    request.set_cordonreason(reason);
    return send("Executor.UpsertExecutorSettings", request);
  }
  ec cordon_by_name(const std::string& node) {
    binoculars::CordonRequest request;
    request.set_node_name(node);
    return send("Binoculars.Cordon", request);
  }
  std::string state(const std::string& node) { return nodes().at(node).state(); }
  std::string cordon_of(const std::string& cluster) {
    const auto all = ask<v1::ListClustersResponse>("Query.ListClusters", v1::ListClustersRequest{});
    for (const auto& each : all.clusters())
      if (each.name() == cluster) return each.cordon();
    return "not listed";
  }
};

TEST_F(cordons, a_cordoned_node_keeps_its_run_and_gets_no_other) {
  add_agent("c", {node_of("n1", 8)});
  const auto before = submit("q").at(0);
  pass(2s);
  ASSERT_EQ(job(before).state(), api::RUNNING);
  ASSERT_EQ(cordon_node("c", "n1", true), ec::none);
  const auto later = submit("q").at(0);
  pass(3s);
  EXPECT_EQ(job(before).state(), api::RUNNING);
  EXPECT_EQ(job(later).state(), api::QUEUED);
  EXPECT_EQ(state("c/n1"), "cordoned");
  EXPECT_THAT(nodes().at("c/n1").reason(), ::testing::HasSubstr("its fan"));
  ASSERT_EQ(cordon_node("c", "n1", false), ec::none);
  pass(3s);
  EXPECT_EQ(job(later).state(), api::RUNNING);
}

TEST_F(cordons, outlive_a_restart_and_a_node_that_is_told_anew) {
  auto& agent = add_agent("c", {node_of("n1", 8), node_of("n2", 8)});
  pass(2s);
  ASSERT_EQ(cordon_node("c", "n1", true), ec::none);
  ASSERT_EQ(upsert("d", true), ec::none);
  pass();
  crash();
  start();
  reconnect_agents();
  pass(2s);
  EXPECT_EQ(state("c/n1"), "cordoned");
  EXPECT_EQ(state("c/n2"), "ready");
  agent.hello();
  agent.tell_nodes();
  pass(2s);
  EXPECT_EQ(state("c/n1"), "cordoned");
  add_agent("d", {node_of("m", 8)});
  pass(2s);
  EXPECT_EQ(state("d/m"), "cordoned") << "a cluster may be cordoned before it joins";
  EXPECT_THAT(cordon_of("d"), ::testing::HasSubstr("power"));
}

TEST_F(cordons, of_a_cluster_hold_for_all_its_nodes_and_are_taken_back) {
  add_agent("c", {node_of("n1", 8), node_of("n2", 8)});
  pass(2s);
  ASSERT_EQ(cordon_node("c", "n1", true), ec::none);
  ASSERT_EQ(cordon_cluster("c", true), ec::none);
  pass();
  EXPECT_EQ(state("c/n2"), "cordoned");
  EXPECT_EQ(upsert("c", false, ""), ec::none);
  pass();
  EXPECT_EQ(state("c/n2"), "ready");
  EXPECT_EQ(state("c/n1"), "cordoned") << "its own cordon stays";
  EXPECT_EQ(cordon_of("c"), "");
}

TEST_F(cordons, repeated_change_nothing_and_what_is_not_there_is_refused) {
  add_agent("c", {node_of("n1", 8)});
  pass(2s);
  EXPECT_EQ(cordon_node("c", "n1", true), ec::none);
  pass();
  const auto records = log->info()->last_position;
  EXPECT_EQ(cordon_node("c", "n1", true), ec::none);
  pass();
  EXPECT_EQ(log->info()->last_position, records);
  EXPECT_EQ(cordon_node("c", "other", true), ec::not_found);
  EXPECT_EQ(cordon_node("c", "other", false), ec::not_found);
  EXPECT_EQ(cordon_node("c", "n1", false), ec::none);
  EXPECT_EQ(cordon_node("c", "n1", false), ec::none) << "it is not cordoned";
  EXPECT_EQ(cordon_node("nowhere", "n1", true), ec::not_found);
  EXPECT_EQ(cordon_cluster("nowhere", true), ec::not_found);
  EXPECT_EQ(cordon_cluster("", true), ec::invalid_argument);
  EXPECT_EQ(cordon_node("c", "", true), ec::invalid_argument);
  EXPECT_EQ(cordon_node("c", "n1", true, std::string(1'025, 'x')), ec::invalid_argument);
}

TEST_F(cordons, armadas_methods_say_what_is_missing) {
  EXPECT_EQ(upsert("", true), ec::invalid_argument);
  EXPECT_EQ(upsert("c", true, ""), ec::invalid_argument) << "a reason is needed";
  EXPECT_EQ(upsert("No Name", true), ec::invalid_argument);
  EXPECT_EQ(upsert("nowhere", false, ""), ec::none);
  api::ExecutorSettingsDeleteRequest settings;
  EXPECT_EQ(send("Executor.DeleteExecutorSettings", settings), ec::invalid_argument);
  settings.set_name("nowhere");
  EXPECT_EQ(send("Executor.DeleteExecutorSettings", settings), ec::none);
  api::ExecutorDeleteRequest executor;
  EXPECT_EQ(send("Executor.DeleteExecutor", executor), ec::invalid_argument);
  executor.set_name("nowhere");
  EXPECT_EQ(send("Executor.DeleteExecutor", executor), ec::none);
  add_agent("c", {node_of("n1", 8)});
  pass(2s);
  executor.set_name("c");
  EXPECT_EQ(send("Executor.DeleteExecutor", executor), ec::conflict) << "its agent is connected";
}

TEST_F(cordons, binoculars_finds_the_cluster_of_a_node) {
  add_agent("c", {node_of("n1", 8), node_of("both", 8)});
  add_agent("d", {node_of("both", 8)});
  pass(2s);
  EXPECT_EQ(cordon_by_name("n1"), ec::none);
  pass();
  EXPECT_EQ(state("c/n1"), "cordoned");
  EXPECT_EQ(cordon_by_name("both"), ec::invalid_argument);
  EXPECT_EQ(cordon_by_name("d/both"), ec::none);
  EXPECT_EQ(cordon_by_name("c/other"), ec::not_found);
  EXPECT_EQ(cordon_by_name(""), ec::invalid_argument);
}

}  // namespace argosy::tests
