// SPDX-License-Identifier: Apache-2.0
// Goal: a cluster is forgotten only by somebody who has said that he means it, a node is released
// under a name that names one node, and what is drained takes no work and ends what it may. Method:
// the whole command line against a scripted server; the requests it received.
#include <array>
#include <utility>

#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/node.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using argosy::v1::ForgetClusterRequest;
using argosy::v1::ReleaseNodeRequest;
using ::testing::HasSubstr;

class cluster_verb : public cli_fixture {
 protected:
  void serve(std::uint32_t runs) {
    argosy::v1::ForgetClusterResponse response;
    response.set_runs(runs);
    server->always(method, response);
  }

  static constexpr auto method = "ClusterService.ForgetCluster";
};

TEST_F(cluster_verb, forgets_a_cluster) {
  serve(3);
  const auto done = run({"cluster", "forget", "east", "--reason", "it burnt", "--yes"});
  EXPECT_EQ(done.code, exit_code::success);
  EXPECT_EQ(done.out, "cluster/east forgotten, 3 runs count as stopped\n");
  const auto sent = server->nth<ForgetClusterRequest>(method, 0);
  EXPECT_EQ(sent.name(), "east");
  EXPECT_EQ(sent.reason(), "it burnt");
}

TEST_F(cluster_verb, asks_for_a_yes_before_it_forgets) {
  serve(3);
  const auto done = run({"cluster", "forget", "east"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("repeat this with --yes"));
  EXPECT_EQ(server->calls(method), 0U);
}

class node_verb : public cli_fixture {
 protected:
  void SetUp() override {
    cli_fixture::SetUp();
    server->on<argosy::v1::ListNodesRequest, argosy::v1::ListNodesResponse>(
        "Query.ListNodes", [](const auto& request) -> result<argosy::v1::ListNodesResponse> {
          argosy::v1::ListNodesResponse out;
          for (const auto& [cluster, name] : nodes)
            if (request.cluster().empty() || request.cluster() == cluster) {
              auto& node = *out.add_nodes();
              node.set_cluster(cluster);
              node.set_name(name);
            }
          return out;
        });
    server->always(method, argosy::v1::ReleaseNodeResponse{});
  }

  static constexpr std::array<std::pair<const char*, const char*>, 3> nodes{
      {{"east", "n1"}, {"west", "n1"}, {"west", "n2"}}};
  static constexpr auto method = "ClusterService.ReleaseNode";
};

TEST_F(node_verb, releases_a_node_that_one_cluster_has) {
  const auto done = run({"node", "release", "n2", "--reason", "mended"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "node/west/n2 released\n");
  const auto sent = server->nth<ReleaseNodeRequest>(method, 0);
  EXPECT_EQ(sent.cluster(), "west");
  EXPECT_EQ(sent.node(), "n2");
  EXPECT_EQ(sent.reason(), "mended");
}

TEST_F(node_verb, takes_the_cluster_as_a_flag_or_in_the_name) {
  EXPECT_EQ(run({"node", "release", "n1", "--cluster", "east"}).out, "node/east/n1 released\n");
  EXPECT_EQ(run({"node", "release", "west/n1", "-o", "name"}).out, "node/west/n1\n");
  EXPECT_EQ(server->nth<ReleaseNodeRequest>(method, 0).cluster(), "east");
  EXPECT_EQ(server->nth<ReleaseNodeRequest>(method, 1).cluster(), "west");
}

TEST_F(node_verb, refuses_a_name_that_several_clusters_have) {
  const auto done = run({"node", "release", "n1"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("several clusters have a node 'n1': east, west; say which one "
                                  "with --cluster"));
  const auto both = run({"node", "release", "west/n1", "--cluster", "east"});
  EXPECT_EQ(both.code, exit_code::usage);
  EXPECT_THAT(both.err, HasSubstr("is not of cluster 'east'"));
  EXPECT_EQ(server->calls(method), 0U);
}

TEST_F(node_verb, names_the_closest_node_if_there_is_no_such) {
  const auto done = run({"node", "release", "west/n22"});
  EXPECT_EQ(done.code, exit_code::not_found);
  EXPECT_THAT(done.err, HasSubstr("west/n2"));
}

TEST_F(node_verb, says_that_a_node_is_not_quarantined) {
  server->on<ReleaseNodeRequest, argosy::v1::ReleaseNodeResponse>(
      method, [](const auto&) -> result<argosy::v1::ReleaseNodeResponse> {
        return fail(ec::conflict, "node 'west/n2' is not quarantined");
      });
  const auto done = run({"node", "release", "n2"});
  EXPECT_EQ(done.code, exit_code::conflict);
  EXPECT_THAT(done.err, HasSubstr("is not quarantined"));
}

/// Nodes west/n2 and west/n3, whose runs end one after the other.
class drain_verb : public cli_fixture {
 protected:
  void SetUp() override {
    cli_fixture::SetUp();
    server->on<argosy::v1::ListNodesRequest, argosy::v1::ListNodesResponse>(
        "Query.ListNodes", [this](const auto&) -> result<argosy::v1::ListNodesResponse> {
          argosy::v1::ListNodesResponse out;
          for (const auto* name : {"n2", "n3"}) {
            auto& node = *out.add_nodes();
            node.set_cluster("west");
            node.set_name(name);
            node.set_runs(runs);
          }
          if (ends && runs > 0) --runs;
          return out;
        });
    argosy::v1::ListQueuesResponse queues;
    queues.add_queues()->mutable_queue()->set_name("a");
    queues.add_queues()->mutable_queue()->set_name("b");
    server->always("Query.ListQueues", queues);
    server->always("ClusterService.CordonNode", argosy::v1::CordonNodeResponse{});
    server->always("ClusterService.CordonCluster", argosy::v1::CordonClusterResponse{});
    server->always("Node.PreemptOnNode", google::protobuf::Empty{});
    server->always("Executor.PreemptOnExecutor", google::protobuf::Empty{});
  }

  std::uint32_t runs = 2;
  bool ends = true;
};

TEST_F(drain_verb, cordons_preempts_and_waits_until_nothing_runs) {
  const auto done = run({"node", "drain", "n2", "--reason", "new disk"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "node/west/n2 drained\n");
  EXPECT_THAT(done.err, HasSubstr("node/west/n2: 1 run left"));
  const auto cordon = server->nth<argosy::v1::CordonNodeRequest>("ClusterService.CordonNode", 0);
  EXPECT_TRUE(cordon.cordoned());
  EXPECT_EQ(cordon.reason(), "new disk");
  const auto ended = server->nth<api::NodePreemptRequest>("Node.PreemptOnNode", 0);
  EXPECT_EQ(ended.executor(), "west");
  EXPECT_EQ(ended.name(), "n2");
  EXPECT_EQ(ended.queues_size(), 2) << "an empty list would mean no queue";
}

TEST_F(drain_verb, counts_all_nodes_of_a_cluster) {
  const auto done = run({"cluster", "drain", "west"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "cluster/west drained\n");
  EXPECT_THAT(done.err, HasSubstr("cluster/west: 4 runs left"));
  EXPECT_EQ(server->calls("Executor.PreemptOnExecutor"), 1U);
}

TEST_F(drain_verb, ends_nothing_early_when_told_so_and_says_how_to_go_on) {
  ends = false;
  const auto done = run({"node", "drain", "n2", "--no-preempt", "--timeout", "1ms"});
  EXPECT_EQ(done.code, exit_code::timed_out);
  EXPECT_THAT(done.err, HasSubstr("stays cordoned with 2 runs; the same command goes on waiting"));
  EXPECT_EQ(server->calls("Node.PreemptOnNode"), 0U);
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

class retry_policy_verb : public cli_fixture {
 protected:
  void SetUp() override {
    cli_fixture::SetUp();
    api::RetryPolicyList list;
    auto& policy = *list.add_retry_policies();
    policy.set_name("twice");
    policy.set_retry_limit(2);
    policy.set_default_action(api::RETRY_ACTION_FAIL);
    auto& rule = *policy.add_rules();
    rule.set_on_category("oom");
    rule.set_action(api::RETRY_ACTION_RETRY);
    server->always("RetryPolicyService.GetRetryPolicies", list);
    server->always("RetryPolicyService.GetRetryPolicy", policy);
    for (const auto* method : {"Create", "Update", "Delete"})
      server->always(std::string{"RetryPolicyService."} + method + "RetryPolicy",
                     google::protobuf::Empty{});
  }
  static constexpr auto file = "kind: RetryPolicy\nname: p\nretryLimit: 1\ndefaultAction: Retry\n";
};

TEST_F(retry_policy_verb, creates_updates_and_deletes) {
  EXPECT_EQ(run({"retry-policy", "create", "-f", "-"}, file).out, "retry-policy/p created\n");
  EXPECT_EQ(run({"update", "retry-policy", "-f", "-"}, file).out, "retry-policy/p updated\n");
  EXPECT_EQ(run({"delete", "retry-policy", "twice"}).out, "retry-policy/twice deleted\n");
  const auto sent = server->nth<api::RetryPolicy>("RetryPolicyService.CreateRetryPolicy", 0);
  EXPECT_EQ(sent.default_action(), api::RETRY_ACTION_RETRY);
  EXPECT_EQ(sent.retry_limit(), 1U);
}

TEST_F(retry_policy_verb, only_checks_a_dry_run_and_refuses_what_is_no_policy) {
  EXPECT_EQ(run({"retry-policy", "create", "-f", "-", "--dry-run"}, file).code, exit_code::success);
  EXPECT_EQ(run({"retry-policy", "create", "-f", "-"}, "kind: Queue\n").code, exit_code::usage);
  EXPECT_EQ(run({"retry-policy", "create", "-f", "-"}, "").code, exit_code::usage);
  EXPECT_EQ(server->calls("RetryPolicyService.CreateRetryPolicy"), 0U);
}

TEST_F(retry_policy_verb, lists) {
  const auto done = run({"get", "retry-policies"});
  EXPECT_THAT(done.out, HasSubstr("twice"));
  EXPECT_THAT(done.out, HasSubstr("oom: retry"));
  EXPECT_EQ(run({"get", "retry-policy", "twice", "-o", "name"}).out, "retry-policy/twice\n");
}

}  // namespace argosy::ctl
