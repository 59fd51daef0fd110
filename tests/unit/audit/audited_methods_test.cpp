// SPDX-License-Identifier: Apache-2.0
// Goal: a record says what a request is about and does not repeat it, and each method of the API is
// known to change something or not. Method: requests as bytes, and what is said of them.
#include "messages/codec/audit/audited_methods.hpp"

#include <gmock/gmock.h>

#include "messages/codec/api/method_list.hpp"
#include "messages/proto/api/binoculars.pb.h"
#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/node.pb.h"
#include "messages/proto/argosy/diag.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::codec {
namespace {

using model::call_recorded;

call_recorded described(const std::string& method, const google::protobuf::MessageLite& request) {
  call_recorded out;
  out.method = method;
  describe_request(request.SerializeAsString(), out);
  return out;
}

/// What is said besides the names.
std::string words(const std::string& method, const google::protobuf::MessageLite& request) {
  return described(method, request).summary;
}

TEST(audited_methods, know_every_method_that_transports_serve) {
  for (const auto& method : api_methods()) {
    // Its messages are for agents of Armada's, which the GATEWAY does not serve.
    if (method.name.starts_with("ExecutorApi.")) continue;
    EXPECT_NE(effect_of(method.name), call_effect::unlisted)
        << method.name << ": say in runtime/access/methods.cpp whether it changes something";
  }
}

TEST(audited_methods, record_what_changes_something_and_what_is_unlisted) {
  EXPECT_TRUE(is_audited("Submit.SubmitJobs", ""));
  EXPECT_FALSE(is_audited("Submit.SubmitJobs", "check"));
  EXPECT_TRUE(is_audited("Submit.CreateQueue", "create"));
  EXPECT_FALSE(is_audited("Query.ListJobs", ""));
  EXPECT_TRUE(is_audited("New.Method", ""));
  call_recorded call;
  call.method = "New.Method";
  describe_request("some bytes", call);
  EXPECT_EQ(call, (call_recorded{.method = "New.Method"}));
}

TEST(audited_methods, record_what_shows_output_and_do_not_call_it_a_change) {
  for (const auto* method : {"Logs.Read", "Binoculars.Logs", "Diag.ReadLines"}) {
    EXPECT_TRUE(is_audited(method, "")) << method;
    EXPECT_FALSE(may_change(method, "")) << method;
  }
  EXPECT_TRUE(may_change("Submit.SubmitJobs", ""));
  EXPECT_FALSE(may_change("Submit.SubmitJobs", "check"));
  EXPECT_FALSE(may_change("Query.ListJobs", ""));
  EXPECT_TRUE(may_change("New.Method", ""));
  v1::ReadLogRequest request;
  request.set_job_id("01k9");
  request.set_offset(70);
  EXPECT_EQ(words("Logs.Read", request), "job 01k9") << "the same at each offset";
  binoculars::LogRequest other;
  other.set_job_id("01k9");
  EXPECT_EQ(words("Binoculars.Logs", other), "job 01k9");
}

TEST(audited_methods, name_the_settings_that_change) {
  v1::UpdateSettingsRequest request;
  auto* key = request.add_set();
  key->set_name("scheduling.maxNewDecisions");
  key->set_value("7");
  request.add_unset("scheduling.pools.gpu");
  request.set_dry_run(true);
  EXPECT_EQ(words("Settings.Update", request),
            "set scheduling.maxNewDecisions: 7, unset scheduling.pools.gpu, dry run");
  EXPECT_TRUE(is_audited("Settings.Update", ""));
  EXPECT_FALSE(is_audited("Settings.Get", ""));
}

TEST(audited_methods, count_the_jobs_of_a_submission_without_reading_them) {
  api::JobSubmitRequest request;
  request.set_queue("q");
  request.set_job_set_id("s");
  for (int i = 0; i < 3; ++i) request.add_job_request_items()->set_client_id("secret");
  const auto call = described("Submit.SubmitJobs", request);
  EXPECT_EQ(call.queue, "q");
  EXPECT_EQ(call.job_set, "s");
  EXPECT_EQ(call.jobs, 3U);
  EXPECT_EQ(call.summary, "");
  auto cut = request.SerializeAsString();
  cut.resize(cut.size() - 2);
  call_recorded broken;
  broken.method = "Submit.SubmitJobs";
  describe_request(cut, broken);
  EXPECT_EQ(broken.jobs, 2U) << "what is damaged is described as far as it goes";
}

TEST(audited_methods, say_which_jobs_are_meant) {
  api::JobCancelRequest cancel;
  cancel.set_queue("q");
  cancel.set_job_set_id("s");
  cancel.add_job_ids("1");
  cancel.add_job_ids("2");
  cancel.set_job_id("3");
  cancel.set_reason("wrong data");
  auto call = described("Submit.CancelJobs", cancel);
  EXPECT_EQ(call.queue, "q");
  EXPECT_EQ(call.job_set, "s");
  EXPECT_EQ(call.jobs, 3U);
  EXPECT_EQ(call.summary, "reason: wrong data");

  api::JobSetCancelRequest set;
  set.set_queue("q");
  set.mutable_filter()->add_states(api::QUEUED);
  set.set_reason("r");
  EXPECT_EQ(words("Submit.CancelJobSet", set), "states QUEUED, reason: r");
  EXPECT_EQ(described("Submit.CancelJobSet", set).queue, "q");

  api::JobReprioritizeRequest priority;
  priority.add_job_ids("1");
  priority.set_new_priority(2.5);
  call = described("Submit.ReprioritizeJobs", priority);
  EXPECT_EQ(call.jobs, 1U);
  EXPECT_EQ(call.summary, "priority 2.5");

  api::QueueCancelRequest all;
  all.set_name("q");
  all.add_jobstates(api::RUNNING);
  all.add_priorityclasses("low");
  all.add_pools("gpu");
  call = described("QueueService.CancelOnQueue", all);
  EXPECT_EQ(call.queue, "q");
  EXPECT_EQ(call.summary, "states RUNNING, classes low, pools gpu");
}

TEST(audited_methods, say_how_queues_are_set) {
  api::Queue queue;
  queue.set_name("q");
  queue.set_priority_factor(2);
  queue.add_user_owners("ann");
  queue.set_cordoned(true);
  (*queue.mutable_labels())["a"] = "b";
  const auto call = described("QueueService.UpdateQueue", queue);
  EXPECT_EQ(call.queue, "q");
  EXPECT_EQ(call.summary, "priority factor 2, cordon, owners ann");

  api::QueueList list;
  for (int i = 0; i < 7; ++i) list.add_queues()->set_name("q" + std::to_string(i));
  EXPECT_EQ(words("Submit.CreateQueues", list), "queues q0, q1, q2, q3, q4 and 2 more");
  EXPECT_EQ(words("Submit.CreateQueues", api::QueueList{}), "no queues");
  api::QueueDeleteRequest gone;
  gone.set_name("q");
  EXPECT_EQ(described("Submit.DeleteQueue", gone).queue, "q");
}

TEST(audited_methods, say_which_level_the_log_gets) {
  v1::SetLogLevelRequest request;
  request.set_level("debug");
  EXPECT_EQ(words("Diag.SetLogLevel", request), "level debug");
  request.set_component("journal");
  request.set_duration_ns(90'000'000'000);
  EXPECT_EQ(words("Diag.SetLogLevel", request), "level debug of journal for 90 s");
}

TEST(audited_methods, say_which_cluster_and_node_is_meant) {
  api::ExecutorSettingsUpsertRequest settings;
  settings.set_name("c");
  settings.set_cordoned(true);
  settings.set_cordonreason("power");
  auto call = described("Executor.UpsertExecutorSettings", settings);
  EXPECT_EQ(call.cluster, "c");
  EXPECT_EQ(call.summary, "cordon, reason: power");

  api::NodeCancelRequest node;
  node.set_name("n");
  node.set_executor("c");
  node.add_queues("a");
  node.add_queues("b");
  call = described("Node.CancelOnNode", node);
  EXPECT_EQ(call.cluster, "c");
  EXPECT_EQ(call.node, "n");
  EXPECT_EQ(call.summary, "queues a, b");

  v1::CordonNodeRequest cordon;
  cordon.set_cluster("c");
  cordon.set_node("n");
  call = described("ClusterService.CordonNode", cordon);
  EXPECT_EQ(call.cluster, "c");
  EXPECT_EQ(call.node, "n");
  EXPECT_EQ(call.summary, "no cordon");

  v1::ForgetClusterRequest forget;
  forget.set_name("c");
  EXPECT_EQ(described("ClusterService.ForgetCluster", forget).cluster, "c");
  binoculars::CordonRequest named;
  named.set_node_name("c/n");
  EXPECT_EQ(described("Binoculars.Cordon", named).node, "c/n");
}

TEST(audited_methods, name_the_retry_policy) {
  api::RetryPolicy policy;
  policy.set_name("twice");
  policy.set_retry_limit(2);
  policy.add_rules();
  EXPECT_EQ(words("RetryPolicyService.CreateRetryPolicy", policy), "policy twice, limit 2, 1 rule");
  api::RetryPolicyDeleteRequest gone;
  gone.set_name("twice");
  EXPECT_EQ(words("RetryPolicyService.DeleteRetryPolicy", gone), "policy twice");
}

}  // namespace
}  // namespace argosy::codec
