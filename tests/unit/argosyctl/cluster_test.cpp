// SPDX-License-Identifier: Apache-2.0
// Goal: a cluster is forgotten only by somebody who has said that he means it, a node is released
// under a name that names one node, and retry policies are made and listed. Method: the whole
// command line against a scripted server; the requests it received.
#include <array>
#include <utility>

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

TEST_F(node_verb, takes_names_as_get_prints_them) {
  EXPECT_EQ(run({"get", "nodes", "node/west/n2", "-o", "name"}).out, "node/west/n2\n");
  EXPECT_EQ(run({"node", "release", "node/west/n2"}).out, "node/west/n2 released\n");
  server->always("ClusterService.CordonNode", argosy::v1::CordonNodeResponse{});
  EXPECT_EQ(run({"node", "cordon", "node/west/n2"}).out, "node/west/n2 cordoned\n");
  server->always("ClusterService.CordonCluster", argosy::v1::CordonClusterResponse{});
  EXPECT_EQ(run({"cluster", "cordon", "cluster/west"}).out, "cluster/west cordoned\n");
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
