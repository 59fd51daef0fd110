// SPDX-License-Identifier: Apache-2.0
// Goal: of a round stays what each queue got and what stopped it. Method: plans written down by
// hand over small worlds in SNAP1.
#include "messages/rounds/round_digest.hpp"

#include <gmock/gmock.h>

#include "tests/support/world_fixture.hpp"

namespace argosy::rounds {
namespace {

using scheduling::reason;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

scheduling::snap1_world some_world() {
  return scheduling::read_snap1(
             "N 0 n0 e 8000 9000 0 - -\nQ q 1\nQ p 1\n"
             "J a q std-np 1 1 1000 1 0 - - - - 1 -\nJ b q std-np 1 1 1000 1 0 - - - - 1 -\n"
             "J c q std-np 1 1 1000 1 0 - - - - 1 -\n",
             scheduling::bench_config(scheduling::preset::argosy))
      .value();
}

TEST(round_digests, count_what_stopped_each_queue_with_the_most_first) {
  const auto world = some_world();
  const auto& from = world.jobs_and_nodes;
  scheduling::plan plan;
  plan.refusals = {{0, reason::queue_rate_limit}, {1, reason::job_does_not_fit}};
  std::uint32_t queue = 0;
  while (from.queue_name(queue) != "q") ++queue;
  plan.skips = {{queue, scheduling::none, reason::job_does_not_fit, 4}};
  const auto out = digest_of(plan, from, scheduling::default_config(), "e", 7, 99);
  EXPECT_EQ(out.pool, "e");
  EXPECT_EQ(out.number, 7U);
  EXPECT_EQ(out.time_ns, 99);
  const auto& stops = out.queues.at("q").stops;
  ASSERT_EQ(stops.size(), 2U);
  EXPECT_EQ(stops[0].code, "JOB_DOES_NOT_FIT");
  EXPECT_EQ(stops[0].jobs, 5U);
  EXPECT_EQ(stops[1].code, "QUEUE_RATE_LIMIT");
  EXPECT_EQ(stops[1].jobs, 1U);
  EXPECT_FALSE(out.queues.at("q").active) << "the plan has no figures of it";
}

TEST(round_digests, say_what_the_jobs_that_were_stopped_ask_for) {
  const auto world = some_world();
  const auto& from = world.jobs_and_nodes;
  scheduling::plan plan;
  plan.refusals = {{0, reason::queue_rate_limit, 1}, {1, reason::job_does_not_fit, 7}};
  const auto conf = scheduling::bench_config(scheduling::preset::argosy);
  auto out = digest_of(plan, from, conf, "e", 7, 99);
  name_kinds(unplaced_kinds{plan, from}, from, conf, out);
  const auto& stops = out.queues.at("q").stops;
  ASSERT_EQ(stops.size(), 2U);
  ASSERT_EQ(stops[0].kinds.size(), 1U);
  EXPECT_EQ(stops[0].kinds[0].jobs, 7U);
  EXPECT_EQ(stops[0].kinds[0].asks, "1 core and 1 byte of memory");
  EXPECT_EQ(stops[0].kinds[0].example, from.job_id(1));
  ASSERT_EQ(stops[1].kinds.size(), 1U);
  EXPECT_EQ(stops[1].kinds[0].jobs, 1U);
}

TEST(round_digests, name_few_kinds_of_each_queue) {
  std::string text = "N 0 n0 e 1 1 0 - -\n";
  for (int q = 0; q < 100; ++q) {
    const auto queue = "q" + std::to_string(q);
    text += "Q " + queue + " 1\n";
    for (int i = 0; i < 5; ++i)
      text += "J " + queue + "-" + std::to_string(i) + " " + queue + " std-np 1 1 " +
              std::to_string(1000 + i) + " 1 0 - - - - 1 -\n";
  }
  const auto conf = scheduling::bench_config(scheduling::preset::argosy);
  const auto world = scheduling::read_snap1(text, conf).value();
  const auto& from = world.jobs_and_nodes;
  const auto plan = scheduling::schedule(from, world.conf, world.params);
  auto out = digest_of(plan, from, world.conf, "default", 1, 1);
  name_kinds(unplaced_kinds{plan, from}, from, world.conf, out);
  std::size_t named = 0;
  for (const auto& [name, queue] : out.queues)
    for (const auto& stop : queue.stops) {
      EXPECT_EQ(stop.jobs, 5U);
      EXPECT_LE(stop.kinds.size(), 3U);
      named += stop.kinds.size();
    }
  EXPECT_EQ(named, 200U);
}

TEST(round_digests, add_guests_to_the_pool_and_to_no_queue) {
  const auto world = some_world();
  scheduling::plan plan;
  plan.leases.resize(2);
  plan.preemptions.resize(1);
  plan.rescheduled = 3;
  plan.resources = {"cpu", "pods"};
  plan.pool_total = {16'000, 100};
  plan.queues.resize(2);
  auto& queue = plan.queues[0];
  queue.name = "q";
  queue.weight = 0.5;
  queue.fair_share = 0.25;
  queue.cost_after = 0.5;
  queue.demand_share = 1;
  queue.leased = 2;
  queue.preempted = 1;
  queue.used_after = {4000, 4};
  plan.queues[1].name = "q-away";
  plan.queues[1].guests = true;
  plan.queues[1].used_after = {2000, 1};
  const auto out = digest_of(plan, world.jobs_and_nodes, scheduling::default_config(), "e", 7, 99);
  EXPECT_EQ(out.started, 2U);
  EXPECT_EQ(out.preempted, 1U);
  EXPECT_EQ(out.returned, 3U);
  EXPECT_THAT(out.used, ElementsAre("6 cores of 16 cores"));
  ASSERT_EQ(out.queues.size(), 1U);
  const auto& of_q = out.queues.at("q");
  EXPECT_TRUE(of_q.active);
  EXPECT_EQ(of_q.weight, 0.5);
  EXPECT_EQ(of_q.share.fair, 0.25);
  EXPECT_EQ(of_q.share.actual, 0.5);
  EXPECT_EQ(of_q.share.demand, 1);
  EXPECT_EQ(of_q.started, 2U);
  EXPECT_EQ(of_q.preempted, 1U);
  EXPECT_THAT(of_q.used, ElementsAre("4 cores"));
  EXPECT_THAT(of_q.stops, IsEmpty());
}

}  // namespace
}  // namespace argosy::rounds
