// SPDX-License-Identifier: Apache-2.0
// Goal: every bad request gets one error that names the place and the fix, and changes nothing.
// Method: a valid request over the bus is changed in one place; the end of the log must not move.
#include <gmock/gmock.h>

#include <functional>
#include <optional>
#include <vector>

#include "messages/proto/argosy/agent.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
namespace core = k8s::io::api::core::v1;

struct bad_input : control_plane_test {
  using change = std::function<void(api::JobSubmitRequest&)>;
  struct row {
    ec code;
    std::string part;
    change what;
  };

  bad_input() {
    start();
    create_queue("a");
    pass(3s);
  }

  /// The request must be refused with this code and this part of a message, and write nothing.
  void refused(const std::string& method, const google::protobuf::MessageLite& request, ec code,
               const std::string& part) {
    const auto end = log->info()->last_position;
    const auto reply = call(method, request);
    ASSERT_FALSE(reply) << "expected: " << part;
    EXPECT_EQ(reply.error().code, code) << reply.error().detail;
    EXPECT_THAT(reply.error().detail, HasSubstr(part));
    EXPECT_LT(reply.error().detail.size(), 500U) << part;
    for (const char c : reply.error().detail) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
    pass(2s);
    EXPECT_EQ(log->info()->last_position, end) << part;
  }

  void refused(const std::vector<row>& rows) {
    for (const auto& one : rows) {
      auto request = make_submit("a", {.count = 2});
      one.what(request);
      refused("Submit.SubmitJobs", request, one.code, one.part);
    }
    EXPECT_THAT(jobs(), IsEmpty());
  }
};

namespace {

api::JobSubmitRequestItem& item(api::JobSubmitRequest& request) {
  return *request.mutable_job_request_items(1);
}
core::Container& container(api::JobSubmitRequest& request) {
  return *item(request).mutable_pod_spec()->mutable_containers(0);
}
void amount(api::JobSubmitRequest& request, const char* resource, const char* quantity) {
  auto& resources = *container(request).mutable_resources();
  (*resources.mutable_requests())[resource].set_string(quantity);
  (*resources.mutable_limits())[resource].set_string(quantity);
}
void gang(api::JobSubmitRequestItem& member, const char* cardinality) {
  auto& annotations = *member.mutable_annotations();
  annotations["armadaproject.io/gangId"] = "g";
  annotations["armadaproject.io/gangCardinality"] = cardinality;
}

}  // namespace

TEST_F(bad_input, of_a_submission) {
  constexpr auto invalid = ec::invalid_argument;
  refused({
      {ec::not_found, "queue 'zz' does not exist", [](auto& r) { r.set_queue("zz"); }},
      {invalid, "queue: is missing", [](auto& r) { r.clear_queue(); }},
      {invalid, "queue 'A b'", [](auto& r) { r.set_queue("A b"); }},
      {invalid, "5000 characters", [](auto& r) { r.set_queue(std::string(5'000, 'q')); }},
      {invalid, "job_set_id: is missing", [](auto& r) { r.clear_job_set_id(); }},
      {invalid, "job_set_id has 5000 bytes",
       [](auto& r) { r.set_job_set_id(std::string(5'000, 's')); }},
      {invalid, "control character", [](auto& r) { r.set_job_set_id("a\x01z"); }},
      {invalid, "items[1].namespace: is missing", [](auto& r) { item(r).clear_namespace_(); }},
      {invalid, "items[1]: has no pod spec", [](auto& r) { item(r).clear_pod_spec(); }},
      {invalid, "items[1]: has 2 pod specs",
       [](auto& r) { *item(r).add_pod_specs() = item(r).pod_spec(); }},
      {invalid, "items[1].pod_spec.containers: is empty",
       [](auto& r) { item(r).mutable_pod_spec()->clear_containers(); }},
      {invalid, "limits[\"cpu\"]",
       [](auto& r) {
         (*container(r).mutable_resources()->mutable_limits())["cpu"].set_string("2");
       }},
      {invalid, "cpu", [](auto& r) { amount(r, "cpu", "-1"); }},
      {invalid, "cpu", [](auto& r) { amount(r, "cpu", "0.0001"); }},
      {invalid, "memory", [](auto& r) { amount(r, "memory", "0.5"); }},
      {invalid, "cpu", [](auto& r) { amount(r, "cpu", "99999999999999999999"); }},
      {invalid, "cpu", [](auto& r) { amount(r, "cpu", "lots"); }},
      {invalid, "example.com/unicorns", [](auto& r) { amount(r, "example.com/unicorns", "1"); }},
      {invalid, "cardinality '3' differs",
       [](auto& r) {
         gang(*r.mutable_job_request_items(0), "2");
         gang(item(r), "3");
       }},
      {invalid, "more members than its cardinality 2",
       [](auto& r) {
         *r.add_job_request_items() = r.job_request_items(0);
         for (auto& member : *r.mutable_job_request_items()) gang(member, "2");
       }},
      {invalid, "pod_spec", [](auto& r) { container(r).add_args(std::string(70'000, 'x')); }},
      {invalid, "client_id", [](auto& r) { item(r).set_client_id(std::string(5'000, 'c')); }},
      {invalid, "control character", [](auto& r) { item(r).set_client_id("c\n"); }},
      {invalid, "priorityClassName",
       [](auto& r) { item(r).mutable_pod_spec()->set_priorityclassname("royal"); }},
  });
}

TEST_F(bad_input, of_gang_members_in_two_requests) {
  submit("a", {.gang = "g", .cardinality = 2});
  pass(2s);
  refused("Submit.SubmitJobs", make_submit("a", {.gang = "g", .cardinality = 3}),
          ec::invalid_argument, "gang 'g'");
  refused("Submit.SubmitJobs", make_submit("a", {.count = 2, .gang = "g", .cardinality = 2}),
          ec::invalid_argument, "gang 'g'");
  EXPECT_EQ(jobs().size(), 1U);
}

TEST_F(bad_input, of_cancels_and_priorities) {
  submit("a");
  pass(2s);
  api::JobCancelRequest cancel;
  refused("Submit.CancelJobs", cancel, ec::invalid_argument, "queue must not be empty");
  cancel.set_queue("a");
  refused("Submit.CancelJobs", cancel, ec::invalid_argument, "job_set_id must not be empty");
  cancel.set_job_id("what");
  refused("Submit.CancelJobs", cancel, ec::invalid_argument, "job id 'what'");
  cancel.set_reason(std::string(51, 'r'));
  refused("Submit.CancelJobs", cancel, ec::invalid_argument, "at most 50");
  api::JobCancelRequest unknown;
  unknown.set_job_id("01arz3ndektsv4rrffq69g5fav");
  refused("Submit.CancelJobs", unknown, ec::not_found, "does not exist");
  api::JobReprioritizeRequest priority;
  priority.set_queue("b");
  priority.set_job_set_id("set");
  refused("Submit.ReprioritizeJobs", priority, ec::not_found, "queue 'b' does not exist");
  v1::DescribeJobRequest describe;
  describe.set_job_id("01arz3ndektsv4rrffq69g5fav");
  refused("Query.DescribeJob", describe, ec::not_found, "01arz3ndektsv4rrffq69g5fav");
}

TEST_F(bad_input, of_states_that_no_job_is_ever_in) {
  for (const auto& [state, name] : {std::pair{static_cast<int>(api::UNKNOWN), "UNKNOWN"},
                                    {static_cast<int>(api::SUBMITTED), "SUBMITTED"},
                                    {77, "77"}}) {
    v1::ListJobsRequest request;
    request.add_states(api::RUNNING);
    request.add_states(static_cast<api::JobState>(state));
    refused("Query.ListJobs", request, ec::invalid_argument,
            std::string{"no job is ever in state "} + name +
                "; the states are QUEUED, LEASED, PENDING, RUNNING, SUCCEEDED");
  }
}

TEST_F(bad_input, of_queues) {
  api::Queue queue;
  queue.set_priority_factor(1);
  refused("Submit.CreateQueue", queue, ec::invalid_argument, "name");
  queue.set_name("two words");
  refused("Submit.CreateQueue", queue, ec::invalid_argument, "two words");
  queue.set_name(std::string(5'000, 'q'));
  refused("Submit.CreateQueue", queue, ec::invalid_argument, "5000");
  queue.set_name("b");
  queue.set_priority_factor(0.5);
  refused("Submit.CreateQueue", queue, ec::invalid_argument, "priority");
  api::QueueGetRequest asked;
  for (const auto* name : {"b", "two words"}) {
    asked.set_name(name);
    refused("Submit.GetQueue", asked, ec::not_found, name);
  }
}

TEST_F(bad_input, duplicate_queue_is_refused_only_when_asked) {
  api::Queue queue;
  queue.set_name("a");
  queue.set_priority_factor(4);
  const auto refused_one = call("Submit.CreateQueue", queue, {{"argosy-mode", "create"}});
  ASSERT_FALSE(refused_one);
  EXPECT_EQ(refused_one.error().code, ec::already_exists);
  api::QueueGetRequest asked;
  asked.set_name("a");
  EXPECT_EQ(ask<api::Queue>("Submit.GetQueue", asked).priority_factor(), 1);
  EXPECT_TRUE(call("Submit.CreateQueue", queue));
  EXPECT_EQ(ask<api::Queue>("Submit.GetQueue", asked).priority_factor(), 4);
}

TEST_F(bad_input, updates_of_unknown_queues_leave_no_actor) {
  const auto alive = actors_alive();
  api::Queue queue;
  queue.set_priority_factor(2);
  for (int i = 0; i < 10; ++i) {
    queue.set_name("unknown" + std::to_string(i));
    const auto refused_one = call("Submit.UpdateQueue", queue, {{"argosy-mode", "update"}});
    ASSERT_FALSE(refused_one);
    EXPECT_EQ(refused_one.error().code, ec::not_found);
    EXPECT_THAT(refused_one.error().detail, HasSubstr(queue.name()));
  }
  EXPECT_EQ(actors_alive(), alive);
  queue.set_name("a");
  EXPECT_TRUE(call("Submit.UpdateQueue", queue, {{"argosy-mode", "update"}}));
}

TEST_F(bad_input, that_is_no_request_at_all) {
  api::Queue text;
  text.set_name("\xff\xff\xff\xff");
  refused("Submit.Nothing", text, ec::invalid_argument, "there is no method 'Submit.Nothing'");
  const auto end = log->info()->last_position;
  for (const auto* method : {"Submit.SubmitJobs", "Submit.CancelJobs", "Submit.CreateQueue",
                             "Query.ListJobs", "Submit.CancelJobSet", "Query.DescribeJob"}) {
    std::optional<error> why;
    client->request(std::string{"argosy.api."} + method, "\xff\xff\xff", {}, 10s,
                    [&](result<bus::frame> reply) {
                      if (!reply) why = reply.error();
                    });
    settle();
    ASSERT_TRUE(why) << method;
    EXPECT_EQ(why->code, ec::invalid_argument) << method;
    EXPECT_THAT(why->detail, HasSubstr("decode")) << method;
  }
  EXPECT_EQ(log->info()->last_position, end);
}

TEST_F(bad_input, over_the_payload_limit) {
  auto request = make_submit("a");
  (*request.mutable_job_request_items(0)->mutable_annotations())["x"] = std::string(9U << 20, 'x');
  refused("Submit.SubmitJobs", request, ec::too_large, "8388608");
}

TEST_F(bad_input, while_the_server_is_away) {
  broker.set_online(false);
  const auto reply = call("Submit.SubmitJobs", make_submit("a"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ec::unreachable);
  broker.set_online(true);
  settle();
  EXPECT_THAT(jobs(), IsEmpty());
  submit("a");
}

TEST_F(bad_input, of_agents) {
  const auto told = [&](const std::string& subject, const std::string& data) {
    std::optional<error> why;
    client->request(subject, data, {}, 10s, [&](result<bus::frame> reply) {
      if (!reply) why = reply.error();
    });
    settle();
    return why.value_or(error{ec::none, {}});
  };
  const auto end = log->info()->last_position;
  for (const auto* what : {"hello", "heartbeat", "report", "goodbye", "spans"})
    EXPECT_THAT(told(std::string{"argosy.agent.c."} + what, "\xff\xff\xff").code,
                AnyOf(ec::corrupt, ec::invalid_argument))
        << what;
  agent::v1::Hello hello;
  EXPECT_NE(told("argosy.agent.c.hello", hello.SerializeAsString()).code, ec::none);
  pass(2s);
  EXPECT_EQ(log->info()->last_position, end);
  EXPECT_TRUE(nodes().empty());
}

TEST_F(bad_input, more_requests_than_can_be_under_way_are_sent_away) {
  stop();
  start([](actors::root_config& with) { with.request_limits.unanswered_max = 2; });
  log->set_broken(error{ec::unreachable, "no server"});
  std::vector<result<bus::frame>> answers;
  for (int i = 0; i < 5; ++i)
    client->request("argosy.api.Submit.SubmitJobs", make_submit("a").SerializeAsString(), {}, 60s,
                    [&](result<bus::frame> reply) { answers.push_back(std::move(reply)); });
  settle();
  ASSERT_EQ(answers.size(), 3U);
  for (const auto& one : answers) {
    ASSERT_FALSE(one);
    EXPECT_EQ(one.error().code, ec::overloaded);
    EXPECT_THAT(one.error().detail, HasSubstr("try again"));
  }
  log->set_broken({});
  pass(1s);
  EXPECT_EQ(answers.size(), 5U);
  EXPECT_TRUE(answers[3]);
  EXPECT_TRUE(answers[4]);
  EXPECT_EQ(jobs().size(), 2U);
}

}  // namespace argosy::tests
