// SPDX-License-Identifier: Apache-2.0
// Goal: a job goes from its submission to its end through all actors; a request that cannot be
// carried out is refused and changes nothing.
// Method: a control plane in virtual time; clients over the bus in memory; a scripted agent.
#include <gmock/gmock.h>

#include "messages/proto/api/job.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct life_cycle : control_plane_test {
  life_cycle() { start(); }
};

TEST_F(life_cycle, leads_with_the_first_epoch) {
  EXPECT_EQ(epoch, 1U);
  EXPECT_TRUE(failures.empty());
}

TEST_F(life_cycle, leased_and_pending_runs_count_in_the_cost_and_activity_of_their_queue) {
  create_queue("a");
  create_queue("b");
  auto& agent = add_agent("c", {node_of("n", 4)});
  agent->starts_runs = false;
  const auto id = submit("a").at(0);
  pass();
  const auto run = agent->live.begin()->first;
  for (const auto state : {api::LEASED, api::PENDING, api::RUNNING}) {
    if (state != api::LEASED) {
      const auto phase = state == api::PENDING ? run_phase::pending : run_phase::running;
      agent->add_report(run, phase, {}, 1);
      agent.hello();
    }
    // A job that fits nowhere calls for a round.
    submit("b", {.cpu = "100"});
    pass(2s);
    ASSERT_EQ(job(id).state(), state);
    const auto queues = ask<v1::ListQueuesResponse>("Query.ListQueues", v1::ListQueuesRequest{});
    EXPECT_DOUBLE_EQ(queues.queues(0).actual_share(), 0.25) << api::JobState_Name(state);
    EXPECT_DOUBLE_EQ(queues.queues(1).actual_share(), 0);
    const auto active =
        ask<api::GetActiveQueuesResponse>("Jobs.GetActiveQueues", api::GetActiveQueuesRequest{});
    ASSERT_EQ(active.active_queues_by_pool().count("default"), 1U);
    const auto& names = active.active_queues_by_pool().at("default").queues();
    EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()), std::vector<std::string>{"a"});
  }
}

TEST_F(life_cycle, job_is_leased_runs_and_succeeds) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  agent->starts_runs = false;
  const auto id = submit("a").at(0);
  pass();
  EXPECT_EQ(job(id).state(), api::LEASED);
  EXPECT_EQ(job(id).node(), "n");
  const auto run = agent->live.begin()->first;
  EXPECT_EQ(agent->live.begin()->second.queue, "a");
  agent->add_report(run, run_phase::pending, {}, 1);
  agent.hello();
  pass();
  EXPECT_EQ(job(id).state(), api::PENDING);
  agent->add_report(run, run_phase::running, {}, 2);
  agent.end(id, run_phase::succeeded);
  pass();
  EXPECT_EQ(job(id).state(), api::SUCCEEDED);
  EXPECT_EQ(job(id).exit_code(), 0);
  EXPECT_EQ(agent.begun(id), 1);
  EXPECT_TRUE(agent->outbox.empty());
  EXPECT_EQ(nodes().at("c/n").runs(), 0U);
}

TEST_F(life_cycle, failed_run_fails_the_job_with_its_exit_code) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  const auto id = submit("a").at(0);
  pass();
  EXPECT_EQ(job(id).state(), api::RUNNING);
  agent.end(id, run_phase::failed, {3, 0, "Error", "it broke"});
  pass();
  EXPECT_EQ(job(id).state(), api::FAILED);
  EXPECT_EQ(job(id).exit_code(), 3);
}

TEST_F(life_cycle, job_that_fits_nowhere_stays_queued_with_its_reason) {
  create_queue("a");
  add_agent("c", {node_of("n", 4)});
  const auto id = submit("a", {.cpu = "8"}).at(0);
  pass(3s);
  EXPECT_EQ(job(id).state(), api::QUEUED);
  const auto told = describe(id);
  EXPECT_THAT(told.summary().reason(), HasSubstr("can never run"));
  EXPECT_THAT(told.reason_lines(),
              Contains(HasSubstr("pool default: it can never run here; 1 node")));
}

TEST_F(life_cycle, a_list_tells_why_jobs_wait) {
  create_queue("a");
  add_agent("c", {node_of("n", 4)});
  for (const auto* cpu : {"8", "1", "9"}) submit("a", {.cpu = cpu});
  for (const auto* code : {"JOB_DOES_NOT_FIT", "BLOCKED"}) {
    pass(500ms);
    EXPECT_EQ(count("a", api::QUEUED), 2);
    for (const auto& one : jobs("a"))
      EXPECT_EQ(one.reason_code(), one.state() == api::QUEUED ? code : "");
    pass(3s);
  }
}

TEST_F(life_cycle, waits_for_a_cluster_and_says_so) {
  create_queue("a");
  const auto id = submit("a").at(0);
  pass(2s);
  EXPECT_THAT(describe(id).summary().reason(), HasSubstr("no cluster has joined"));
  auto& agent = add_agent("c", {node_of("n", 4)});
  pass(100ms);
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(agent.begun(id), 1);
}

TEST_F(life_cycle, unknown_queue_is_refused_and_nothing_is_kept) {
  const auto refused = call("Submit.SubmitJobs", make_submit("nobody"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::not_found);
  EXPECT_THAT(refused.error().detail, HasSubstr("queue 'nobody' does not exist"));
  EXPECT_TRUE(jobs().empty());
}

TEST_F(life_cycle, same_client_id_gives_the_same_job) {
  create_queue("a");
  const auto first = submit("a", {.client_id = "x"});
  const auto again = submit("a", {.client_id = "x"});
  EXPECT_EQ(first, again);
  EXPECT_EQ(jobs("a").size(), 1U);
  const auto other = call("Submit.SubmitJobs", make_submit("a", {.cpu = "2", .client_id = "x"}));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ec::conflict);
  EXPECT_EQ(jobs("a").size(), 1U);
}

TEST_F(life_cycle, client_ids_outlive_their_queue) {
  create_queue("a");
  add_agent("c", {node_of("n", 4)});
  const auto first = submit("a", {.client_id = "x"});
  pass();
  agents[0].end(first[0], run_phase::succeeded);
  pass();
  api::QueueDeleteRequest gone;
  gone.set_name("a");
  ASSERT_TRUE(call("Submit.DeleteQueue", gone));
  create_queue("a");
  EXPECT_EQ(submit("a", {.client_id = "x"}), first);
  EXPECT_EQ(agents[0].begun(first[0]), 1);
}

TEST_F(life_cycle, cancelled_while_queued_ends_at_once) {
  create_queue("a");
  const auto id = submit("a").at(0);
  api::JobCancelRequest request;
  request.set_queue("a");
  request.set_job_set_id("set");
  request.set_job_id(id);
  request.set_reason("enough");
  const auto reply = ask<api::CancellationResult>("Submit.CancelJobs", request);
  ASSERT_EQ(reply.cancelled_ids_size(), 1);
  EXPECT_EQ(reply.cancelled_ids(0), id);
  EXPECT_EQ(job(id).state(), api::CANCELLED);
  auto& agent = add_agent("c", {node_of("n", 4)});
  pass(2s);
  EXPECT_EQ(agent.begun(id), 0);
}

TEST_F(life_cycle, cancelled_while_running_is_stopped_first) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  const auto id = submit("a").at(0);
  pass();
  agent->obeys_stops = false;
  api::JobCancelRequest request;
  request.set_job_id(id);
  request.set_reason("enough");
  ask<api::CancellationResult>("Submit.CancelJobs", request);
  pass();
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(job(id).reason(), "is being cancelled: enough");
  ASSERT_FALSE(agent->stops.empty());
  EXPECT_EQ(agent->stops[0].cause, model::stop_cause::cancel);
  EXPECT_EQ(nodes().at("c/n").runs(), 1U);
  agent.end(id, run_phase::stopped, {143, 15, "", ""});
  pass();
  EXPECT_EQ(job(id).state(), api::CANCELLED);
  EXPECT_EQ(job(id).reason(), "enough");
  EXPECT_EQ(nodes().at("c/n").runs(), 0U);
}

TEST_F(life_cycle, hot_added_cluster_gets_the_waiting_work) {
  create_queue("a");
  auto& first = add_agent("c1", {node_of("n", 1)});
  const auto ids = submit("a", {.count = 3});
  pass();
  EXPECT_EQ(count("a", api::RUNNING), 1);
  auto& second = add_agent("c2", {node_of("n", 2)});
  pass();
  EXPECT_EQ(count("a", api::RUNNING), 3);
  EXPECT_EQ(first->live.size(), 1U);
  EXPECT_EQ(second->live.size(), 2U);
}

TEST_F(life_cycle, shutdown_leaves_no_actor) {
  create_queue("a");
  add_agent("c", {node_of("n", 2)});
  submit("a", {.count = 2, .gang = "whole", .cardinality = 2});
  submit("a", {.gang = "half", .cardinality = 2});
  pass();
  EXPECT_GT(actors_alive(), 10U);
  stop();
  EXPECT_EQ(actors_alive(), 0U);
  EXPECT_TRUE(failures.empty());
}

}  // namespace argosy::tests
