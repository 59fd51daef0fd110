// SPDX-License-Identifier: Apache-2.0
// Goal: the reports on rounds and on queues tell shares, demand, limits and what stopped a queue,
// as much as the verbosity asks for. Method: rounds written down by hand.
#include <gtest/gtest.h>

#include "messages/rounds/reports/queue_report.hpp"
#include "messages/rounds/reports/report_words.hpp"
#include "messages/rounds/reports/scheduling_report.hpp"

namespace argosy::rounds {
namespace {

constexpr std::int64_t one_second = 1'000'000'000;
constexpr std::int64_t here_ns = 10'000 * one_second;

native::round_report some_rounds() {
  native::round_report out;
  auto& pool = out.pools.emplace_back();
  pool.pool = "default";
  pool.number = 12;
  pool.time_ns = here_ns - 2 * one_second;
  pool.started = 4;
  pool.preempted = 1;
  pool.returned = 2;
  pool.used = {"12 cores of 16 cores"};
  auto& active = pool.queues["team-a"];
  active.share = {0.5, 0.75, 1};
  active.active = true;
  active.weight = 0.5;
  active.started = 4;
  active.preempted = 1;
  active.used = {"12 cores"};
  active.stops = {{"JOB_DOES_NOT_FIT", "no node has room for it", 7}};
  pool.queues["team-b"].stops = {{"QUEUE_CORDONED", "its queue is cordoned", 1}};
  out.pools.emplace_back().pool = "gpu";
  out.slowed = {{"team-a", 0.5}};
  return out;
}

const std::string default_head =
    "pool default: round 12, 2.0 s ago, started 4 jobs and preempted 1 job\n";
const std::string share_of_a =
    "uses 75.0% of pool default; its fair share is 50.0% and its demand 100.0%";
const std::string gpu_line =
    "pool gpu: no round to tell of; rounds take place while there are jobs\n";
const std::string slow_line = "queue team-a: starts 50% more slowly, since its runs fail\n";

TEST(scheduling_report, tells_pools_first_and_queues_when_asked_for_more) {
  const auto pools = default_head +
                     "  in use: 12 cores of 16 cores\n"
                     "  2 jobs evicted for balance came back\n"
                     "  2 queues took part or waited; 8 jobs got no place\n";
  const auto a = "  queue team-a: " + share_of_a + "; started 4, preempted 1\n";
  const auto a_stop = "    7 jobs: no node has room for it (JOB_DOES_NOT_FIT)\n";
  const auto b =
      "  queue team-b: took no part in the round; started 0, preempted 0\n"
      "    1 job: its queue is cordoned (QUEUE_CORDONED)\n";
  EXPECT_EQ(scheduling_report(some_rounds(), {"", 0, here_ns}), pools + gpu_line + slow_line);
  EXPECT_EQ(scheduling_report(some_rounds(), {"", 1, here_ns}),
            pools + a + a_stop + b + gpu_line + slow_line);
  EXPECT_EQ(scheduling_report(some_rounds(), {"", 2, here_ns}),
            pools + a + "    weight 0.5\n    has 12 cores\n" + a_stop + b + gpu_line + slow_line);
  EXPECT_EQ(scheduling_report(some_rounds(), {"team-b", 0, here_ns}), pools + b + gpu_line);
  EXPECT_EQ(scheduling_report(some_rounds(), {"team-c", 0, here_ns}),
            pools + "  queue team-c: has nothing here\n" + gpu_line);
}

TEST(scheduling_report, says_what_the_jobs_that_got_no_place_ask_for) {
  auto rounds = some_rounds();
  auto& stop = rounds.pools[0].queues.at("team-a").stops.at(0);
  ulid id;
  id.bytes[15] = 1;
  stop.kinds = {{"2 cores", 4, id}, {"1 core each, in gangs of 2", 1, {}}};
  EXPECT_THAT(scheduling_report(rounds, {"team-a", 0, here_ns}),
              ::testing::HasSubstr("    7 jobs: no node has room for it (JOB_DOES_NOT_FIT)\n"
                                   "      4 ask for 2 cores, such as " +
                                   to_string(id) +
                                   "\n"
                                   "      1 asks for 1 core each, in gangs of 2\n"
                                   "      and 2 more\n"));
}

TEST(scheduling_report, without_nodes_says_so) {
  EXPECT_EQ(scheduling_report({}, {}), "no cluster has joined: there are no nodes\n");
}

TEST(scheduling_report, tells_a_discarded_plan) {
  native::round_report rounds;
  rounds.pools.emplace_back().pool = "default";
  rounds.pools.back().discarded = "it failed its self-check";
  EXPECT_EQ(scheduling_report(rounds, {}),
            "pool default: no round to tell of; rounds take place while there are jobs; the last "
            "plan was discarded: it "
            "failed its self-check\n");
}

native::queue_status team_a() {
  native::queue_status out;
  out.settings.name = "team-a";
  out.settings.priority_factor = 2;
  out.live = {{model::job_state::queued, 7}, {model::job_state::running, 4}};
  return out;
}

TEST(queue_report, tells_shares_demand_and_what_stopped_it) {
  const std::string jobs =
      "queue team-a: priority factor 2, weight 0.5; jobs: 7 QUEUED, 4 RUNNING\n"
      "it starts jobs 50% more slowly, since its runs fail\n";
  const auto line = share_of_a + "; the last round started 4 and preempted 1\n";
  const std::string stops =
      "not started in pool default:\n"
      "  7 jobs: no node has room for it (JOB_DOES_NOT_FIT)\n";
  EXPECT_EQ(queue_report(team_a(), some_rounds(), 0, here_ns), jobs + line + stops);
  EXPECT_EQ(queue_report(team_a(), some_rounds(), 1, here_ns),
            jobs + default_head + line + "  has 12 cores\n" + stops + gpu_line +
                "  the queue has nothing here\n");
}

TEST(queue_report, tells_limits_and_that_the_queue_is_cordoned) {
  auto queue = team_a();
  queue.live.clear();
  queue.settings.cordoned = true;
  auto& limit = queue.settings.limits["batch"];
  limit.fraction = {{"cpu", 0.5}, {"memory", 0.25}};
  limit.fraction_by_pool["gpu"] = {{"cpu", 0.125}};
  queue.settings.total_limit = {{"cpu", 0.75}};
  EXPECT_EQ(queue_report(queue, {}, 0, here_ns),
            "queue team-a: priority factor 2, weight 0.5; no live jobs\n"
            "it is cordoned and starts no jobs; open it with: argosyctl queue update team-a "
            "--uncordon\n"
            "limit of all classes together: 75% of cpu of a pool\n"
            "limit of class batch: 50% of cpu, 25% of memory of a pool\n"
            "limit of class batch: 12.5% of cpu of pool gpu\n"
            "no cluster has joined: there are no nodes\n");
}

TEST(report_words, tell_times_in_the_unit_that_people_use) {
  const auto text = [](std::int64_t seconds) {
    return ago(here_ns - seconds * one_second, here_ns);
  };
  EXPECT_EQ(text(-5), "0.0 s ago");
  EXPECT_EQ(text(9), "9.0 s ago");
  EXPECT_EQ(text(119), "119 s ago");
  EXPECT_EQ(text(120), "2 min ago");
  EXPECT_EQ(text(7200), "2 h ago");
  EXPECT_EQ(text(200'000), "2 days ago");
}

}  // namespace
}  // namespace argosy::rounds
