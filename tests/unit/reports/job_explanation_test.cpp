// SPDX-License-Identifier: Apache-2.0
// Goal: programs and argosyctl get as fields why a job waits, which queues go first, where it runs,
// or how it ended. Method: jobs in each state and answers of rounds, written down by hand.
#include "messages/rounds/reports/job_explanation.hpp"

#include <gmock/gmock.h>

namespace argosy::rounds {
namespace {

using ::testing::HasSubstr;

ulid explained_id(std::uint8_t number) {
  ulid id;
  id.bytes[15] = number;
  return id;
}

model::job_record explained_job(model::job_state state) {
  auto header = std::make_shared<model::job_header>();
  header->id = explained_id(1);
  header->queue = "team-a";
  header->submitted_ns = 100;
  model::job_record job;
  job.header = header;
  job.state = state;
  job.changed_ns = 200;
  return job;
}

model::run_record explained_run() {
  model::run_record run;
  run.number = 2;
  run.cluster = model::cluster_name{"east"};
  run.node = model::node_name{"n7"};
  run.pool = model::pool_name{"default"};
  run.scheduled_at_priority = 1000;
  run.round = 12;
  run.leased_ns = 150;
  return run;
}

/// What rounds say of a job of team-a, which has more of its share than "small" and less than
/// "large"; "idle" asks for nothing more.
native::placement_report report_of_wait() {
  native::placement_report waiting;
  waiting.known = true;
  waiting.reason = "no node has room for it now";
  waiting.code = "JOB_DOES_NOT_FIT";
  waiting.place = 3;
  waiting.ahead = {{explained_id(2), "its priority goes first"}};
  native::pool_reason pool;
  pool.pool = "default";
  pool.code = "JOB_DOES_NOT_FIT";
  pool.round = 12;
  pool.time_ns = 190;
  pool.text = "pool default: 3 nodes have no cpu free";
  pool.remedies = {"ask for 1 core at most (3 nodes)"};
  pool.nodes = {{3, "3 nodes have no cpu free"}};
  waiting.pools = {pool};
  return waiting;
}

native::round_report report_of_rounds() {
  native::pool_round round;
  round.pool = "default";
  round.queues["team-a"] = {{0.5, 0.25, 1}, true, 1, 0, 0, {{"RATE_LIMIT", "too fast", 4}}, {}};
  round.queues["small"] = {{0.5, 0.1, 1}, true, 1, 0, 0, {}, {}};
  round.queues["large"] = {{0.5, 0.4, 1}, true, 1, 0, 0, {}, {}};
  round.queues["idle"] = {{0.5, 0.1, 0.1}, true, 1, 0, 0, {}, {}};
  native::round_report out;
  out.pools = {round};
  return out;
}

TEST(job_explanation, of_a_waiting_job_has_causes_with_counts_shares_and_who_goes_first) {
  const auto got =
      explanation_of(explained_job(model::job_state::queued), report_of_wait(), report_of_rounds());
  EXPECT_EQ(got.state(), "QUEUED");
  EXPECT_EQ(got.verdict(), "no node has room for it now");
  EXPECT_EQ(got.place_in_queue(), 3U);
  ASSERT_EQ(got.ahead_size(), 1);
  EXPECT_EQ(got.ahead(0).job_id(), to_string(explained_id(2)));
  EXPECT_EQ(got.ahead(0).why(), "its priority goes first");
  ASSERT_EQ(got.pools_size(), 1);
  const auto& pool = got.pools(0);
  EXPECT_EQ(pool.nodes(0).nodes(), 3U);
  EXPECT_EQ(pool.remedies(0), "ask for 1 core at most (3 nodes)");
  EXPECT_EQ(pool.queue().actual_share(), 0.25);
  EXPECT_EQ(pool.queue().fair_share(), 0.5);
  ASSERT_EQ(pool.before_size(), 1) << "neither who has more of his share nor who wants nothing";
  EXPECT_EQ(pool.before(0).queue(), "small");
  ASSERT_EQ(pool.stops_size(), 1);
  EXPECT_EQ(pool.stops(0).jobs(), 4U);
}

TEST(job_explanation, of_a_job_that_no_round_knows_leaves_the_verdict_to_who_knows) {
  EXPECT_EQ(explanation_of(explained_job(model::job_state::queued), {}, {}).verdict(), "");
}

TEST(job_explanation, of_a_held_job_says_who_holds_it) {
  auto job = explained_job(model::job_state::queued);
  job.hold = std::make_shared<const model::job_hold>(model::job_hold{"ann", "no input", 0});
  EXPECT_THAT(explanation_of(job, report_of_wait(), {}).verdict(), HasSubstr("held by ann"));
}

TEST(job_explanation, of_a_run_says_which_round_chose_its_place_and_that_it_is_being_stopped) {
  auto job = explained_job(model::job_state::running);
  job.runs.push_back(explained_run());
  job.runs.back().state = model::run_state::running;
  auto got = explanation_of(job, {}, {});
  EXPECT_EQ(got.verdict(),
            "round 12 chose node n7 of cluster east (pool default) for it, at priority 1000");
  EXPECT_EQ(got.run().round(), 12U);
  EXPECT_EQ(got.run().stopping(), "");
  job.stopping = model::stop_cause::preempt;
  job.reason = "a higher class needs the room";
  got = explanation_of(job, {}, {});
  EXPECT_THAT(got.verdict(), HasSubstr("is being stopped: a higher class needs the room"));
  EXPECT_EQ(got.run().stopping(), "preempt");
}

TEST(job_explanation, of_a_job_that_ended_says_how_and_by_whom) {
  auto job = explained_job(model::job_state::preempted);
  job.runs.push_back(explained_run());
  job.runs.back().state = model::run_state::preempted;
  job.preemptor = explained_id(9);
  auto got = explanation_of(job, {}, {});
  EXPECT_THAT(got.verdict(), HasSubstr("took its place"));
  EXPECT_EQ(got.run().preemptor(), to_string(explained_id(9)));
  job.preemptor = {};
  job.requestor = "ann";
  EXPECT_EQ(explanation_of(job, {}, {}).verdict(), "ann asked for its preemption");

  job.state = model::job_state::failed;
  job.requestor = "";
  job.runs.back().outcome.exit_code = 3;
  EXPECT_EQ(explanation_of(job, {}, {}).verdict(),
            "it failed with code 3 on node n7 of cluster east (pool default)");
  job.state = model::job_state::cancelled;
  job.requestor = "ann";
  job.runs.clear();
  EXPECT_EQ(explanation_of(job, {}, {}).verdict(), "it was cancelled by ann");
}

}  // namespace
}  // namespace argosy::rounds
