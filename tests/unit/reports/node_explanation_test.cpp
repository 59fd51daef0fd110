// SPDX-License-Identifier: Apache-2.0
// Goal: programs and argosyctl get as fields and in one sentence what a node is to a job, whether
// that waits, runs there or elsewhere, or has ended, and why a node takes no jobs at all. Method:
// jobs, nodes and answers of rounds, written down by hand.
#include "messages/rounds/reports/node_explanation.hpp"

#include <gmock/gmock.h>

namespace argosy::rounds {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct node_explanations : ::testing::Test {
  node_explanations() {
    auto header = std::make_shared<model::job_header>();
    header->id.bytes[15] = 1;
    header->queue = "team-a";
    job.header = header;
    job.state = model::job_state::queued;
    status.cluster = "east";
    status.pool = "main";
    status.state = "ready";
    status.info.name = "n7";
    answer.node_known = answer.job_known = true;
    answer.priority = 1000;
    answer.code = "QUEUE_RATE_LIMIT";
    answer.why = "the rate is used up";
    answer.round = 12;
  }
  void run_on(const std::string& node) {
    model::run_record run;
    run.number = 1;
    run.cluster = model::cluster_name{"east"};
    run.node = model::node_name{node};
    run.pool = model::pool_name{"main"};
    run.round = 9;
    job.state = model::job_state::running;
    job.runs = {run};
  }
  [[nodiscard]] v1::JobOnNode explained(const std::string& silence = "") const {
    return explanation_of(job, answer, {status, silence});
  }

  model::job_record job;
  native::node_status status;
  native::job_on_node answer;
};

TEST_F(node_explanations, of_a_node_with_room_name_what_the_last_round_said) {
  answer.room = {{"cpu", 1, 8, 4, {{1000, 6}}}};
  const auto got = explained();
  EXPECT_TRUE(got.fits());
  EXPECT_EQ(got.verdict(),
            "nothing about the node stands in its way; in round 12: the rate is used up");
  EXPECT_EQ(got.code(), "QUEUE_RATE_LIMIT");
  ASSERT_EQ(got.room_size(), 1);
  EXPECT_EQ(got.room(0).at_priority(0).free(), 6);
  answer.code.clear();
  EXPECT_THAT(explained().verdict(), HasSubstr("no round has looked at it"));
}

TEST_F(node_explanations, have_all_that_stands_in_the_way) {
  answer.obstacles = {{"TAINT", "the node has the taint a"}, {"NO_ROOM", "it needs 4 cores"}};
  const auto got = explained();
  EXPECT_FALSE(got.fits());
  ASSERT_EQ(got.obstacles_size(), 2);
  EXPECT_EQ(got.obstacles(0).code(), "TAINT");
  EXPECT_EQ(got.verdict(), "the node has the taint a; 1 thing more stands in its way");
}

TEST_F(node_explanations, say_who_or_what_has_closed_the_node) {
  answer.obstacles = {{"NODE_CLOSED", "the node takes no new jobs"}, {"LABEL", "a label"}};
  answer.closed = true;
  EXPECT_EQ(explained().obstacles(0).text(), "the node takes no new jobs") << "nobody knows why";
  status.cordon = "cordoned by alice: disk";
  status.state = "quarantined";
  status.why = "3 runs failed there";
  status.quarantined_until_ns = 77;
  const auto got = explained("cluster 'east' has not been heard for 40 s");
  ASSERT_EQ(got.obstacles_size(), 4);
  EXPECT_EQ(got.obstacles(0).code(), "CLUSTER_SILENT");
  EXPECT_EQ(got.obstacles(1).text(), "the node is cordoned by alice: disk");
  EXPECT_EQ(got.obstacles(2).code(), "NODE_QUARANTINED");
  EXPECT_EQ(got.obstacles(2).until_ns(), 77);
  EXPECT_EQ(got.obstacles(3).code(), "LABEL");
  answer.obstacles.clear();
  answer.closed = false;
  EXPECT_THAT(explained().obstacles(), IsEmpty()) << "it tolerates that";
}

TEST_F(node_explanations, of_a_run_say_why_there_or_why_not_there) {
  run_on("n7");
  answer.obstacles = {{"NO_ROOM", "it needs 4 cores"}};
  auto got = explained();
  EXPECT_TRUE(got.runs_here());
  EXPECT_THAT(got.obstacles(), IsEmpty());
  EXPECT_THAT(got.verdict(), HasSubstr("round 9 chose node n7"));
  run_on("n1");
  got = explained();
  EXPECT_FALSE(got.runs_here());
  EXPECT_THAT(got.verdict(), HasSubstr("round 9 chose node n1"));
  EXPECT_THAT(got.verdict(), HasSubstr("could not take it now: it needs 4 cores"));
  EXPECT_EQ(got.run().node(), "n1");
  ASSERT_EQ(got.notes_size(), 1);
  EXPECT_THAT(got.notes(0), HasSubstr("--round 9"));
}

TEST_F(node_explanations, of_a_job_that_has_ended_or_is_held_judge_no_node) {
  job.hold = std::make_shared<const model::job_hold>();
  answer.job_known = false;
  EXPECT_FALSE(explained().verdict().empty());
  EXPECT_FALSE(explained().fits());
  job.hold.reset();
  EXPECT_EQ(explained().verdict(), "") << "its queue knows why";
  job.state = model::job_state::succeeded;
  EXPECT_THAT(explained().verdict(), HasSubstr("it succeeded"));
  EXPECT_THAT(explained().obstacles(), IsEmpty());
}

TEST_F(node_explanations, of_a_node_that_no_round_knows_say_so) {
  answer.node_known = false;
  const auto got = explained();
  ASSERT_EQ(got.obstacles_size(), 1);
  EXPECT_EQ(got.obstacles(0).code(), "NODE_UNKNOWN");
  EXPECT_FALSE(got.fits());
}

TEST_F(node_explanations, of_gang_members_and_away_jobs_have_a_note) {
  auto header = std::make_shared<model::job_header>(*job.header);
  auto gang = std::make_shared<model::gang_info>();
  gang->cardinality = 4;
  header->gang = std::move(gang);
  job.header = header;
  answer.away = true;
  const auto got = explained();
  ASSERT_EQ(got.notes_size(), 2);
  EXPECT_THAT(got.notes(0), HasSubstr("at priority 1000"));
  EXPECT_THAT(got.notes(1), HasSubstr("4 members"));
}

TEST_F(node_explanations, of_the_waiting_jobs_say_how_many_fit_and_why_the_others_do_not) {
  native::node_answer all;
  all.node_known = true;
  all.waiting = 10;
  all.looked_at = 8;
  all.fitting = 1;
  all.jobs = {{job.header->id, "team-a", 2, false, "", ""}};
  all.others = {{7, "NO_ROOM", "7 jobs need more"}};
  const auto got = explanation_of(all, {status, ""}, "team-a");
  EXPECT_EQ(got.verdict(), "1 of 8 waiting jobs of queue team-a fits there");
  EXPECT_EQ(got.waiting(), 10U);
  EXPECT_EQ(got.jobs(0).place_in_queue(), 2U);
  EXPECT_EQ(got.others(0).jobs(), 7U);
  status.cordon = "cordoned by alice";
  EXPECT_THAT(explanation_of(all, {status, ""}, "").verdict(),
              HasSubstr("cordoned by alice, so that no job starts there; 1 of"));
  all.waiting = all.looked_at = all.fitting = 0;
  status.cordon.clear();
  EXPECT_EQ(explanation_of(all, {status, ""}, "").verdict(), "no job waits");
}

}  // namespace
}  // namespace argosy::rounds
