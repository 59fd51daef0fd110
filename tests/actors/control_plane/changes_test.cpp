// SPDX-License-Identifier: Apache-2.0
// Goal: what users change takes effect (priorities, cordons, cancels by queue), and what an agent
// reports of a run is shown as it was. Method: a control plane in virtual time; clients over the
// bus in memory; a scripted agent.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;
using namespace std::chrono_literals;

struct changes : control_plane_test {
  changes() { start(); }

  api::JobReprioritizeResponse reprioritize(const std::vector<std::string>& ids, double priority) {
    api::JobReprioritizeRequest request;
    for (const auto& id : ids) request.add_job_ids(id);
    request.set_queue("a");
    request.set_job_set_id("set");
    request.set_new_priority(priority);
    return ask<api::JobReprioritizeResponse>("Submit.ReprioritizeJobs", request);
  }

  void cordon(bool on) {
    api::QueueCordonRequest request;
    request.set_name("a");
    const auto done = call(on ? "QueueService.CordonQueue" : "QueueService.UncordonQueue", request);
    ASSERT_TRUE(done) << done.error().detail;
  }
};

TEST_F(changes, a_job_of_new_priority_goes_first) {
  create_queue("a");
  const auto ids = submit("a", {.count = 3});
  const auto reply = reprioritize({ids[0], ids[1]}, 9);
  ASSERT_EQ(reply.reprioritization_results_size(), 2);
  for (const auto& [id, problem] : reply.reprioritization_results())
    EXPECT_THAT(problem, IsEmpty());
  reprioritize({ids[1]}, 8);
  EXPECT_EQ(job(ids[0]).priority(), 9);
  EXPECT_EQ(job(ids[1]).priority(), 8);
  EXPECT_EQ(job(ids[2]).priority(), 0);
  auto& agent = add_agent("c", {node_of("n", 1)});
  pass();
  EXPECT_TRUE(agent.has(ids[2]));
  agent.end(ids[2], run_phase::succeeded);
  pass();
  EXPECT_TRUE(agent.has(ids[1]));
}

TEST_F(changes, a_new_priority_survives_a_crash) {
  create_queue("a");
  const auto ids = submit("a", {.count = 2});
  reprioritize(ids, 42);
  crash();
  start();
  for (const auto& id : ids) EXPECT_EQ(job(id).priority(), 42);
}

TEST_F(changes, a_cordoned_queue_takes_jobs_and_starts_none) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  const auto running = submit("a").at(0);
  pass();
  ASSERT_TRUE(agent.has(running));
  cordon(true);
  const auto waiting = submit("a").at(0);
  pass(3s);
  EXPECT_TRUE(agent.has(running));
  EXPECT_EQ(job(waiting).state(), api::QUEUED);
  cordon(false);
  pass(2s);
  EXPECT_EQ(job(waiting).state(), api::RUNNING);
}

TEST_F(changes, an_unknown_exit_code_is_not_told_as_zero) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  const auto id = submit("a").at(0);
  pass();
  agent.end(id, run_phase::failed, {std::nullopt, 0, "Error", "how it ended is not known"});
  pass();
  EXPECT_EQ(job(id).state(), api::FAILED);
  EXPECT_FALSE(job(id).has_exit_code());
  EXPECT_THAT(job(id).reason(), HasSubstr("not known"));
}

TEST_F(changes, a_run_that_was_lost_begins_again_and_its_job_says_why_also_after_a_crash) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto id = submit("a").at(0);
  pass();
  cordon(true);
  agent.end(id, run_phase::failed, {std::nullopt, 0, "Lost", "the machine was restarted"});
  pass();
  for (const bool again : {false, true}) {
    EXPECT_EQ(job(id).state(), api::QUEUED);
    const auto told = describe(id).history();
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.rbegin()->lease_returned().reason(),
              "its run was lost: the machine was restarted; it was queued again");
    if (again) break;
    crash();
    start();
  }
  reconnect_agents();
  cordon(false);
  pass(2s);
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(job(id).run(), 2U);
}

TEST_F(changes, notes_of_a_run_are_told_once_each) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  agent->starts_runs = false;
  const auto id = submit("a").at(0);
  pass();
  const auto run = agent->live.begin()->first;
  agent->add_report(run, run_phase::running, {}, 1);
  agent->outbox.back().note = "memory is not limited: no controller";
  agent->add_report(run, run_phase::running, {}, 2);
  agent->outbox.back().note = "memory is not limited: no controller";
  agent.hello();
  pass();
  EXPECT_EQ(describe(id).summary().note(), "memory is not limited: no controller");
  agent->add_report(run, run_phase::succeeded, {0, 0, "Completed", ""}, 3);
  agent->outbox.back().note = "5 bytes of output were dropped";
  agent->live.clear();
  agent.hello();
  pass();
  crash();
  start();
  EXPECT_EQ(job(id).state(), api::SUCCEEDED);
  EXPECT_EQ(describe(id).summary().note(),
            "memory is not limited: no controller; 5 bytes of output were dropped");
}

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

TEST_F(bulk, cancel_refuses_a_class_that_is_not_there_and_of_which_no_job_is) {
  const auto refused = cancel({api::QUEUED}, {"armada-preemptable"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::not_found);
  EXPECT_THAT(refused.error().detail,
              HasSubstr("there is no priority class 'armada-preemptable'; did you mean "
                        "'armada-preemptible'?"));
  EXPECT_EQ(count("a", api::CANCELLED), 0);
  ASSERT_TRUE(cancel({api::QUEUED}, {"armada-preemptible"}));
  ASSERT_TRUE(cancel({api::QUEUED}, {"armada-preemptible"})) << "it is known, though none is left";
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
