// SPDX-License-Identifier: Apache-2.0
// Goal: the API does for a caller what he may do, and nothing else.
// Method: requests over the bus of the transports of the process, whose headers say who calls, and
// over NATS as a tenant who shows a token.
#include <gmock/gmock.h>

#include "messages/codec/api/method_list.hpp"
#include "messages/proto/api/binoculars.pb.h"
#include "messages/proto/api/event.pb.h"
#include "runtime/access/action.hpp"
#include "runtime/access/identity.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using access::permission;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// The ways on which a request reaches the GATEWAY.
enum class way : std::uint8_t { in_process, nats };

struct rights : control_plane_test, ::testing::WithParamInterface<way> {
  rights() {
    start([this](actors::root_config& config) {
      config.inner_connection = inner.connect();
      config.prove = [this](std::string_view shown,
                            const std::function<void(result<access::principal>)>& then) {
        if (shown == "Bearer good")
          then(as);
        else
          then(fail(ec::denied, "the token is not signed by the provider"));
      };
    });
    as = person("root");
    as.permissions = access::permission_set::all();
    api::Queue queue;
    queue.set_priority_factor(1);
    for (const auto& name : {"anns", "bobs"}) {
      queue.set_name(name);
      queue.clear_user_owners();
      queue.add_user_owners(std::string{name}.substr(0, 3));
      EXPECT_EQ(outcome("Submit.CreateQueue", queue), ec::none);
    }
    as = person("ann");
  }
  ~rights() override {
    transport->close();
    guest->close();
  }

  static access::principal person(const std::string& name, std::vector<std::string> groups = {}) {
    return access::make_principal({name, std::move(groups), {}, {}}, {});
  }
  result<bus::frame> send(const std::string& method, const google::protobuf::MessageLite& request) {
    result<bus::frame> got = fail(ec::internal, "no answer");
    const auto done = [&](result<bus::frame> reply) { got = std::move(reply); };
    if (GetParam() == way::nats)
      guest->request(access::tenant_subject("guest", method), request.SerializeAsString(),
                     {{"authorization", "Bearer good"}}, 10s, done);
    else
      transport->request("argosy.api." + method, request.SerializeAsString(),
                         bus::caller_headers(as), 10s, done);
    pass();
    return got;
  }
  ec outcome(const std::string& method, const google::protobuf::MessageLite& request) {
    const auto got = send(method, request);
    return got ? ec::none : got.error().code;
  }
  ec submits(const std::string& queue) { return outcome("Submit.SubmitJobs", make_submit(queue)); }
  ec cancels(const std::string& queue) {
    api::JobCancelRequest request;
    request.set_queue(queue);
    request.set_job_set_id("set");
    return outcome("Submit.CancelJobs", request);
  }
  api::Queue read(const std::string& name) {
    api::QueueGetRequest request;
    request.set_name(name);
    api::Queue out;
    EXPECT_TRUE(out.ParseFromString(send("Submit.GetQueue", request).value().data));
    return out;
  }

  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
  /// A user of NATS whom several people share, so that a token says which of them calls.
  std::shared_ptr<bus::connection> guest = broker.connect("_INBOX.user.guest");
  access::principal as;  ///< Who calls.
};

namespace {

TEST_P(rights, let_a_user_submit_to_his_own_queue_only) {
  EXPECT_EQ(submits("anns"), ec::none);
  const auto refused = send("Submit.SubmitJobs", make_submit("bobs"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), (error{ec::denied,
                                    "user 'ann' may not do this: it takes the permission "
                                    "submit_any_jobs, or the verb 'submit' on queue 'bobs'"}));
  EXPECT_EQ(submits("none"), ec::not_found);
  as.permissions.add(permission::submit_any_jobs);
  EXPECT_EQ(submits("bobs"), ec::none);
  EXPECT_EQ(cancels("bobs"), ec::denied) << "a permission is for one thing";
}

TEST_P(rights, of_a_verb_are_for_that_verb_and_end_with_it) {
  auto queue = read("bobs");
  as.permissions = access::permission_set::all();
  auto& entry = *queue.add_permissions();
  auto& subject = *entry.add_subjects();
  subject.set_kind("Group");
  subject.set_name("staff, of Bob");
  entry.add_verbs("cancel");
  ASSERT_EQ(outcome("Submit.UpdateQueue", queue), ec::none);
  as = person("ann", {"staff, of Bob"});
  EXPECT_EQ(cancels("bobs"), ec::none);
  EXPECT_EQ(submits("bobs"), ec::denied);
  as.permissions = access::permission_set::all();
  queue.mutable_permissions()->RemoveLast();
  ASSERT_EQ(outcome("Submit.UpdateQueue", queue), ec::none);
  as = person("ann", {"staff, of Bob"});
  EXPECT_EQ(cancels("bobs"), ec::denied);
}

TEST_P(rights, to_drain_take_those_to_cordon_the_target_and_to_preempt) {
  v1::DrainRequest request;
  request.set_cluster("c");
  request.set_node("n1");
  as = person("carl");
  as.permissions.add(permission::cordon_nodes);
  EXPECT_EQ(outcome("ClusterService.Drain", request), ec::denied);
  as.permissions.add(permission::preempt_any_jobs);
  EXPECT_EQ(outcome("ClusterService.Drain", request), ec::not_found) << "there is no such cluster";
  request.clear_node();
  EXPECT_EQ(outcome("ClusterService.Drain", request), ec::denied);
  as.permissions.add(permission::update_executor_settings);
  EXPECT_EQ(outcome("ClusterService.Drain", request), ec::not_found);
}

TEST_P(rights, are_asked_of_every_method_that_changes_something) {
  as = person("carl");
  for (const auto& method : codec::api_methods()) {
    const auto what = access::action_of(method.name);
    if (access::may_somewhere(as, what)) continue;
    const auto got = send(method.name, api::JobSubmitRequest{});
    ASSERT_FALSE(got) << method.name;
    const bool served = got.error().detail.find("there is no method") == std::string::npos;
    EXPECT_EQ(got.error().code, served ? ec::denied : ec::invalid_argument) << method.name;
  }
}

TEST_P(rights, by_a_permission_are_for_its_methods_alone) {
  for (const auto& method : codec::api_methods()) {
    const auto& rule = access::rule_of(access::action_of(method.name));
    if (!rule.everywhere || method.streams) continue;
    as = person("carl");
    as.permissions = {*rule.everywhere};
    EXPECT_NE(outcome(method.name, api::JobSubmitRequest{}), ec::denied) << method.name;
    if (!rule.verb.empty()) continue;
    as.permissions = {};
    for (std::size_t i = 0; i < access::permission_count; ++i)
      if (const auto one = static_cast<permission>(i); one != *rule.everywhere)
        as.permissions.add(one);
    const auto got = send(method.name, api::JobSubmitRequest{});
    const bool served = got || got.error().detail.find("there is no method") == std::string::npos;
    EXPECT_EQ(got ? ec::none : got.error().code, served ? ec::denied : ec::invalid_argument)
        << method.name;
  }
}

TEST_P(rights, by_verbs_are_asked_of_the_queue) {
  as = person("root");
  as.permissions = access::permission_set::all();
  ASSERT_EQ(submits("bobs"), ec::none);
  const auto job = jobs("bobs").front().job_id();
  as = person("carl");
  api::JobReprioritizeRequest change;
  change.set_queue("bobs");
  change.set_job_set_id("set");
  EXPECT_EQ(outcome("Submit.ReprioritizeJobs", change), ec::denied);
  api::JobSetCancelRequest set;
  set.set_queue("bobs");
  set.set_job_set_id("set");
  EXPECT_EQ(outcome("Submit.CancelJobSet", set), ec::denied);
  api::JobCancelRequest cancel;
  cancel.add_job_ids(job);
  EXPECT_EQ(outcome("Submit.CancelJobs", cancel), ec::denied) << "without the queue's name";
  v1::ReadLogRequest log;
  log.set_job_id(job);
  EXPECT_EQ(outcome("Logs.Read", log), ec::denied);
  binoculars::LogRequest lines;
  lines.set_job_id(job);
  EXPECT_EQ(outcome("Binoculars.Logs", lines), ec::denied);
  api::JobSetRequest watch;
  watch.set_queue("bobs");
  watch.set_id("set");
  EXPECT_EQ(outcome("Event.GetJobSetEvents", watch), ec::denied);
  EXPECT_EQ(count("bobs", api::QUEUED), 1);
  as = person("bob");
  EXPECT_EQ(outcome("Logs.Read", log), ec::none);
  EXPECT_EQ(outcome("Binoculars.Logs", lines), ec::not_found) << "it has no run";
  EXPECT_EQ(outcome("Submit.CancelJobs", cancel), ec::none);
}

TEST_P(rights, make_who_creates_a_queue_its_owner) {
  as.permissions.add(permission::create_queue);
  api::Queue queue;
  queue.set_name("new");
  queue.set_priority_factor(1);
  ASSERT_EQ(outcome("Submit.CreateQueue", queue), ec::none);
  ASSERT_EQ(read("new").permissions_size(), 1);
  EXPECT_EQ(read("new").permissions(0).subjects(0).name(), "ann");
  EXPECT_EQ(submits("new"), ec::none);
  ASSERT_EQ(outcome("Submit.UpdateQueue", queue), ec::none);
  EXPECT_EQ(read("new").permissions_size(), 0) << "an update says all";
  as.name = access::anonymous;
  queue.set_name("other");
  ASSERT_EQ(outcome("Submit.CreateQueue", queue), ec::none);
  EXPECT_EQ(read("other").permissions_size(), 0) << "nobody in particular owns nothing";
}

INSTANTIATE_TEST_SUITE_P(over, rights, ::testing::Values(way::in_process, way::nats),
                         [](const auto& one) {
                           return one.param == way::nats ? "nats" : "in_process";
                         });

TEST_P(rights, decide_who_sees_the_values_of_the_environment) {
  auto wanted = make_submit("anns");
  auto& variable =
      *wanted.mutable_job_request_items(0)->mutable_pod_spec()->mutable_containers(0)->add_env();
  variable.set_name("PASSWORD");
  variable.set_value("hunter2");
  as = person("dan");
  as.permissions.add(permission::submit_any_jobs);
  api::JobSubmitResponse made;
  ASSERT_TRUE(made.ParseFromString(send("Submit.SubmitJobs", wanted).value().data));
  const auto id = made.job_response_items(0).job_id();
  auto queue = read("anns");
  auto& entry = *queue.add_permissions();
  auto& subject = *entry.add_subjects();
  subject.set_kind("User");
  subject.set_name("wendy");
  entry.add_verbs("watch");
  as = person("ann");
  as.permissions = access::permission_set::all();
  ASSERT_EQ(outcome("Submit.UpdateQueue", queue), ec::none);

  const auto seen = [&] {
    api::JobDetailsRequest details;
    details.add_job_ids(id);
    details.set_expand_job_spec(true);
    api::JobDetailsResponse answer;
    EXPECT_TRUE(answer.ParseFromString(send("Jobs.GetJobDetails", details).value().data));
    v1::DescribeJobRequest describe;
    describe.set_job_id(id);
    v1::DescribeJobResponse told;
    EXPECT_TRUE(told.ParseFromString(send("Query.DescribeJob", describe).value().data));
    const auto value_of = [](const api::JobDetails& of) {
      const auto& env = of.job_spec().pod_spec().containers(0).env(0);
      EXPECT_EQ(env.name(), "PASSWORD");
      return env.value();
    };
    const auto value = value_of(answer.job_details().at(id));
    EXPECT_EQ(value_of(told.details()), value);
    EXPECT_EQ(told.DebugString().find("hunter2") == std::string::npos, value == "***");
    return value;
  };
  as = person("dan");
  EXPECT_EQ(seen(), "hunter2") << "the owner of the job";
  as = person("ann");
  EXPECT_EQ(seen(), "hunter2") << "an owner of the queue";
  as = person("wendy");
  EXPECT_EQ(seen(), "hunter2") << "who may watch the queue";
  as = person("olga");
  as.permissions.add(permission::view_specifications);
  EXPECT_EQ(seen(), "hunter2") << "who has the permission";
  as = person("carl");
  EXPECT_EQ(seen(), "***") << "who has no right on the queue";
  as.permissions.add(permission::watch_all_events);
  EXPECT_EQ(seen(), "***") << "who may watch everything, but was not given this";
  as = person("");
  EXPECT_EQ(seen(), "***") << "who says no name";
}

TEST_P(rights, of_who_sends_no_headers_are_none) {
  result<bus::frame> got = fail(ec::internal, "no answer");
  transport->request("argosy.api.Submit.SubmitJobs", make_submit("anns").SerializeAsString(), {},
                     10s, [&](result<bus::frame> reply) { got = std::move(reply); });
  pass();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ec::denied);
}

}  // namespace

}  // namespace argosy::tests
