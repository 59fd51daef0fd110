// SPDX-License-Identifier: Apache-2.0
// Goal: queue and cancel send exactly what was asked for, and refuse what would surprise. Method:
// the whole command line against a scripted server; the requests it received.
#include <fmt/format.h>

#include "google/protobuf/empty.pb.h"
#include "tests/unit/argosyctl/cli_fixture.hpp"

namespace argosy::ctl {

using google::protobuf::Empty;

class queue_verb : public cli_fixture {
 protected:
  void serve_queue(const std::string& name) {
    api::Queue queue;
    queue.set_name(name);
    queue.set_priority_factor(3);
    (*queue.mutable_labels())["team"] = "x";
    argosy::v1::ListQueuesResponse list;
    *list.add_queues()->mutable_queue() = queue;
    server->always("Query.ListQueues", list);
    for (const auto* method : {"CreateQueue", "UpdateQueue", "DeleteQueue"})
      server->always(fmt::format("QueueService.{}", method), Empty{});
    serve_jobs();
    server->on<api::QueueGetRequest, api::Queue>(
        "QueueService.GetQueue",
        [queue](const api::QueueGetRequest& request) -> result<api::Queue> {
          if (request.name() != queue.name()) return fail(ec::not_found, "no such queue");
          return queue;
        });
  }
};

TEST_F(queue_verb, create_sends_the_settings) {
  serve_queue("other");
  const auto got = run(
      {"queue", "create", "a", "--priority-factor", "2.5", "--cordon", "--labels", "k=v,team=y"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "queue/a created\n");
  const auto sent = server->nth<api::Queue>("QueueService.CreateQueue");
  EXPECT_EQ(sent.name(), "a");
  EXPECT_EQ(sent.priority_factor(), 2.5);
  EXPECT_TRUE(sent.cordoned());
  EXPECT_EQ(sent.labels().at("team"), "y");
  EXPECT_EQ(run({"queue", "create", "b", "-o", "name"}).out, "queue/b\n");
  EXPECT_EQ(server->nth<api::Queue>("QueueService.CreateQueue", 1).priority_factor(), 1);
}

TEST_F(queue_verb, create_refuses_an_existing_name) {
  serve_queue("a");
  const auto got = run({"queue", "create", "a"});
  EXPECT_EQ(got.code, exit_code::conflict);
  EXPECT_EQ(server->calls("QueueService.CreateQueue"), 0);
}

TEST_F(queue_verb, update_changes_only_what_is_named) {
  serve_queue("a");
  EXPECT_EQ(run({"queue", "update", "a", "--cordon"}).code, exit_code::success);
  auto sent = server->nth<api::Queue>("QueueService.UpdateQueue");
  EXPECT_TRUE(sent.cordoned());
  EXPECT_EQ(sent.priority_factor(), 3);
  EXPECT_EQ(sent.labels().at("team"), "x");
  EXPECT_EQ(run({"queue", "update", "a", "--cordon=false"}).code, exit_code::success);
  EXPECT_FALSE(server->nth<api::Queue>("QueueService.UpdateQueue", 1).cordoned());
  const auto missing = run({"queue", "update", "ab"});
  EXPECT_EQ(missing.code, exit_code::not_found);
  EXPECT_NE(missing.err.find("did you mean 'a'?"), std::string::npos);
}

TEST_F(queue_verb, delete_refuses_while_jobs_live) {
  serve_queue("a");
  add_job(job_id(1), api::JobState::QUEUED);
  const auto got = run({"queue", "delete", "a"});
  EXPECT_EQ(got.code, exit_code::conflict);
  EXPECT_EQ(server->calls("QueueService.DeleteQueue"), 0);
  jobs.front().set_state(api::JobState::SUCCEEDED);
  EXPECT_EQ(run({"queue", "delete", "a"}).code, exit_code::success);
  EXPECT_EQ(run({"queue", "delete", "zzz"}).code, exit_code::not_found);
}

class cancel : public cli_fixture {
 protected:
  cancel() {
    server->always("Submit.CancelJobs", api::CancellationResult{});
    server->always("Submit.CancelJobSet", Empty{});
    serve_jobs();
  }
};

TEST_F(cancel, groups_ids_by_job_set_and_skips_the_ended) {
  add_job(job_id(1), api::JobState::QUEUED, "a", "s");
  add_job(job_id(2), api::JobState::RUNNING, "a", "t");
  add_job(job_id(3), api::JobState::SUCCEEDED, "a", "t");
  const auto got = run({"cancel", job_id(1), job_id(2), job_id(3), "--reason", "why not"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out, "cancelled 2 jobs\n");
  EXPECT_EQ(got.err, "1 job had ended already\n");
  ASSERT_EQ(server->calls("Submit.CancelJobs"), 2);
  const auto first = server->nth<api::JobCancelRequest>("Submit.CancelJobs");
  EXPECT_EQ(first.job_set_id(), "s");
  EXPECT_EQ(first.job_ids(0), job_id(1));
  EXPECT_EQ(first.reason(), "why not");
}

TEST_F(cancel, a_job_set) {
  add_job(job_id(1), api::JobState::QUEUED);
  EXPECT_EQ(run({"cancel", "-q", "a", "--jobset", "s", "-o", "name"}).out,
            "job/" + job_id(1) + "\n");
  EXPECT_EQ(server->nth<api::JobSetCancelRequest>("Submit.CancelJobSet").job_set_id(), "s");
  EXPECT_EQ(run({"cancel", "job-set", "a", "s"}).code, exit_code::success);
  EXPECT_EQ(server->calls("Submit.CancelJobSet"), 2);
  EXPECT_EQ(run({"cancel", "job", "a", "s", job_id(1)}).out, "cancelled 1 job\n");
}

TEST_F(cancel, refuses_long_reasons_and_mixtures) {
  EXPECT_EQ(run({"cancel", job_id(1), "--reason", std::string(51, 'x')}).code, exit_code::usage);
  EXPECT_EQ(run({"cancel", job_id(1), "-q", "a"}).code, exit_code::usage);
  EXPECT_EQ(run({"cancel", job_id(1)}).code, exit_code::not_found);
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 0);
}

TEST_F(cancel, waits_for_the_end) {
  add_job(job_id(1), api::JobState::RUNNING);
  add_event(job_id(1), api::JobState::RUNNING);
  add_event(job_id(1), api::JobState::CANCELLED, true);
  EXPECT_EQ(run({"cancel", job_id(1), "--wait"}).code, exit_code::success);
  EXPECT_TRUE(server->later.empty());
}

TEST_F(cancel, a_later_failure_is_a_partial_success) {
  add_job(job_id(1), api::JobState::QUEUED, "a", "s");
  add_job(job_id(2), api::JobState::QUEUED, "a", "t");
  int calls = 0;
  server->on<api::JobCancelRequest, api::CancellationResult>(
      "Submit.CancelJobs", [&](const auto&) -> result<api::CancellationResult> {
        if (++calls == 2) return fail(ec::overloaded, "too much");
        return api::CancellationResult{};
      });
  EXPECT_EQ(run({"cancel", job_id(1), job_id(2)}).code, exit_code::partial);
}

}  // namespace argosy::ctl
