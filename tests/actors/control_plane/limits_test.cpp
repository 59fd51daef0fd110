// SPDX-License-Identifier: Apache-2.0
// Goal: the configured limits of requests hold, say so, and give back what was used up. Method: a
// control plane with small limits in virtual time; clients over the bus in memory.
#include <gmock/gmock.h>

#include <deque>
#include <optional>

#include "messages/proto/api/event.pb.h"
#include "messages/proto/api/job.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct limits : control_plane_test {
  limits() {
    start([](actors::root_config& with) {
      with.request_limits.request_bytes_max = {20'000};
      with.request_limits.reason_bytes_max = 5;
      with.request_limits.query_items_max = 2;
      with.request_limits.watches_max = 4;
    });
    create_queue("a");
  }

  struct watcher {
    std::optional<result<void>> end;
    bus::stream stream;
  };

  watcher& watch() {
    api::JobSetRequest request;
    request.set_queue("a");
    request.set_id("set");
    request.set_watch(true);
    auto& out = watchers.emplace_back();
    bus::stream_events events;
    events.on_end = [&out](result<void> end) { out.end = std::move(end); };
    out.stream = client->open_stream("argosy.api.Event.GetJobSetEvents",
                                     request.SerializeAsString(), {}, {}, std::move(events));
    pass();
    return out;
  }

  std::deque<watcher> watchers;
};

TEST_F(limits, of_a_requests_size) {
  EXPECT_TRUE(call("Submit.SubmitJobs", make_submit("a", {.count = 20})));
  const auto large = call("Submit.SubmitJobs", make_submit("a", {.count = 1'000}));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ec::too_large);
  EXPECT_THAT(large.error().detail, HasSubstr("at most 20000"));
  EXPECT_EQ(jobs("a").size(), 20U);
}

TEST_F(limits, of_the_bytes_of_requests_under_way) {
  stop();
  const auto request = make_submit("a", {.count = 5}).SerializeAsString();
  start([&](actors::root_config& with) {
    constexpr std::size_t headers = 250;
    with.request_limits.unanswered_bytes_max = {2 * (request.size() + headers)};
  });
  log->set_broken(error{ec::unreachable, "no server"});
  std::vector<result<bus::frame>> answers;
  const auto ask_for = [&](const std::string& data) {
    client->request("argosy.api.Submit.SubmitJobs", data, {}, 60s,
                    [&](result<bus::frame> reply) { answers.push_back(std::move(reply)); });
    settle();
  };
  for (int i = 0; i < 3; ++i) ask_for(request);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].error().code, ec::overloaded);
  EXPECT_THAT(answers[0].error().detail, HasSubstr("try again"));
  log->set_broken({});
  pass(1s);
  ASSERT_EQ(answers.size(), 3U);
  ask_for(make_submit("a", {.count = 15}).SerializeAsString());
  pass(1s);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_TRUE(answers[3]) << "one that comes alone is taken whatever its size";
  EXPECT_EQ(jobs().size(), 25U);
}

TEST_F(limits, of_the_bytes_that_a_caller_is_answered) {
  submit("a", {.count = 3});
  const auto bytes = call("Query.ListJobs", v1::ListJobsRequest{}).value().size();
  server->limit_answers({bytes, 4s});
  const auto by = [&](bus::connection& caller) {
    std::optional<result<bus::frame>> got;
    caller.request("argosy.api.Query.ListJobs", "", {}, 60s,
                   [&](result<bus::frame> reply) { got = std::move(reply); });
    settle();
    return got.value_or(result<bus::frame>{fail(ec::timeout, "no answer")});
  };
  const auto another = broker.connect();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(by(*client)) << i;
  const auto refused = by(*client);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::overloaded);
  EXPECT_THAT(refused.error().detail, HasSubstr("try again in a second"));
  EXPECT_TRUE(by(*another)) << "another is not held up";
  another->close();
  broker.advance(2s);
  EXPECT_TRUE(by(*client));
}

TEST_F(limits, of_a_reason) {
  const auto id = submit("a").at(0);
  api::JobCancelRequest request;
  request.set_queue("a");
  request.set_job_set_id("set");
  request.add_job_ids(id);
  request.set_reason("123456");
  const auto refused = call("Submit.CancelJobs", request);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("at most 5"));
  request.set_reason("12345");
  EXPECT_TRUE(call("Submit.CancelJobs", request));
}

TEST_F(limits, of_the_jobs_in_a_query) {
  api::JobStatusRequest request;
  for (const auto& id : submit("a", {.count = 2})) request.add_job_ids(id);
  EXPECT_TRUE(call("Jobs.GetJobStatus", request));
  request.add_job_ids(request.job_ids(0));
  const auto refused = call("Jobs.GetJobStatus", request);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("at most 2"));
}

TEST_F(limits, of_the_prefixes_in_a_query) {
  v1::ListJobsRequest request;
  for (const auto& id : submit("a", {.count = 2})) request.add_id_prefixes(id);
  EXPECT_TRUE(call("Query.ListJobs", request));
  request.add_id_prefixes("0");
  const auto refused = call("Query.ListJobs", request);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("at most 2"));
}

TEST_F(limits, of_open_watches) {
  submit("a");
  auto& first = watch();
  auto& second = watch();
  EXPECT_FALSE(first.end || second.end);
  auto& third = watch();
  ASSERT_TRUE(third.end && !*third.end);
  EXPECT_EQ(third.end->error().code, ec::overloaded);
  EXPECT_THAT(third.end->error().detail, HasSubstr("2 event streams are open"));
  first.stream = {};
  pass();
  auto& fourth = watch();
  EXPECT_FALSE(fourth.end) << fourth.end->error().detail;
}

TEST_F(limits, of_the_watches_of_one_user) {
  stop();
  start([](actors::root_config& with) { with.request_limits.watches_per_user_max = 1; });
  auto& first = watch();
  EXPECT_FALSE(first.end);
  auto& second = watch();
  ASSERT_TRUE(second.end && !*second.end);
  EXPECT_EQ(second.end->error().code, ec::overloaded);
  EXPECT_THAT(second.end->error().detail, HasSubstr("anonymous has 1 event streams open"));
  first.stream = {};
  pass();
  EXPECT_FALSE(watch().end);
}

}  // namespace argosy::tests
