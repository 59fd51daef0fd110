// SPDX-License-Identifier: Apache-2.0
// Goal: of a cluster that is gone nothing stays, neither actors nor records, and every replica lets
// go of the same.
// Method: a control plane in virtual time with short retention; tables and actors are counted; a
// second store is rebuilt from the log and compared.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "runtime/store/scan.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using store::table;
using namespace std::chrono_literals;

struct let_go : control_plane_test {
  using entries = std::map<std::string, std::string>;

  let_go() { begin(); }

  /// Begins with events kept for 60 s, ended jobs for 120 s, client ids for 180 s, and clusters
  /// that have left for 10 minutes.
  void begin() {
    rules.queue_rules.client_id_retention_ns = std::chrono::nanoseconds{180s}.count();
    rules.cluster_rules.left_kept = 10min;
    start([](actors::root_config& with) {
      with.retention.events = 60s;
      with.retention.jobs = 120s;
      with.retention.client_ids = 180s;
    });
  }

  entries all(table in) {
    entries out;
    auto txn = database->begin_read();
    EXPECT_TRUE(store::scan(**txn, in, {}, [&](const store::entry& entry) {
      out.emplace(entry.key, entry.value);
      return true;
    }));
    return out;
  }
  std::map<std::string, std::size_t> actors_by_type() {
    std::map<std::string, std::size_t> out;
    for (const auto& actor : trace::live_actors(system)) ++out[actor.type];
    return out;
  }
  /// The agent falls silent and the operator forgets its cluster.
  void forget(scripted_agent& agent) {
    agent->silent = true;
    pass(20s);
    v1::ForgetClusterRequest request;
    request.set_name(agent->cluster.name);
    const auto done = call("ClusterService.ForgetCluster", request);
    ASSERT_TRUE(done) << done.error().detail;
    agent.kill();
    std::erase_if(agents, [&](const auto& one) { return &one == &agent; });
  }
};

namespace {

TEST_F(let_go, a_cluster_that_was_forgotten_leaves_nothing) {
  const auto before = actors_by_type();
  auto& agent = add_agent("c", {node_of("n", 4)});
  ASSERT_EQ(all(table::clusters).size(), 1U);
  forget(agent);
  pass(9min);
  EXPECT_EQ(all(table::clusters).size(), 1U);
  pass(2min);
  EXPECT_TRUE(all(table::clusters).empty());
  pass(2min);
  EXPECT_EQ(actors_by_type(), before);
  EXPECT_TRUE(failures.empty());
}

TEST_F(let_go, a_cluster_that_left_goes_after_a_while) {
  const auto before = actors_by_type();
  auto& agent = add_agent("c", {node_of("n", 4)});
  agent.goodbye();
  pass(9min);
  EXPECT_EQ(all(table::clusters).size(), 1U);
  agent.hello();
  pass(2min);
  EXPECT_EQ(nodes().size(), 1U) << "it came back in time";
  agent.goodbye();
  pass(11min);
  EXPECT_TRUE(all(table::clusters).empty());
  const auto listed =
      ask<v1::ListClustersResponse>("Query.ListClusters", v1::ListClustersRequest{});
  EXPECT_EQ(listed.clusters_size(), 0);
  agent.kill();
  agents.clear();
  pass(2min);
  EXPECT_EQ(actors_by_type(), before);
}

TEST_F(let_go, a_cluster_is_let_go_of_by_every_leader_and_every_rebuilt_store) {
  auto& agent = add_agent("c", {node_of("n", 4)});
  agent.goodbye();
  pass(5min);
  agent.kill();
  agents.clear();
  forget(add_agent("d", {node_of("n", 4)}));
  crash();
  begin();
  EXPECT_EQ(all(table::clusters).size(), 2U);
  pass(5min);
  EXPECT_EQ(all(table::clusters).size(), 1U) << "the time goes on from when it left";
  pass(5min);
  EXPECT_TRUE(all(table::clusters).empty());
  add_agent("e", {node_of("n", 4)});
  stop();
  const auto kept = all(table::clusters);
  EXPECT_EQ(kept.size(), 1U);
  database = std::make_shared<store::memory_database>();
  ASSERT_TRUE(recover_state());
  EXPECT_EQ(all(table::clusters), kept);
}

}  // namespace
}  // namespace argosy::tests
