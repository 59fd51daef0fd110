// SPDX-License-Identifier: Apache-2.0
// Goal: a client whose server dies under its request gets an error, and the same request again is
// accepted once, with the ids that the first one may have got. Method: the control plane is killed
// after each possible number of scheduling steps, recovered, and asked again.
#include <gmock/gmock.h>

#include <optional>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::SizeIs;
using namespace std::chrono_literals;

struct cut_requests : control_plane_test {
  cut_requests() { start(); }

  /// The answer to a request whose server dies after this many steps; an error if none came.
  result<std::string> cut(const std::string& method, const google::protobuf::MessageLite& request,
                          int steps) {
    std::optional<result<std::string>> answer;
    client->request("argosy.api." + method, request.SerializeAsString(), {}, 10s,
                    [&](const result<bus::frame>& reply) {
                      if (reply)
                        answer = reply->data;
                      else
                        answer = fail(reply.error());
                    });
    for (int i = 0; i < steps && scheduler.try_run_once(); ++i) {
    }
    crash();
    if (!answer) broker.advance(11s);
    settle();
    EXPECT_TRUE(answer.has_value()) << "the client must hear something";
    start();
    return answer ? *answer : result<std::string>{fail(ec::internal, "nothing was heard")};
  }
};

TEST_F(cut_requests, a_submission_is_accepted_once_wherever_it_is_cut) {
  create_queue("a");
  std::size_t answered = 0;
  std::size_t refused = 0;
  std::size_t count = 0;
  while (answered == 0 && count < 200) {
    const auto steps = static_cast<int>(count);
    const job_wish wish{.cpu = "8", .client_id = "x" + std::to_string(++count)};
    const auto first = cut("Submit.SubmitJobs", make_submit("a", wish), steps);
    const auto again = submit("a", wish);
    ASSERT_THAT(again, SizeIs(1));
    ASSERT_THAT(jobs("a"), SizeIs(count)) << "cut after " << steps << " steps";
    if (!first) {
      ++refused;
      EXPECT_FALSE(first.error().detail.empty());
      continue;
    }
    ++answered;
    api::JobSubmitResponse response;
    ASSERT_TRUE(response.ParseFromString(*first));
    EXPECT_EQ(response.job_response_items(0).job_id(), again[0]);
  }
  EXPECT_GT(refused, 3U);
  EXPECT_EQ(answered, 1U) << "with enough steps it is answered";
}

TEST_F(cut_requests, a_queue_is_there_or_not_and_can_be_made_again) {
  bool answered = false;
  for (int steps = 0; !answered && steps < 200; ++steps) {
    api::Queue queue;
    queue.set_name("q" + std::to_string(steps));
    queue.set_priority_factor(1);
    answered = cut("Submit.CreateQueue", queue, steps).has_value();
    const auto again = call("Submit.CreateQueue", queue);
    EXPECT_TRUE(again) << again.error().detail;
    submit(queue.name(), {.cpu = "8"});
  }
  EXPECT_TRUE(answered);
}

}  // namespace argosy::tests
