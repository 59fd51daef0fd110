// SPDX-License-Identifier: Apache-2.0
// Goal: each rule of Armada's API that refuses a change or a question does so over every transport
// with the same code and message, and nothing changes. Method: a table of requests, each wrong in
// one place.
#include "tests/integration/rules/rules_fixture.hpp"

namespace argosy::testing {

namespace {

using nlohmann::json;

TEST_F(rules, of_changes_to_jobs) {
  const std::string id = "01jdq00000000000000000000a";
  const std::string long_reason(51, 'r');
  const json named{{"queue", "q"}, {"jobSetId", "s"}, {"jobIds", {id}}};
  const auto with = [&](json changes) {
    auto out = named;
    out.merge_patch(changes);
    return out;
  };
  const json set{{"queue", "q"}, {"jobSetId", "s"}};
  const auto of_set = [&](json changes) {
    auto out = set;
    out.merge_patch(changes);
    return out;
  };
  std::vector<rule> all;
  for (const std::string method : {"CancelJobs", "PreemptJobs", "ReprioritizeJobs"}) {
    const auto full = "api.Submit." + method;
    // Ids alone say which jobs are to be cancelled.
    if (method != "CancelJobs") {
      all.push_back({method + " without a queue", full, with({{"queue", ""}}), wrong, "queue"});
      all.push_back(
          {method + " without a job set", full, with({{"jobSetId", ""}}), wrong, "job_set"});
    }
    if (method != "ReprioritizeJobs")
      all.push_back({method + " with a long reason", full, with({{"reason", long_reason}}), wrong,
                     "51 bytes"});
  }
  all.push_back({"CancelJobSet with a long reason", "api.Submit.CancelJobSet",
                 of_set({{"reason", long_reason}}), wrong, "51 bytes"});
  all.push_back({"CancelJobSet without a queue", "api.Submit.CancelJobSet", of_set({{"queue", ""}}),
                 wrong, "queue"});
  all.push_back({"CancelJobSet without a job set", "api.Submit.CancelJobSet",
                 of_set({{"jobSetId", ""}}), wrong, "job_set"});
  all.push_back({"CancelJobSet of RUNNING alone", "api.Submit.CancelJobSet",
                 of_set({{"filter", {{"states", {"RUNNING"}}}}}), wrong, "PENDING"});
  expect_refused(all);
}

TEST_F(rules, of_queues) {
  const auto queue = [](json changes) {
    json out{{"name", "made"}, {"priorityFactor", 1}};
    out.merge_patch(changes);
    return out;
  };
  const auto subject = [](const char* kind) {
    return json{{"permissions",
                 {{{"subjects", {{{"kind", kind}, {"name", "ann"}}}}, {"verbs", {"submit"}}}}}};
  };
  const std::string create = "api.Submit.CreateQueue";
  const std::string cancel = "api.Submit.CancelOnQueue";
  expect_refused({
      {"no factor", create, queue({{"priorityFactor", 0}}), wrong, "must be a number above 0"},
      {"a factor below 1", create, queue({{"priorityFactor", 0.5}}), wrong, "must be at least 1"},
      {"a label without a key", create, queue({{"labels", {{"", "v"}}}}), wrong, "label"},
      {"a label without a value", create, queue({{"labels", {{"k", ""}}}}), wrong, "label"},
      {"a subject of another kind", create, queue(subject("Robot")), wrong,
       "the kind is 'User' or 'Group'"},
      {"a policy that is not there", create, queue({{"retryPolicies", {"nope"}}}), wrong, "nope"},
      {"a part above 1", create, queue({{"resourceLimits", {{"cpu", 1.5}}}}), wrong,
       "resource_limits"},
      {"GetQueue without a name", "api.Submit.GetQueue", json::object(), wrong, "name"},
      {"GetQueue", "api.Submit.GetQueue", {{"name", "nowhere"}}, absent, "nowhere"},
      {"CordonQueue without a name", "api.QueueService.CordonQueue", json::object(), wrong, "name"},
      {"CordonQueue", "api.QueueService.CordonQueue", {{"name", "nowhere"}}, absent, "nowhere"},
      {"UncordonQueue", "api.QueueService.UncordonQueue", {{"name", "nowhere"}}, absent, "nowhere"},
      {"CancelOnQueue without a name", "api.QueueService.CancelOnQueue", json::object(), wrong,
       "name"},
      {"CancelOnQueue of ended jobs",
       "api.QueueService.CancelOnQueue",
       {{"name", "q"}, {"jobStates", {"SUCCEEDED"}}},
       wrong,
       "SUCCEEDED"},
      {"CancelOnQueue",
       "api.QueueService.CancelOnQueue",
       {{"name", "nowhere"}, {"jobStates", {"QUEUED"}}},
       absent,
       "nowhere"},
      {"PreemptOnQueue without a name", "api.QueueService.PreemptOnQueue", json::object(), wrong,
       "name"},
      {"PreemptOnQueue",
       "api.QueueService.PreemptOnQueue",
       {{"name", "nowhere"}},
       absent,
       "nowhere"},
  });
}

TEST_F(rules, of_clusters_and_nodes) {
  std::vector<rule> all{
      {"a cordon without a name",
       "api.Executor.UpsertExecutorSettings",
       {{"cordoned", true}, {"cordonReason", "disk"}},
       wrong,
       "name"},
      {"a cordon without a reason",
       "api.Executor.UpsertExecutorSettings",
       {{"name", "local"}, {"cordoned", true}},
       wrong,
       "cordonReason"},
      {"settings of no cluster", "api.Executor.DeleteExecutorSettings", json::object(), wrong,
       "name"},
      {"deletion of no cluster", "api.Executor.DeleteExecutor", json::object(), wrong, "name"},
      {"deletion of one that is connected",
       "api.Executor.DeleteExecutor",
       {{"name", "local"}},
       "FAILED_PRECONDITION",
       "local"},
  };
  for (const std::string verb : {"Cancel", "Preempt"}) {
    all.push_back({verb + " on no cluster", "api.Executor." + verb + "OnExecutor", json::object(),
                   wrong, "name"});
    all.push_back({verb + " on no node",
                   "api.Node." + verb + "OnNode",
                   {{"executor", "local"}},
                   wrong,
                   "name"});
    all.push_back({verb + " on a node of no cluster",
                   "api.Node." + verb + "OnNode",
                   {{"name", "n"}},
                   wrong,
                   "executor"});
  }
  expect_refused(all);
}

TEST_F(rules, of_retry_policies) {
  const auto policy = [](json changes) {
    json out{{"name", "made"}, {"retryLimit", 2}, {"defaultAction", "RETRY_ACTION_FAIL"}};
    out.merge_patch(changes);
    return out;
  };
  const auto acting = [&](json changes) {
    json one{{"action", "RETRY_ACTION_RETRY"}, {"onCategory", "oom"}};
    one.merge_patch(changes);
    return policy({{"rules", json::array({one})}});
  };
  const auto memory = [&](json bump) {
    return acting({{"mutate", {{"resources", {{"memory", std::move(bump)}}}}}});
  };
  const std::string service = "api.RetryPolicyService.";
  const auto create = service + "CreateRetryPolicy";
  expect_refused({
      {"no name", create, policy({{"name", ""}}), wrong, "name"},
      {"a name in capitals", create, policy({{"name", "Made"}}), wrong, "Made"},
      {"a name that ends with a hyphen", create, policy({{"name", "made-"}}), wrong, "made-"},
      {"a long name", create, policy({{"name", std::string(64, 'a')}}), wrong, "63"},
      {"no action", create, policy({{"defaultAction", nullptr}}), wrong, "default_action"},
      {"a rule without an action", create, acting({{"action", nullptr}}), wrong, "action"},
      {"a rule without a category", create, acting({{"onCategory", ""}}), wrong, "on_category"},
      {"no more memory", create, memory(json::object()), wrong, "memory"},
      {"two kinds of more memory", create, memory({{"static", "1Gi"}, {"factor", 2}}), wrong,
       "memory"},
      {"a factor of 1", create, memory({{"factor", 1}}), wrong, "factor"},
      {"an amount below 0", create, memory({{"static", "-1Gi"}}), wrong, "static"},
      {"UpdateRetryPolicy", service + "UpdateRetryPolicy", policy({{"name", "nowhere"}}), absent,
       "nowhere"},
      {"GetRetryPolicy", service + "GetRetryPolicy", {{"name", "nowhere"}}, absent, "nowhere"},
      {"DeleteRetryPolicy", service + "DeleteRetryPolicy", json::object(), wrong, "name"},
  });
}

}  // namespace

}  // namespace argosy::testing
