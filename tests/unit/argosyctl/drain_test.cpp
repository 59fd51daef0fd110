// SPDX-License-Identifier: Apache-2.0
// Goal: cordons and drains are asked for as the words say, a drain is followed until it ends, and
// all lists tell how far it is. Method: the whole command line against a scripted server; the
// requests it received.
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using argosy::v1::DrainRequest;
using ::testing::HasSubstr;

/// A server that drains nodes west/n2 and west/n3, whose runs end one after the other.
class drain_verb : public cli_fixture {
 protected:
  void SetUp() override {
    cli_fixture::SetUp();
    argosy::v1::ListNodesResponse nodes;
    for (const auto* name : {"n2", "n3"}) {
      auto& node = *nodes.add_nodes();
      node.set_cluster("west");
      node.set_name(name);
    }
    server->always("Query.ListNodes", nodes);
    drain.set_id("01k9x2");
    drain.set_kind("drain");
    drain.set_state("running");
    drain.set_by("ann");
    drain.set_total(2);
    server->on<DrainRequest, argosy::v1::DrainResponse>(
        "ClusterService.Drain", [this](const auto&) -> result<argosy::v1::DrainResponse> {
          argosy::v1::DrainResponse out;
          *out.mutable_operation() = drain;
          out.set_joined(joined);
          return out;
        });
    server->on<argosy::v1::ListOperationsRequest, argosy::v1::ListOperationsResponse>(
        "Query.ListOperations",
        [this](const auto& request) -> result<argosy::v1::ListOperationsResponse> {
          if (ends) drain.set_done(drain.done() + 1);
          if (drain.done() == drain.total()) drain.set_state("done");
          argosy::v1::ListOperationsResponse out;
          if (drain.id().starts_with(request.id())) *out.add_operations() = drain;
          return out;
        });
    server->on<argosy::v1::StopDrainRequest, argosy::v1::StopDrainResponse>(
        "ClusterService.StopDrain", [this](const auto&) -> result<argosy::v1::StopDrainResponse> {
          argosy::v1::StopDrainResponse out;
          *out.mutable_operation() = drain;
          return out;
        });
    server->always("ClusterService.CordonNode", argosy::v1::CordonNodeResponse{});
    server->always("ClusterService.CordonCluster", argosy::v1::CordonClusterResponse{});
  }
  DrainRequest sent() const { return server->nth<DrainRequest>("ClusterService.Drain", 0); }

  argosy::v1::Operation drain;
  bool ends = true;
  bool joined = false;
};

TEST_F(drain_verb, has_the_server_drain_and_tells_how_far_it_is) {
  const auto done = run({"node", "drain", "n2", "--reason", "new disk"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "node/west/n2 drained\n");
  EXPECT_THAT(done.err, HasSubstr("node/west/n2: 2 runs left"));
  EXPECT_THAT(done.err, HasSubstr("node/west/n2: 1 of 2 runs left"));
  EXPECT_EQ(sent().cluster(), "west");
  EXPECT_EQ(sent().node(), "n2");
  EXPECT_EQ(sent().reason(), "new disk");
  EXPECT_FALSE(sent().keep_runs());
  EXPECT_EQ(sent().deadline_after_ns(), 0);
}

TEST_F(drain_verb, drains_a_whole_cluster) {
  const auto done = run({"cluster", "drain", "west", "--deadline", "90s"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "cluster/west drained\n");
  EXPECT_EQ(sent().node(), "");
  EXPECT_EQ(sent().deadline_after_ns(), 90'000'000'000);
}

TEST_F(drain_verb, that_is_detached_leaves_it_to_the_server) {
  const auto done = run({"node", "drain", "n2", "--detach"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "node/west/n2 is draining, 2 runs left: operation/01k9x2\n");
  EXPECT_EQ(run({"node", "drain", "n2", "--detach", "-o", "name"}).out, "operation/01k9x2\n");
  EXPECT_EQ(server->calls("Query.ListOperations"), 0U);
}

TEST_F(drain_verb, that_stops_waiting_says_how_to_go_on) {
  ends = false;
  joined = true;
  const auto done = run({"node", "drain", "n2", "--no-preempt", "--timeout", "1ms"});
  EXPECT_EQ(done.code, exit_code::timed_out);
  EXPECT_THAT(done.err, HasSubstr("a drain by ann goes on already; this joins it"));
  EXPECT_THAT(done.err, HasSubstr("the server goes on draining node/west/n2; the same command "
                                  "waits for it again, --stop or uncordon ends it"));
  EXPECT_TRUE(sent().keep_runs());
}

TEST_F(drain_verb, tells_that_somebody_else_stopped_the_drain) {
  drain.set_state("stopped");
  drain.set_detail("uncordoned by bob");
  const auto done = run({"node", "drain", "n2"});
  EXPECT_EQ(done.code, exit_code::conflict);
  EXPECT_THAT(done.err, HasSubstr("the drain of node/west/n2 was stopped: uncordoned by bob"));
}

TEST_F(drain_verb, stops_a_drain_and_refuses_what_makes_no_sense) {
  drain.set_done(1);
  EXPECT_EQ(run({"node", "drain", "n2", "--stop"}).out,
            "the drain of node/west/n2 is stopped, 1 of 2 runs left; it stays cordoned\n");
  EXPECT_EQ(server->nth<argosy::v1::StopDrainRequest>("ClusterService.StopDrain", 0).node(), "n2");
  EXPECT_EQ(run({"node", "drain", "n2", "--stop", "--detach"}).code, exit_code::usage);
  EXPECT_EQ(run({"node", "drain", "n2", "--deadline", "soon"}).code, exit_code::usage);
  EXPECT_EQ(run({"node", "drain", "n2", "--deadline", "0s"}).code, exit_code::usage);
  EXPECT_EQ(server->calls("ClusterService.Drain"), 0U);
}

TEST_F(drain_verb, is_shown_with_nodes_clusters_and_operations) {
  ends = false;
  drain.set_cluster("west");
  drain.set_node("n2");
  drain.set_total(17);
  drain.set_done(14);
  argosy::v1::ListNodesResponse nodes;
  auto& node = *nodes.add_nodes();
  node.set_cluster("west");
  node.set_name("n2");
  node.set_state("cordoned");
  *node.mutable_drain() = drain;
  server->always("Query.ListNodes", nodes);
  argosy::v1::ListClustersResponse clusters;
  auto& cluster = *clusters.add_clusters();
  cluster.set_name("west");
  cluster.set_state("connected");
  cluster.set_cordon("cordoned by ann");
  *cluster.mutable_drain() = drain;
  server->always("Query.ListClusters", clusters);
  EXPECT_THAT(run({"get", "nodes"}).out, HasSubstr("draining, 3 of 17 runs left"));
  EXPECT_THAT(run({"describe", "node", "n2"}).out, HasSubstr("draining, 3 of 17 runs left"));
  EXPECT_THAT(run({"get", "clusters"}).out, HasSubstr("connected, draining, 3 of 17 runs left"));
  const auto listed = run({"get", "operations"}).out;
  EXPECT_THAT(listed, HasSubstr("01k9x2"));
  EXPECT_THAT(listed, HasSubstr("node/west/n2"));
  EXPECT_THAT(listed, HasSubstr("14/17"));
  EXPECT_EQ(run({"get", "operations", "01k", "-o", "name"}).out, "operation/01k9x2\n");
  EXPECT_THAT(run({"describe", "operation", "01k9x2"}).out, HasSubstr("running"));
  EXPECT_EQ(run({"describe", "operation", "02"}).code, exit_code::not_found);
}

TEST_F(drain_verb, is_taken_back_by_uncordon) {
  EXPECT_EQ(run({"node", "uncordon", "west/n2"}).out, "node/west/n2 uncordoned\n");
  EXPECT_EQ(run({"cluster", "cordon", "west", "--reason", "power"}).out, "cluster/west cordoned\n");
  EXPECT_FALSE(
      server->nth<argosy::v1::CordonNodeRequest>("ClusterService.CordonNode", 0).cordoned());
  EXPECT_EQ(
      server->nth<argosy::v1::CordonClusterRequest>("ClusterService.CordonCluster", 0).reason(),
      "power");
}

TEST_F(drain_verb, is_understood_in_armadactls_spelling) {
  EXPECT_EQ(run({"cordon", "executor", "west", "the power"}).out, "cluster/west cordoned\n");
  EXPECT_EQ(run({"uncordon", "executor", "west"}).out, "cluster/west uncordoned\n");
  const auto first =
      server->nth<argosy::v1::CordonClusterRequest>("ClusterService.CordonCluster", 0);
  EXPECT_EQ(first.reason(), "the power");
  EXPECT_EQ(run({"cordon", "node", "west/n2", "--reason", "x"}).out, "node/west/n2 cordoned\n");
  EXPECT_EQ(run({"drain", "node", "west/n2"}).out, "node/west/n2 drained\n");
}

}  // namespace argosy::ctl
