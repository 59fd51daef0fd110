// SPDX-License-Identifier: Apache-2.0
// Goal: what Armada's API lets whom do, we let the same callers do. Method: the table of its
// permissions and verbs, method by method, against each way to say who one is and each way to be
// granted something.
#include <gtest/gtest.h>

#include "runtime/access/action.hpp"

namespace argosy::access {

namespace {

struct wire_row {
  const char* method;
  const char* permission;  ///< Empty: none is needed.
  const char* verb;        ///< Empty: no verb is enough.
};

const std::vector<wire_row> wire_table{
    {"Submit.SubmitJobs", "submit_any_jobs", "submit"},
    {"Submit.CancelJobs", "cancel_any_jobs", "cancel"},
    {"Submit.CancelJobSet", "cancel_any_jobs", "cancel"},
    {"Submit.PreemptJobs", "preempt_any_jobs", "preempt"},
    {"Submit.ReprioritizeJobs", "reprioritize_any_jobs", "reprioritize"},
    {"Event.GetJobSetEvents", "watch_all_events", "watch"},
    {"Event.Watch", "watch_all_events", "watch"},
    {"Submit.CreateQueue", "create_queue", ""},
    {"Submit.CreateQueues", "create_queue", ""},
    {"Submit.UpdateQueue", "create_queue", ""},
    {"Submit.UpdateQueues", "create_queue", ""},
    {"QueueService.CreateQueue", "create_queue", ""},
    {"QueueService.CreateQueues", "create_queue", ""},
    {"QueueService.UpdateQueue", "create_queue", ""},
    {"QueueService.UpdateQueues", "create_queue", ""},
    {"Submit.DeleteQueue", "delete_queue", ""},
    {"QueueService.DeleteQueue", "delete_queue", ""},
    {"QueueService.CordonQueue", "cordon_queue", ""},
    {"QueueService.UncordonQueue", "cordon_queue", ""},
    {"QueueService.CancelOnQueue", "cancel_any_jobs", ""},
    {"Executor.CancelOnExecutor", "cancel_any_jobs", ""},
    {"Node.CancelOnNode", "cancel_any_jobs", ""},
    {"QueueService.PreemptOnQueue", "preempt_any_jobs", ""},
    {"Executor.PreemptOnExecutor", "preempt_any_jobs", ""},
    {"Node.PreemptOnNode", "preempt_any_jobs", ""},
    {"Executor.UpsertExecutorSettings", "update_executor_settings", ""},
    {"Executor.DeleteExecutorSettings", "update_executor_settings", ""},
    {"Executor.DeleteExecutor", "update_executor_settings", ""},
    {"RetryPolicyService.CreateRetryPolicy", "create_retry_policy", ""},
    {"RetryPolicyService.UpdateRetryPolicy", "update_retry_policy", ""},
    {"RetryPolicyService.DeleteRetryPolicy", "delete_retry_policy", ""},
    {"ExecutorApi.LeaseJobRuns", "execute_jobs", ""},
    {"ExecutorApi.ReportEvents", "execute_jobs", ""},
    {"Binoculars.Cordon", "cordon_nodes", ""},
    {"Submit.GetQueue", "", ""},
    {"Submit.GetQueues", "", ""},
    {"QueueService.GetQueue", "", ""},
    {"QueueService.GetQueues", "", ""},
    {"RetryPolicyService.GetRetryPolicy", "", ""},
    {"RetryPolicyService.GetRetryPolicies", "", ""},
    {"Jobs.GetJobStatus", "", ""},
    {"Jobs.GetJobDetails", "", ""},
    {"Jobs.GetJobErrors", "", ""},
    {"Jobs.GetJobRunDetails", "", ""},
    {"Jobs.GetActiveQueues", "", ""},
    {"SchedulerReporting.GetSchedulingReport", "", ""},
    {"SchedulerReporting.GetQueueReport", "", ""},
    {"SchedulerReporting.GetJobReport", "", ""},
    {"Submit.Health", "", ""},
    {"Event.Health", "", ""},
    // Ours. Output of jobs takes no permission in Armada.
    {"Binoculars.Logs", "read_any_logs", "watch"},
    {"Logs.Read", "read_any_logs", "watch"},
    {"Access.WhoAmI", "", ""},
    {"Access.CanI", "", ""},
};

/// A way to say who one is: what each finds out about a caller whom nothing is granted yet.
const std::vector<attributes> callers_of_each_kind{
    {"", {}, {}, {}, scheme::anonymous},
    {"ann", {"staff"}, {}, {}, scheme::basic},
    {"ann", {"staff"}, {"openid"}, {"aud", "exp", "iss", "sub"}, scheme::oidc},
    {"system:serviceaccount:a:b", {"system:serviceaccount:a:b"}, {}, {}, scheme::kubernetes},
    {"ann", {}, {}, {}, scheme::nats},
};

model::queue_settings queue_with(const std::string& verb, const std::string& kind,
                                 const std::string& name) {
  model::queue_settings out;
  out.name = "q";
  model::queue_permission entry;
  entry.subjects.push_back({kind, name});
  entry.verbs = {verb};
  out.permissions = {entry};
  return out;
}

class wire : public ::testing::TestWithParam<wire_row> {};

TEST_P(wire, lets_a_caller_do_what_a_permission_or_verb_grants_and_nothing_else) {
  const auto& row = GetParam();
  const auto what = action_of(row.method);
  ASSERT_NE(what, action::unlisted);
  const bool free = std::string_view{row.permission}.empty();
  const std::string verb{row.verb};
  for (const auto& kind : callers_of_each_kind) {
    const auto place = std::string{to_string(kind.by)};
    const auto nothing = make_principal(kind, {});
    const auto name = display_name(nothing);
    EXPECT_EQ(may(nothing, what), free) << place;
    EXPECT_EQ(may(nothing, what, {}), free) << place;
    EXPECT_EQ(may_somewhere(nothing, what), free || !verb.empty()) << place;
    // Each way to be given a permission, by each permission there is.
    for (std::size_t i = 0; i < permission_count; ++i) {
      const auto one = static_cast<permission>(i);
      const bool enough = free || to_string(one) == row.permission;
      std::vector<permission_rule> rules;
      for (const auto& group : kind.groups) rules.push_back({one, {group}, {}, {}});
      for (const auto& scope : kind.scopes) rules.push_back({one, {}, {scope}, {}});
      for (const auto& claim : kind.claims) rules.push_back({one, {}, {}, {claim}});
      rules.push_back({one, {std::string{everyone}}, {}, {}});
      for (const auto& rule : rules)
        EXPECT_EQ(may(make_principal(kind, std::vector{rule}), what), enough)
            << place << " " << to_string(one);
      const std::vector<permission_rule> others{{one, {"others"}, {"others"}, {"others"}}};
      EXPECT_EQ(may(make_principal(kind, others), what), free) << place;
    }
    // Each verb that a queue may grant, to the caller himself, to a group of his, and to others.
    for (const std::string one : {"submit", "cancel", "preempt", "reprioritize", "watch"}) {
      const bool enough = free || one == verb;
      EXPECT_EQ(may(nothing, what, queue_with(one, "User", name)), enough) << place << one;
      for (const auto& group : nothing.groups)
        EXPECT_EQ(may(nothing, what, queue_with(one, "Group", group)), enough) << place << one;
      EXPECT_EQ(may(nothing, what, queue_with(one, "User", "others")), free) << place << one;
      EXPECT_EQ(may(nothing, what, queue_with(one, "Group", "others")), free) << place << one;
      EXPECT_EQ(may(nothing, what, queue_with(one, "user", name)), free)
          << "kinds of subjects have one spelling";
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<wire_row>& info) {
  std::string out{info.param.method};
  std::ranges::replace(out, '.', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(table, wire, ::testing::ValuesIn(wire_table), name_of);

}  // namespace

}  // namespace argosy::access
