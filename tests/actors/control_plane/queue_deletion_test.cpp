// SPDX-License-Identifier: Apache-2.0
// Goal: a queue whose jobs are all being cancelled is deleted when the last of them has ended, and
// no job loses its queue. Method: agents that obey stops only when the test lets them.
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;

struct queue_deletion : control_plane_test {
  queue_deletion() {
    start();
    create_queue("a");
    agent = &add_agent("c", {node_of("n", 4)});
    (*agent)->obeys_stops = false;
    ids = submit("a", {.count = 2});
    pass(2s);
    EXPECT_EQ(count("a", api::RUNNING), 2);
  }

  void cancel(const std::string& id) {
    api::JobCancelRequest request;
    request.set_job_id(id);
    ask<api::CancellationResult>("Submit.CancelJobs", request);
  }
  void end(const std::string& id) { agent->end(id, model::run_phase::stopped, {143, 15, "", ""}); }
  /// Asks for the deletion without waiting for the answer.
  void request_deletion() {
    api::QueueDeleteRequest request;
    request.set_name("a");
    client->request(
        "argosy.api.Submit.DeleteQueue", request.SerializeAsString(), {}, 60s,
        [this](const result<bus::frame>& got) { answer = got ? ec::none : got.error().code; });
    pass();
  }
  ec look() {
    api::QueueGetRequest request;
    request.set_name("a");
    const auto got = call("Submit.GetQueue", request);
    return got ? ec::none : got.error().code;
  }

  scripted_agent* agent = nullptr;
  std::vector<std::string> ids;
  std::optional<ec> answer;
};

TEST_F(queue_deletion, waits_for_the_last_job_that_is_being_cancelled) {
  for (const auto& id : ids) cancel(id);
  request_deletion();
  EXPECT_EQ(answer, std::nullopt);
  end(ids[0]);
  pass();
  EXPECT_EQ(answer, std::nullopt);
  EXPECT_EQ(look(), ec::none);
  end(ids[1]);
  pass();
  EXPECT_EQ(answer, ec::none);
  EXPECT_EQ(look(), ec::not_found);
  EXPECT_EQ(job(ids[1]).state(), api::CANCELLED);
}

TEST_F(queue_deletion, is_refused_when_a_job_comes_meanwhile) {
  for (const auto& id : ids) cancel(id);
  request_deletion();
  submit("a");
  pass();
  EXPECT_EQ(answer, ec::conflict);
  EXPECT_EQ(look(), ec::none);
}

TEST_F(queue_deletion, is_refused_at_once_while_a_job_is_not_being_cancelled) {
  cancel(ids[0]);
  request_deletion();
  EXPECT_EQ(answer, ec::conflict);
}

}  // namespace argosy::tests
