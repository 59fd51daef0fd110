// SPDX-License-Identifier: Apache-2.0
// Goal: of a request that names several things, of which one is wrong, nothing is done, or the
// answer says of each what was done. Method: all methods that change something and take a list are
// found by their descriptors, and each has a case here that names a good thing and a bad one.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "messages/codec/audit/audited_methods.hpp"
#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/node.pb.h"
#include "messages/proto/argosy/control.pb.h"
#include "runtime/bus/headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

namespace {

constexpr const char* no_such_job = "01k9x2aaaaaaaaaaaaaaaaaaaa";

class lists : public control_plane_test, public ::testing::WithParamInterface<std::string> {
 public:
  using control_plane_test::request_of;
  lists() {
    start();
    create_queue("q");
    add_agent("c", {node_of("n", 1)});
    runs = submit("q").at(0);
    pass(3s);
    waits = submit("q").at(0);
    pass();
  }
  result<std::string> partial(const google::protobuf::MessageLite& request) {
    const auto got = exchange(GetParam(), request);
    if (!got) return fail(got.error());
    return get_text(got->headers, bus::header::partial).value_or("");
  }
  /// The request fails, and no job is another.
  void expect_nothing(const google::protobuf::MessageLite& request) {
    const auto& method = GetParam();
    const auto before = states();
    const auto got = call(method, request);
    ASSERT_FALSE(got) << method;
    EXPECT_EQ(got.error().code, ec::invalid_argument) << method << ": " << got.error().detail;
    pass();
    EXPECT_EQ(states(), before) << method;
  }
  std::map<std::string, std::string> states() {
    std::map<std::string, std::string> out;
    for (const auto& each : jobs()) out[each.job_id()] = each.ShortDebugString();
    return out;
  }

  /// Names two jobs of the set.
  template <class Request>
  static Request named(const std::string& one, const std::string& other) {
    Request out;
    out.set_queue("q");
    out.set_job_set_id("set");
    out.add_job_ids(one);
    out.add_job_ids(other);
    return out;
  }

  void submit_jobs();
  void cancel_jobs();
  void cancel_job_set();
  void preempt_jobs();
  void reprioritize_jobs();
  void hold_jobs();
  void release_jobs();
  void queue_lists();
  void one_queue();
  void cancel_on_queue();
  template <class Request>
  void on_executor();
  void retry_policy();

  std::string runs;
  std::string waits;
};

void lists::submit_jobs() {
  auto request = make_submit("q", {.count = 2});
  request.mutable_job_request_items(1)->mutable_pod_spec()->clear_containers();
  expect_nothing(request);
}

void lists::cancel_jobs() {
  auto request = named<api::JobCancelRequest>(waits, "nonsense");
  expect_nothing(request);
  request.set_job_ids(1, no_such_job);
  EXPECT_THAT(ask<api::CancellationResult>(GetParam(), request).cancelled_ids(),
              ElementsAre(waits));
}

void lists::cancel_job_set() {
  api::JobSetCancelRequest request;
  request.set_queue("q");
  request.set_job_set_id("set");
  for (const auto state : {api::SUCCEEDED, api::LEASED, static_cast<api::JobState>(99)}) {
    request.mutable_filter()->clear_states();
    request.mutable_filter()->add_states(api::QUEUED);
    request.mutable_filter()->add_states(state);
    expect_nothing(request);
  }
}

void lists::preempt_jobs() {
  auto request = named<api::JobPreemptRequest>(runs, "nonsense");
  expect_nothing(request);
  request.set_job_ids(1, no_such_job);
  const auto got = ask<api::PreemptionResult>(GetParam(), request).preemption_results();
  EXPECT_THAT(got.at(no_such_job), HasSubstr("it was not preempted"));
}

void lists::reprioritize_jobs() {
  auto request = named<api::JobReprioritizeRequest>(waits, "nonsense");
  request.set_new_priority(7);
  expect_nothing(request);
  request.set_job_ids(1, no_such_job);
  for (int i = 0; i < 2; ++i) {
    const auto got =
        ask<api::JobReprioritizeResponse>(GetParam(), request).reprioritization_results();
    EXPECT_EQ(got.at(waits), "") << "it has the priority";
    EXPECT_THAT(got.at(no_such_job), HasSubstr("does not exist"));
  }
  EXPECT_EQ(job(waits).priority(), 7);
}

void lists::hold_jobs() {
  v1::HoldJobsRequest request;
  request.add_job_ids(waits);
  request.add_job_ids("nonsense");
  expect_nothing(request);
  request.set_queue("q");
  request.set_job_ids(1, no_such_job);
  const auto got = ask<v1::HoldJobsResponse>(GetParam(), request);
  EXPECT_THAT(got.left_alone(), ElementsAre(no_such_job));
}

void lists::release_jobs() {
  v1::HoldJobsRequest hold;
  hold.add_job_ids(waits);
  ask<v1::HoldJobsResponse>("JobControl.HoldJobs", hold);
  v1::ReleaseJobsRequest request;
  request.add_job_ids(waits);
  request.add_job_ids("nonsense");
  expect_nothing(request);
  request.set_queue("q");
  request.set_job_ids(1, runs);
  const auto got = ask<v1::ReleaseJobsResponse>(GetParam(), request);
  EXPECT_THAT(got.left_alone(), ElementsAre(runs));
}

void lists::queue_lists() {
  api::QueueList request;
  for (const auto* name : {"good", "not good"}) {
    auto& one = *request.add_queues();
    one.set_name(name);
    one.set_priority_factor(2);
  }
  EXPECT_THAT(partial(request).value(), HasSubstr("1 of 2 queues were not written"));
  const auto got = ask<api::BatchQueueCreateResponse>(GetParam(), request);
  ASSERT_EQ(got.failed_queues_size(), 1);
  EXPECT_EQ(got.failed_queues(0).queue().name(), "not good");
}

void lists::one_queue() {
  api::Queue request;
  request.set_name("another");
  request.set_priority_factor(1);
  auto& right = *request.add_permissions();
  right.add_subjects()->set_name("alice");
  right.add_verbs("submit");
  right.add_verbs("fly");
  expect_nothing(request);
  request.clear_permissions();
  (*request.mutable_resource_limits())["cpu"] = 0.5;
  (*request.mutable_resource_limits())["memory"] = -1;
  expect_nothing(request);
  request.clear_resource_limits();
  request.add_retry_policies("nowhere");
  expect_nothing(request);
  api::QueueGetRequest get;
  get.set_name("another");
  EXPECT_EQ(call("QueueService.GetQueue", get).error().code, ec::not_found);
}

void lists::cancel_on_queue() {
  api::QueueCancelRequest request;
  request.set_name("q");
  request.add_jobstates(api::RUNNING);
  request.add_jobstates(api::FAILED);
  expect_nothing(request);
}

template <class Request>
void lists::on_executor() {
  Request request;
  if constexpr (requires { request.set_executor(""); }) {
    request.set_executor("c");
    request.set_name("n");
  } else {
    request.set_name("c");
  }
  request.add_queues("q");
  request.add_queues("nowhere");
  EXPECT_EQ(partial(request).value_or("-"), "queue 'nowhere' does not exist");
}

void lists::retry_policy() {
  api::RetryPolicy request;
  request.set_name("p");
  auto& good = *request.add_rules();
  good.set_action(api::RETRY_ACTION_RETRY);
  good.set_on_category("oom");
  auto& bad = *request.add_rules();
  bad = good;
  bad.mutable_mutate()->mutable_resources()->mutable_memory()->set_factor(-1);
  expect_nothing(request);
  api::RetryPolicyGetRequest get;
  get.set_name("p");
  EXPECT_EQ(call("RetryPolicyService.GetRetryPolicy", get).error().code, ec::not_found);
}

/// Whether a request of the type may name several things; those of Kubernetes are of one job.
bool takes_a_list(const Descriptor& type) {
  for (int i = 0; i < type.field_count(); ++i) {
    const auto& field = *type.field(i);
    if (field.is_repeated()) return true;
    if (field.type() == FieldDescriptor::TYPE_MESSAGE && takes_a_list(*field.message_type()))
      return true;
  }
  return false;
}

const std::map<std::string, void (lists::*)()> cases{
    {"Executor.CancelOnExecutor", &lists::on_executor<api::ExecutorCancelRequest>},
    {"Executor.PreemptOnExecutor", &lists::on_executor<api::ExecutorPreemptRequest>},
    {"JobControl.HoldJobs", &lists::hold_jobs},
    {"JobControl.ReleaseJobs", &lists::release_jobs},
    {"Node.CancelOnNode", &lists::on_executor<api::NodeCancelRequest>},
    {"Node.PreemptOnNode", &lists::on_executor<api::NodePreemptRequest>},
    {"QueueService.CancelOnQueue", &lists::cancel_on_queue},
    {"QueueService.CreateQueue", &lists::one_queue},
    {"QueueService.CreateQueues", &lists::queue_lists},
    {"QueueService.UpdateQueue", &lists::one_queue},
    {"QueueService.UpdateQueues", &lists::queue_lists},
    {"RetryPolicyService.CreateRetryPolicy", &lists::retry_policy},
    {"RetryPolicyService.UpdateRetryPolicy", &lists::retry_policy},
    {"Submit.CancelJobSet", &lists::cancel_job_set},
    {"Submit.CancelJobs", &lists::cancel_jobs},
    {"Submit.CreateQueue", &lists::one_queue},
    {"Submit.CreateQueues", &lists::queue_lists},
    {"Submit.PreemptJobs", &lists::preempt_jobs},
    {"Submit.ReprioritizeJobs", &lists::reprioritize_jobs},
    {"Submit.SubmitJobs", &lists::submit_jobs},
    {"Submit.UpdateQueue", &lists::one_queue},
    {"Submit.UpdateQueues", &lists::queue_lists},
};
const std::map<std::string, std::string> others{
    {"QueueService.PreemptOnQueue", "its lists are conditions, which a run has to meet"},
    {"Settings.Update", "settings_update.all_mistakes_are_told_with_their_places_..."},
};

TEST(lists_of_requests, have_a_case_for_each_method_that_changes_something) {
  for (const auto& method : codec::api_methods()) {
    const bool wanted = codec::effect_of(method.name) == codec::call_effect::changes &&
                        takes_a_list(*lists::request_of(method)->GetDescriptor());
    EXPECT_EQ(cases.contains(method.name) || others.contains(method.name), wanted) << method.name;
  }
}

TEST_P(lists, of_which_one_is_wrong_are_not_done_in_part_without_a_word) {
  (this->*cases.at(GetParam()))();
}

INSTANTIATE_TEST_SUITE_P(methods, lists,
                         ::testing::ValuesIn(std::views::keys(cases).begin(),
                                             std::views::keys(cases).end()),
                         [](const auto& info) {
                           auto name = info.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace

}  // namespace argosy::tests
