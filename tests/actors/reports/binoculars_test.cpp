// SPDX-License-Identifier: Apache-2.0
// Goal: Armada's clients read the output of jobs as lines of a pod, a part at a time, and learn
// that there is no such pod. Method: a control plane in virtual time with scripted agents.
#include <gmock/gmock.h>

#include "messages/codec/api/pod_log.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct pod_logs : control_plane_test {
  pod_logs() {
    start();
    create_queue("a");
    agent = &add_agent("c", {node_of("n", 4)});
  }

  /// Submits a job, lets it start, and returns the question for its output.
  binoculars::LogRequest of_new_job() {
    binoculars::LogRequest request;
    request.set_job_id(submit("a").at(0));
    pass(3s);
    request.set_pod_namespace(describe(request.job_id()).summary().name_space());
    return request;
  }
  std::vector<std::string> lines(const binoculars::LogRequest& request) {
    std::vector<std::string> out;
    answer = ask<binoculars::LogResponse>("Binoculars.Logs", request);
    for (const auto& each : answer.log()) out.push_back(each.line());
    return out;
  }
  error refusal(const binoculars::LogRequest& request) {
    const auto reply = call("Binoculars.Logs", request);
    return reply ? error{ec::none, {}} : reply.error();
  }

  scripted_agent* agent = nullptr;
  binoculars::LogResponse answer;
};

namespace {

TEST_F(pod_logs, are_lines_from_which_the_next_question_goes_on) {
  (*agent)->output = "one\ntwo\nthree";
  auto request = of_new_job();
  EXPECT_THAT(lines(request), ElementsAre("one", "two", "three"));
  request.set_since_time(answer.log(1).timestamp());
  EXPECT_THAT(lines(request), ElementsAre("two", "three"));
  request.set_since_time("yesterday");
  EXPECT_THAT(lines(request), SizeIs(3));
}

TEST_F(pod_logs, take_the_options_that_kubernetes_has_for_their_size) {
  (*agent)->output = "one\ntwo\nthree\n";
  auto request = of_new_job();
  request.mutable_log_options()->set_taillines(1);
  EXPECT_THAT(lines(request), ElementsAre("three"));
  request.mutable_log_options()->clear_taillines();
  request.mutable_log_options()->set_limitbytes(6);
  EXPECT_THAT(lines(request), ElementsAre("one", "tw"));
}

TEST_F(pod_logs, have_at_most_two_million_bytes) {
  (*agent)->output.clear();
  const std::string line(99, 'x');
  for (int i = 0; i < 30'000; ++i) (*agent)->output += line + "\n";
  auto request = of_new_job();
  EXPECT_THAT(lines(request), SizeIs(20'000));
  request.set_since_time(answer.log().rbegin()->timestamp());
  EXPECT_THAT(lines(request), SizeIs(10'001));
}

TEST_F(pod_logs, of_a_pod_that_is_not_there_are_not_found) {
  const auto good = of_new_job();
  auto request = good;
  request.set_pod_number(1);
  EXPECT_EQ(refusal(request).code, ec::not_found);
  request = good;
  request.set_pod_namespace("elsewhere");
  EXPECT_EQ(refusal(request).code, ec::not_found);
  request = good;
  request.mutable_log_options()->set_previous(true);
  EXPECT_EQ(refusal(request).code, ec::not_found) << "it has one run";
  request = good;
  request.set_job_id("01jb3000000000000000000000");
  EXPECT_EQ(refusal(request).code, ec::not_found);
  request.set_job_id("not-an-id");
  EXPECT_THAT(refusal(request).detail, HasSubstr("pod armada-not-an-id-0 does not exist"));
  const auto waits = submit("a", {.cpu = "100"}).at(0);
  request = good;
  request.set_job_id(waits);
  EXPECT_EQ(refusal(request).code, ec::not_found) << "it has no run";
}

TEST_F(pod_logs, of_a_silent_cluster_cannot_be_read_now) {
  const auto request = of_new_job();
  (*agent)->silent = true;
  pass(60s);
  EXPECT_EQ(refusal(request).code, ec::unavailable);
}

TEST(log_lines, have_times_that_say_where_they_begin) {
  const auto out = codec::log_lines("b\xff\n\nc", 1'000, 5'000'000'000, 0);
  ASSERT_EQ(out.log_size(), 3);
  EXPECT_EQ(out.log(0).timestamp(), "1970-01-01T00:00:05.000001Z");
  EXPECT_EQ(out.log(0).line(), "b\xEF\xBF\xBD");
  EXPECT_EQ(out.log(1).line(), "");
  EXPECT_EQ(out.log(2).timestamp(), "1970-01-01T00:00:05.000001004Z");
  for (const auto& line : out.log())
    EXPECT_GE(codec::log_offset_since(line.timestamp(), 5'000'000'000), 1'000U);
  EXPECT_EQ(codec::log_offset_since("1970-01-01T00:00:04Z", 5'000'000'000), 0U);
  EXPECT_EQ(codec::log_offset_since("1971-01-01T00:00:00Z", 5'000'000'000), 0U);
  EXPECT_EQ(codec::log_offset_since("", 5'000'000'000), 0U);
}

TEST(log_lines, stay_below_what_clients_take) {
  const auto out = codec::log_lines(std::string(200'000, '\n'), 0, 0, 0);
  EXPECT_LT(out.log_size(), 200'000);
  EXPECT_GT(out.log_size(), 50'000);
  EXPECT_LT(out.ByteSizeLong(), 4u << 20);
  EXPECT_THAT(codec::log_lines("", 0, 0, 0).log(), IsEmpty());
}

}  // namespace
}  // namespace argosy::tests
