// SPDX-License-Identifier: Apache-2.0
// Goal: every kind that get lists can be described, with what its table has no room for. Method:
// the whole command line against a scripted server.
#include <gmock/gmock.h>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class describe_verb : public cli_fixture {};

TEST_F(describe_verb, a_queue_with_its_settings) {
  argosy::v1::ListQueuesResponse all;
  auto& summary = *all.add_queues();
  auto& queue = *summary.mutable_queue();
  queue.set_name("a");
  queue.set_priority_factor(2);
  queue.add_user_owners("ann");
  queue.add_retry_policies("twice");
  auto& permission = *queue.add_permissions();
  permission.add_verbs("cancel");
  auto& subject = *permission.add_subjects();
  subject.set_kind("Group");
  subject.set_name("ops");
  (*(*queue.mutable_resource_limits_by_priority_class_name())["high"]
        .mutable_maximum_resource_fraction())["cpu"] = 0.5;
  summary.set_running(7);
  auto& share = *summary.add_shares();
  share.set_pool("main");
  share.set_fair_share(1.0 / 3);
  share.set_actual_share(0.5);
  share.set_demand_share(0.9);
  auto& other = *all.add_queues();
  other.mutable_queue()->set_name("b");
  other.mutable_queue()->set_priority_factor(1);
  other.add_shares()->set_pool("main");
  server->always("Query.ListQueues", all);
  auto done = run({"describe", "queue", "a"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("Queue           a\n"), HasSubstr("Running         7\n"),
                    HasSubstr("Owners          ann\n"), HasSubstr("Retries         twice\n"),
                    HasSubstr("May             Group ops: cancel\n"), HasSubstr("high: cpu 50"),
                    HasSubstr("Share           pool main: its weight 0.5 of 1.5 among 2 queues "
                              "gives it a fair share of 33.3%; it uses 50.0%, asks for 90.0% and "
                              "has more than its share"),
                    Not(HasSubstr("Queue           b"))));
  done = run({"describe", "queue", "a", "-o", "json"});
  EXPECT_THAT(done.out, HasSubstr("\"name\":\"a\""));
  EXPECT_EQ(run({"describe", "queue", "c"}).code, exit_code::not_found);
  EXPECT_THAT(run({"describe", "queue", "--help"}).out, Not(HasSubstr("--watch")));
  EXPECT_EQ(run({"__complete", "describe", "queue", ""}).out, "a\nb\n");
}

TEST_F(describe_verb, nodes_clusters_and_pools) {
  argosy::v1::ListNodesResponse nodes;
  auto& node = *nodes.add_nodes();
  node.set_name("n1");
  node.set_cluster("east");
  node.set_state("ready");
  (*node.mutable_labels())["zone"] = "x";
  server->always("Query.ListNodes", nodes);
  argosy::v1::ListClustersResponse clusters;
  clusters.add_clusters()->set_name("east");
  server->always("Query.ListClusters", clusters);
  argosy::v1::ListPoolsResponse pools;
  pools.add_pools()->set_name("gpu");
  server->always("Query.ListPools", pools);
  EXPECT_THAT(run({"describe", "node", "east/n1"}).out,
              AllOf(HasSubstr("State       ready\n"), HasSubstr("Labels      zone=x\n")));
  EXPECT_THAT(run({"describe", "cluster", "east"}).out, HasSubstr("Cluster      east\n"));
  EXPECT_THAT(run({"describe", "pool", "gpu"}).out, HasSubstr("Pool        gpu\n"));
}

TEST_F(describe_verb, tells_what_happened_to_a_node_or_cluster) {
  argosy::v1::ListNodesResponse nodes;
  auto& node = *nodes.add_nodes();
  node.set_name("n1");
  node.set_cluster("east");
  server->always("Query.ListNodes", nodes);
  argosy::v1::ListClustersResponse clusters;
  clusters.add_clusters()->set_name("east");
  server->always("Query.ListClusters", clusters);
  argosy::v1::ListClusterEventsResponse known;
  known.set_since_ns(now_ns);
  server->always("Query.ListClusterEvents", known);
  EXPECT_THAT(run({"describe", "node", "n1"}).out,
              HasSubstr("\nNo events since 2023-11-14T22:13:20.000Z\n"));
  const auto add = [&](const char* kind, const char* of, const char* text) {
    auto& event = *known.add_events();
    event.set_time_ns(now_ns + 60'000'000'000 - known.events_size() * 1'000'000'000);
    event.set_kind(kind);
    event.set_node(of);
    event.set_text(text);
  };
  add("cordoned", "n1", "cordoned by ann: its fan is loud");
  add("silent", "", "fell silent: not heard for 16 s");
  server->always("Query.ListClusterEvents", known);
  EXPECT_THAT(run({"describe", "node", "n1"}).out,
              HasSubstr("\nLast events, of those since 2023-11-14T22:13:20.000Z\n"
                        "TIME                      EVENT\n"
                        "2023-11-14T22:14:18.000Z  its cluster: fell silent: not heard for 16 s\n"
                        "2023-11-14T22:14:19.000Z  cordoned by ann: its fan is loud\n"));
  EXPECT_THAT(run({"describe", "cluster", "east"}).out,
              HasSubstr("2023-11-14T22:14:18.000Z  -     fell silent: not heard for 16 s\n"
                        "2023-11-14T22:14:19.000Z  n1    cordoned by ann: its fan is loud\n"));
  EXPECT_THAT(run({"describe", "node", "n1", "-o", "json"}).out,
              AllOf(HasSubstr(R"("name":"n1")"), HasSubstr(R"("lastEvents":{"events":[{)")));
  const auto asked = server->nth<argosy::v1::ListClusterEventsRequest>("Query.ListClusterEvents");
  EXPECT_EQ(asked.cluster() + "/" + asked.node(), "east/n1");
  server->refuse("Query.ListClusterEvents", {ec::invalid_argument, "there is no such method"});
  EXPECT_EQ(run({"describe", "node", "n1"}).code, exit_code::success) << "an older server";
}

TEST_F(describe_verb, retry_policies_and_job_sets) {
  api::RetryPolicyList policies;
  auto& policy = *policies.add_retry_policies();
  policy.set_name("twice");
  policy.set_retry_limit(2);
  server->always("RetryPolicyService.GetRetryPolicies", policies);
  EXPECT_THAT(run({"describe", "retry-policy", "twice"}).out,
              AllOf(HasSubstr("Policy      twice\n"), HasSubstr("Limit       2\n")));
  add_job(job_id(1), api::JobState::RUNNING);
  serve_job_sets();
  EXPECT_THAT(run({"describe", "jobset", "s"}).out, HasSubstr("  s\n"));
}

}  // namespace argosy::ctl
