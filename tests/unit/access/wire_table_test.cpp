// SPDX-License-Identifier: Apache-2.0
// Goal: what Armada's API lets whom do, we let the same callers do, over every transport. Method:
// the table of its permissions and verbs, method by method, against each way to say who one is,
// each transport that carries it to the GATEWAY, and each way to be granted something.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "runtime/access/action.hpp"
#include "runtime/access/nats_caller.hpp"
#include "runtime/bus/caller_headers.hpp"

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
    // What happened to the job, it tells to whom Event.GetJobSetEvents does: see job_histories.
    {"Query.DescribeJob", "", ""},
    {"Access.WhoAmI", "", ""},
    {"Access.CanI", "", ""},
};

/// A way to say who one is: what each finds out about a caller whom nothing is granted yet.
const std::vector<attributes> callers_of_each_kind{
    {"", {}, {}, {}, scheme::anonymous},
    {"ann", {"staff"}, {}, {}, scheme::basic},
    {"ann", {"staff"}, {"openid"}, {"aud", "exp", "iss", "sub"}, scheme::oidc},
    {"system:serviceaccount:a:b", {"system:serviceaccount:a:b"}, {}, {}, scheme::kubernetes},
    {"ann", {"staff"}, {}, {}, scheme::nats},
};

using rule_list = std::vector<permission_rule>;

/// The same caller as the GATEWAY knows him behind gRPC and REST, whose transports say in headers
/// who he is.
principal over_grpc(const attributes& who, const rule_list& rules) {
  return bus::caller_of(bus::caller_headers(make_principal(who, rules)));
}

/// The same over NATS: as a tenant whose groups stand in the settings, or with a token that he
/// shows beside his requests.
principal over_nats(const attributes& who, const rule_list& rules) {
  const auto subject = tenant_subject("ann", "Submit.SubmitJobs");
  if (who.by != scheme::nats)
    return nats_caller(parse_api_subject(subject), make_principal(who, rules));
  return nats_caller(parse_api_subject(subject), user_directory{{{"ann", who.groups}}, rules});
}

struct transport {
  const char* name;
  principal (*caller)(const attributes& who, const rule_list& rules);
};
constexpr std::array transports{transport{"grpc", over_grpc}, transport{"nats", over_nats}};

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

class wire : public ::testing::TestWithParam<wire_row> {
 protected:
  static void expect_rights(const wire_row& row, const transport& way, const attributes& kind);
};

void wire::expect_rights(const wire_row& row, const transport& way, const attributes& kind) {
  const auto what = action_of(row.method);
  const bool free = std::string_view{row.permission}.empty();
  const std::string verb{row.verb};
  const auto place = std::string{to_string(kind.by)} + " over " + way.name;
  const auto nothing = way.caller(kind, {});
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
      EXPECT_EQ(may(way.caller(kind, rule_list{rule}), what), enough)
          << place << " " << to_string(one);
    const std::vector<permission_rule> others{{one, {"others"}, {"others"}, {"others"}}};
    EXPECT_EQ(may(way.caller(kind, others), what), free) << place;
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

TEST_P(wire, lets_a_caller_do_what_a_permission_or_verb_grants_and_nothing_else) {
  const auto& row = GetParam();
  ASSERT_NE(action_of(row.method), action::unlisted);
  for (const auto& way : transports)
    for (const auto& kind : callers_of_each_kind) expect_rights(row, way, kind);
}

/// Who comes with a role of NATS has been checked by the nats-server.
TEST_P(wire, lets_a_user_of_nats_who_is_no_tenant_do_what_his_role_lets_through) {
  const auto who = nats_caller(parse_api_subject("argosy.api.ann.Submit.SubmitJobs"),
                               user_directory{{{"ann", {"staff"}}}, {}});
  EXPECT_TRUE(may(who, action_of(GetParam().method)));
}
std::string name_of(const ::testing::TestParamInfo<wire_row>& info) {
  std::string out{info.param.method};
  std::ranges::replace(out, '.', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(table, wire, ::testing::ValuesIn(wire_table), name_of);

}  // namespace

}  // namespace argosy::access
