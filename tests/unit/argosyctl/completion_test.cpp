// SPDX-License-Identifier: Apache-2.0
// Goal: words are completed alike in every shell. Method: the scripts are printed, and the hidden
// verb that they ask is called with words as each shell hands them over.
#include <gmock/gmock.h>

#include "messages/proto/argosy/operations.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using ::testing::HasSubstr;

class completion : public cli_fixture {};

TEST_F(completion, completes_verbs_flags_and_live_names) {
  EXPECT_EQ(run({"__complete", "wat"}).out, "watch\n");
  EXPECT_EQ(run({"__complete", "get", "no"}).out, "nodes\n");
  EXPECT_EQ(run({"__complete", "wait", "--ti"}).out, "--timeout\n");
  EXPECT_EQ(run({"__complete", "wait", "--for", "s"}).out, "scheduled\nsucceeded\n");
  EXPECT_EQ(run({"__complete", "get", "jobs", "-o", "j"}).out, "json\njsonl\n");
  EXPECT_EQ(run({"__complete", "get", "jobs", "-o", "c"}).out, "csv\ncols=\n");
  EXPECT_EQ(run({"__complete", "sta"}).out, "status\n");
  argosy::v1::ListQueuesResponse queues;
  queues.add_queues()->mutable_queue()->set_name("ml");
  queues.add_queues()->mutable_queue()->set_name("web");
  server->always("Query.ListQueues", queues);
  EXPECT_EQ(run({"__complete", "get", "jobs", "-q", ""}).out, "ml\nweb\n");
  EXPECT_EQ(run({"__complete", "queue", "delete", "m"}).out, "ml\n");
  EXPECT_EQ(run({"__complete", "auth", ""}).out, "can-i\n");
  EXPECT_EQ(run({"__complete", "auth", "can-i", "sub"}).out, "submit\nsubmit_any_jobs\n");
  EXPECT_EQ(run({"__complete", "auth", "can-i", "submit", ""}).out, "ml\nweb\n");
  argosy::v1::ListJobSetsResponse sets;
  sets.add_job_sets()->set_job_set("nightly");
  server->always("Query.ListJobSets", sets);
  EXPECT_EQ(run({"__complete", "cancel", "--jobset", "n"}).out, "nightly\n");
  EXPECT_EQ(run({"__complete", "queue", "create", "-f", "x"}).out, ":files\n");
  add_job(job_id(1), api::JobState::QUEUED);
  serve_jobs();
  EXPECT_EQ(run({"__complete", "describe", "job", "01k"}).out, job_id(1) + "\n");
  EXPECT_EQ(run({"__complete", "describe", "01k"}).out, job_id(1) + "\n");
  EXPECT_EQ(run({"__complete", "cancel", "--jobset", "=", "n"}).out, "nightly\n");
  EXPECT_EQ(run({"__complete", "cancel", "--queue", "="}).out, "ml\nweb\n");
  EXPECT_EQ(run({"__complete", "get", "jobs", "--state", "queued,ru"}).out, "queued,running\n");
}

TEST_F(completion, completes_the_names_of_every_kind) {
  argosy::v1::ListNodesResponse nodes;
  nodes.add_nodes()->set_cluster("east");
  nodes.mutable_nodes(0)->set_name("n7");
  server->always("Query.ListNodes", nodes);
  argosy::v1::ListClustersResponse clusters;
  clusters.add_clusters()->set_name("east");
  server->always("Query.ListClusters", clusters);
  argosy::v1::ListPoolsResponse pools;
  pools.add_pools()->set_name("gpu");
  server->always("Query.ListPools", pools);
  argosy::v1::ListOperationsResponse operations;
  operations.add_operations()->set_id("01k9operation");
  server->always("Query.ListOperations", operations);
  api::RetryPolicyList policies;
  policies.add_retry_policies()->set_name("twice");
  server->always("RetryPolicyService.GetRetryPolicies", policies);
  EXPECT_EQ(run({"__complete", "describe", "node", "ea"}).out, "east/n7\n");
  EXPECT_EQ(run({"__complete", "node", "drain", ""}).out, "east/n7\n");
  EXPECT_EQ(run({"__complete", "node", "release", ""}).out, "east/n7\n");
  EXPECT_EQ(run({"__complete", "get", "jobs", "--node", ""}).out, "east/n7\n");
  EXPECT_EQ(run({"__complete", "describe", "cluster", ""}).out, "east\n");
  EXPECT_EQ(run({"__complete", "cluster", "cordon", ""}).out, "east\n");
  EXPECT_EQ(run({"__complete", "get", "nodes", "--cluster", ""}).out, "east\n");
  EXPECT_EQ(run({"__complete", "describe", "pool", "g"}).out, "gpu\n");
  EXPECT_EQ(run({"__complete", "describe", "operation", "01"}).out, "01k9operation\n");
  EXPECT_EQ(run({"__complete", "describe", "retry-policy", ""}).out, "twice\n");
  EXPECT_EQ(run({"__complete", "retry-policy", "delete", "x"}).out, "");
}

TEST_F(completion, never_fails) {
  connection = fail(ec::unreachable, "nobody is there");
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"__complete"}, {"__complete", "cancel", ""}, {"__complete", "get", "jobs", "-q", ""}}) {
    const auto got = run(words);
    EXPECT_EQ(got.code, exit_code::success);
    EXPECT_EQ(got.err, "");
  }
}

TEST_F(completion, has_a_script_for_each_shell) {
  for (const auto* const shell : {"bash", "zsh", "fish"}) {
    const auto script = run({"completion", shell});
    EXPECT_EQ(script.code, exit_code::success);
    EXPECT_THAT(script.out, HasSubstr("__complete"));
    EXPECT_THAT(script.out, HasSubstr(":files"));
    EXPECT_THAT(run({"completion", shell, "--help"}).out, HasSubstr(shell));
  }
  EXPECT_EQ(run({"__complete", "completion", ""}).out, "bash\nzsh\nfish\n");
}

TEST_F(completion, takes_a_flag_and_its_value_as_one_word) {
  EXPECT_EQ(run({"__complete", "wait", "--for=su"}).out, "--for=succeeded\n");
  EXPECT_EQ(run({"__complete", "queue", "create", "--file=x"}).out, ":files\n");
  EXPECT_EQ(run({"__complete", "wait", "--no-such=x"}).out, "");
}

}  // namespace argosy::ctl
