// SPDX-License-Identifier: Apache-2.0
// Goal: a change of very many jobs is an operation: it goes on when its caller has gone and when
// the server was killed, its caller is told its id, and may choose that and ask again. Method: the
// whole control plane in virtual time, with jobs that wait.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;

struct bulk_operations : control_plane_test {
  bulk_operations() {
    start();
    create_queue("q");
  }

  /// The operation that an answer names; empty if it names none.
  static std::string told(const bus::frame& answer) {
    return std::string{answer.headers.get("argosy-operation").value_or("")};
  }
  std::vector<v1::Operation> operations(const std::string& id = {}) {
    v1::ListOperationsRequest request;
    request.set_id(id);
    const auto page = ask<v1::ListOperationsResponse>("Query.ListOperations", request);
    return {page.operations().begin(), page.operations().end()};
  }

  /// Begins a change of many jobs and lets its server die when so many records are in the log.
  void begin_and_crash(const std::string& method, const google::protobuf::MessageLite& request,
                       std::uint64_t records) {
    const auto before = log->info()->last_position;
    client->request("argosy.api." + method, request.SerializeAsString(), {}, 10s,
                    [](const result<bus::frame>&) {});
    while (log->info()->last_position < before + records) ASSERT_TRUE(scheduler.try_run_once());
    crash();
    start();
    broker.advance(11s);
    settle();
    pass(1s);
  }

  const std::string chosen = "01k9x2aaaaaaaaaaaaaaaaaaaa";
};

TEST_F(bulk_operations, on_many_jobs_go_on_after_a_crash_and_tell_how_far_they_are) {
  submit("q", {.count = 3'500});
  // Each job of a request is a nanosecond later than the one before it.
  pass(1s);
  api::JobCancelRequest request;
  request.set_queue("q");
  request.set_job_set_id("set");
  begin_and_crash("Submit.CancelJobs", request, 2);
  EXPECT_EQ(count("q", api::CANCELLED), 3'500);
  const auto all = operations();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind(), "cancel");
  EXPECT_EQ(all[0].state(), "done");
  EXPECT_EQ(all[0].queue(), "q");
  EXPECT_EQ(all[0].job_set(), "set");
  EXPECT_EQ(all[0].total(), 3'500u);
  EXPECT_EQ(all[0].done(), 3'500u);
}

TEST_F(bulk_operations, of_few_jobs_are_done_at_once_and_not_listed) {
  submit("q", {.count = 10});
  api::JobCancelRequest request;
  request.set_queue("q");
  request.set_job_set_id("set");
  const auto answer = exchange("Submit.CancelJobs", request, {{"argosy-operation", chosen}});
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->headers.get("argosy-operation"));
  EXPECT_TRUE(operations().empty());
}

TEST_F(bulk_operations, are_told_in_the_answer_under_the_id_that_the_caller_chose) {
  submit("q", {.count = 1'500});
  v1::HoldJobsRequest hold;
  hold.set_queue("q");
  hold.set_job_set("set");
  auto answer = exchange("JobControl.HoldJobs", hold, {{"argosy-operation", chosen}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(told(*answer), chosen);
  EXPECT_EQ(operations(chosen).at(0).kind(), "hold");
  // The id is taken now, and a caller need not choose one.
  v1::ReleaseJobsRequest release;
  release.set_queue("q");
  release.set_job_set("set");
  answer = exchange("JobControl.ReleaseJobs", release, {{"argosy-operation", chosen}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(operations(told(*answer)).at(0).kind(), "release");
  EXPECT_EQ(operations(chosen).at(0).kind(), "hold");
  api::JobReprioritizeRequest change;
  change.set_queue("q");
  change.set_job_set_id("set");
  change.set_new_priority(7);
  answer = exchange("Submit.ReprioritizeJobs", change);
  ASSERT_TRUE(answer);
  EXPECT_EQ(operations(told(*answer)).at(0).kind(), "reprioritize");
  api::QueueCancelRequest cancel;
  cancel.set_name("q");
  cancel.add_jobstates(api::QUEUED);
  answer = exchange("QueueService.CancelOnQueue", cancel);
  ASSERT_TRUE(answer);
  EXPECT_EQ(operations(told(*answer)).at(0).kind(), "cancel");
  EXPECT_EQ(
      exchange("QueueService.CancelOnQueue", cancel, {{"argosy-operation", "mine"}}).error().code,
      ec::invalid_argument);
}

TEST_F(bulk_operations, that_are_asked_for_again_meanwhile_are_joined) {
  submit("q", {.count = 3'500});
  api::JobCancelRequest request;
  request.set_queue("q");
  request.set_job_set_id("set");
  std::vector<std::string> answers;
  const auto send = [&] {
    client->request("argosy.api.Submit.CancelJobs", request.SerializeAsString(),
                    {{"argosy-operation", chosen}}, 10s, [&answers](const result<bus::frame>& got) {
                      answers.push_back(got ? told(*got) : got.error().detail);
                    });
  };
  const auto before = log->info()->last_position;
  send();
  while (log->info()->last_position < before + 2) ASSERT_TRUE(scheduler.try_run_once());
  ASSERT_TRUE(answers.empty());
  send();
  settle();
  pass(1s);
  EXPECT_EQ(answers, (std::vector<std::string>{chosen, chosen}));
  const auto all = operations();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].done(), 3'500u);
}

}  // namespace argosy::tests
