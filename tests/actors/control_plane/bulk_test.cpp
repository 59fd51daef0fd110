// SPDX-License-Identifier: Apache-2.0
// Goal: what is done to all jobs of a queue reaches those that the caller selected and no other.
// Method: queued and running jobs of two classes in virtual time.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

namespace {

using ::testing::HasSubstr;

struct bulk : control_plane_test {
  bulk() {
    start();
    create_queue("a");
    add_agent("c", {node_of("n", 2)});
    running = submit("a", {.count = 2});
    pass(std::chrono::seconds{2});
    queued = submit("a", {.count = 3, .priority_class = "armada-preemptible"});
    pass(std::chrono::seconds{2});
    EXPECT_EQ(count("a", api::RUNNING), 2);
    EXPECT_EQ(count("a", api::QUEUED), 3);
  }

  result<std::string> cancel(const std::vector<api::JobState>& states,
                             const std::vector<std::string>& classes = {}) {
    api::QueueCancelRequest request;
    request.set_name("a");
    for (const auto state : states) request.add_jobstates(state);
    for (const auto& each : classes) request.add_priorityclasses(each);
    auto out = call("QueueService.CancelOnQueue", request);
    pass(std::chrono::seconds{2});
    return out;
  }

  std::vector<std::string> running;
  std::vector<std::string> queued;
};

}  // namespace

TEST_F(bulk, cancel_takes_the_states_that_it_names) {
  ASSERT_TRUE(cancel({api::QUEUED}, {"armada-preemptible"}));
  EXPECT_EQ(count("a", api::QUEUED), 0);
  EXPECT_EQ(count("a", api::CANCELLED), 3);
  EXPECT_EQ(count("a", api::RUNNING), 2);
  ASSERT_TRUE(cancel({api::LEASED, api::PENDING, api::RUNNING}));
  EXPECT_EQ(count("a", api::CANCELLED), 5);
}

TEST_F(bulk, cancel_takes_the_classes_that_it_names) {
  ASSERT_TRUE(cancel({api::QUEUED, api::RUNNING}, {"armada-default"}));
  for (const auto& id : running) EXPECT_EQ(job(id).state(), api::CANCELLED);
  for (const auto& id : queued) EXPECT_NE(job(id).state(), api::CANCELLED);
}

TEST_F(bulk, cancel_without_states_takes_nothing) {
  ASSERT_TRUE(cancel({}));
  EXPECT_EQ(count("a", api::CANCELLED), 0);
}

TEST_F(bulk, cancel_refuses_what_cannot_be_cancelled_and_changes_nothing) {
  for (const auto state : {api::SUCCEEDED, api::CANCELLED, api::UNKNOWN}) {
    const auto refused = cancel({api::QUEUED, state});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ec::invalid_argument);
    EXPECT_THAT(refused.error().detail, HasSubstr(api::JobState_Name(state)));
  }
  EXPECT_EQ(count("a", api::CANCELLED), 0);
  api::QueueCancelRequest request;
  request.add_jobstates(api::QUEUED);
  EXPECT_EQ(call("QueueService.CancelOnQueue", request).error().code, ec::invalid_argument);
  request.set_name("nowhere");
  EXPECT_EQ(call("QueueService.CancelOnQueue", request).error().code, ec::not_found);
}

TEST_F(bulk, runs_are_found_by_their_ids) {
  api::JobDetailsRequest all;
  for (const auto& id : running) all.add_job_ids(id);
  const auto details = ask<api::JobDetailsResponse>("Jobs.GetJobDetails", all).job_details();
  api::JobRunDetailsRequest request;
  for (const auto& [id, each] : details) request.add_run_ids(each.latest_run_id());
  request.add_run_ids("01010101-0101-0101-0101-010101010103");
  request.add_run_ids("no run at all");
  const auto runs =
      ask<api::JobRunDetailsResponse>("Jobs.GetJobRunDetails", request).job_run_details();
  ASSERT_EQ(runs.size(), 2u);
  for (const auto& [id, each] : details) {
    const auto& run = runs.at(each.latest_run_id());
    EXPECT_EQ(run.job_id(), id);
    EXPECT_EQ(run.cluster(), "c");
    EXPECT_EQ(run.state(), api::RUN_STATE_RUNNING);
  }
}

}  // namespace argosy::tests
