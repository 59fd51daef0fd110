// SPDX-License-Identifier: Apache-2.0
// Goal: whoever reads the report on a job knows what it does, or what it waits for and what would
// help. Method: jobs in each state, written down by hand.
#include "messages/rounds/reports/job_report.hpp"

#include <gtest/gtest.h>

namespace argosy::rounds {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t now_ns = 10'000 * second_ns;

ulid id_of(std::uint8_t number) {
  ulid id;
  id.bytes[15] = number;
  return id;
}

model::job_record job_in(model::job_state state) {
  auto header = std::make_shared<model::job_header>();
  header->id = id_of(1);
  header->queue = "team-a";
  header->submitted_ns = now_ns - 300 * second_ns;
  model::job_record job;
  job.header = header;
  job.state = state;
  job.changed_ns = now_ns - 5 * second_ns;
  return job;
}

model::run_record run_of(model::run_state state) {
  model::run_record run;
  run.number = 1;
  run.state = state;
  run.cluster = model::cluster_name{"east"};
  run.node = model::node_name{"n7"};
  run.pool = model::pool_name{"default"};
  run.scheduled_at_priority = 1000;
  run.round = 12;
  run.leased_ns = now_ns - 60 * second_ns;
  run.started_ns = now_ns - 59 * second_ns;
  return run;
}

std::string head(const std::string& state) {
  return "job 00000000000000000000000001 of queue team-a is " + state + ", submitted 5 min ago";
}

TEST(job_report, of_a_waiting_job_has_the_verdict_its_place_its_causes_and_what_helps) {
  native::placement_report waiting;
  waiting.known = true;
  waiting.reason = "no node has room for it now; it starts when other jobs end";
  waiting.place = 9;
  waiting.ahead = {{id_of(2), "it was submitted earlier"}, {id_of(3), "its priority goes first"}};
  waiting.pools.push_back({"default",
                           "JOB_DOES_NOT_FIT",
                           false,
                           12,
                           now_ns - 2'500'000'000,
                           "pool default: 3 nodes have no cpu free, and it needs 2 cores",
                           {"tolerate the taint a:NoSchedule (2 nodes)"}});
  EXPECT_EQ(job_report(job_in(model::job_state::queued), waiting, now_ns),
            head("QUEUED") +
                "\n"
                "no node has room for it now; it starts when other jobs end\n"
                "it has place 9 in its queue; before it: 00000000000000000000000002, "
                "00000000000000000000000003 and 6 more\n"
                "pool default: 3 nodes have no cpu free, and it needs 2 cores (round 12, 2.5 s "
                "ago)\n"
                "  it could help to tolerate the taint a:NoSchedule (2 nodes)\n");
}

TEST(job_report, of_a_new_job_says_that_no_round_has_looked) {
  auto job = job_in(model::job_state::queued);
  EXPECT_EQ(job_report(job, {}, now_ns), head("QUEUED") + "\nno round has looked at it yet\n");
  auto member = *job.header;
  member.gang = std::make_shared<model::gang_info>();
  job.header = std::make_shared<model::job_header>(member);
  EXPECT_EQ(job_report(job, {}, now_ns),
            head("QUEUED") + "\nits gang is new or lacks members: no round has looked at it yet\n");
}

TEST(job_report, of_the_first_of_its_queue_says_so) {
  native::placement_report waiting;
  waiting.known = true;
  waiting.reason = "r";
  waiting.place = 1;
  EXPECT_EQ(job_report(job_in(model::job_state::queued), waiting, now_ns),
            head("QUEUED") + "\nr\nit is the first of its queue\n");
}

TEST(job_report, of_a_running_job_says_where_it_runs_and_why_there) {
  auto job = job_in(model::job_state::running);
  job.runs = {run_of(model::run_state::failed), run_of(model::run_state::running)};
  job.runs.back().number = 2;
  job.runs.back().note = "it waited for its image";
  EXPECT_EQ(job_report(job, {}, now_ns),
            head("RUNNING") +
                ", at its run 2\n"
                "round 12 chose node n7 of cluster east (pool default) for it at priority 1000, 60 "
                "s ago\n"
                "its process started 59 s ago\n"
                "it waited for its image\n");
  job.stopping = model::stop_cause::preempt;
  job.reason = "preempted by bob";
  EXPECT_TRUE(job_report(job, {}, now_ns).ends_with("is being stopped: preempted by bob\n"));
}

TEST(job_report, of_a_preempted_job_says_by_whom) {
  auto job = job_in(model::job_state::preempted);
  job.runs = {run_of(model::run_state::preempted)};
  job.reason = "preempted by a job of a higher priority class";
  job.preemptor = id_of(4);
  const auto rest =
      "reason: preempted by a job of a higher priority class\n"
      "its last run was on node n7 of cluster east (pool default)\n";
  EXPECT_EQ(job_report(job, {}, now_ns),
            head("PREEMPTED") +
                "\nit ended 5.0 s ago\njob 00000000000000000000000004 took its place\n" + rest);
  job.preemptor = {};
  EXPECT_EQ(job_report(job, {}, now_ns),
            head("PREEMPTED") + "\nit ended 5.0 s ago\nno single job took its place\n" + rest);
  job.requestor = "bob";
  EXPECT_EQ(job_report(job, {}, now_ns),
            head("PREEMPTED") + "\nit ended 5.0 s ago\nbob asked for it\n" + rest);
}

TEST(job_report, of_an_ended_job_says_how_it_ended) {
  auto job = job_in(model::job_state::failed);
  job.runs = {run_of(model::run_state::failed)};
  job.runs.back().outcome.exit_code = 3;
  job.runs.back().outcome.message = "the process ended with code 3";
  EXPECT_EQ(job_report(job, {}, now_ns),
            head("FAILED") +
                "\nit ended 5.0 s ago\n"
                "its last run was on node n7 of cluster east (pool default) and ended with code "
                "3\nthe process ended with code 3\n");
  auto cancelled = job_in(model::job_state::cancelled);
  cancelled.requestor = "alice";
  cancelled.reason = "a mistake";
  EXPECT_EQ(job_report(cancelled, {}, now_ns),
            head("CANCELLED") + "\nit ended 5.0 s ago\nalice asked for it\nreason: a mistake\n");
}

}  // namespace
}  // namespace argosy::rounds
