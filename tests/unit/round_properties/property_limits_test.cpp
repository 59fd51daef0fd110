// SPDX-License-Identifier: Apache-2.0
// Goal: where a preset does not keep a property, the smallest world that shows it, and why. Method:
// worlds made by hand. What is promised stands in property_test.cpp.
#include "tests/unit/round_properties/property_fixture.hpp"

namespace argosy::scheduling {
namespace {

test_job waiting(const std::string& id, const std::string& queue, int cpu) {
  test_job j;
  j.id = id;
  j.queue = queue;
  j.cpu = cpu;
  return j;
}

test_job running(const std::string& id, const std::string& queue, int cpu,
                 const std::string& node) {
  auto j = waiting(id, queue, cpu);
  j.node = node;
  return j;
}

TEST(counterexample, current_takes_equal_nodes_in_the_order_of_their_creation) {
  test_world world{{{"z", 4}, {"a", 4}}, {{"q", 1}}, {waiting("j", "q", 1)}};
  EXPECT_EQ(decide_fairly(world, preset::current).rows, lines{"S j z 1000"});
  std::swap(world.nodes[0], world.nodes[1]);
  EXPECT_EQ(decide_fairly(world, preset::current).rows, lines{"S j a 1000"});
  for (const auto name : {preset::argosy, preset::unified, preset::classic, preset::lottery})
    EXPECT_EQ(decide_fairly(world, name).rows, lines{"S j a 1000"}) << to_string(name);
}

TEST(counterexample, current_leaves_a_node_idle_that_a_job_fits_exactly) {
  // 32 GiB are no multiple of the index's 100 MiB: the search starts behind the node.
  const auto text = read_surprise("s01-exact");
  EXPECT_EQ(decide(text, preset::current).rows, lines{});
  for (const auto name : {preset::argosy, preset::unified, preset::classic, preset::lottery})
    EXPECT_EQ(decide(text, name).rows, lines{"S j n1 1000"}) << to_string(name);
}

TEST(counterexample, lottery_gives_a_late_queue_nothing_of_a_full_pool) {
  // The documents of 2020 know no preemption, and so neither sharing incentive nor freedom from
  // envy.
  test_world world{{{"n", 4}}, {{"early", 1}, {"late", 1}}, {}};
  for (int i = 0; i < 4; ++i) {
    world.jobs.push_back(running("e" + std::to_string(i), "early", 1, "n"));
    world.jobs.push_back(waiting("l" + std::to_string(i), "late", 1));
  }
  EXPECT_EQ(decide_fairly(world, preset::lottery).rows, lines{});
  for (const auto name : {preset::argosy, preset::unified, preset::classic, preset::current})
    EXPECT_EQ(decide_fairly(world, name).what.leases.size(), 2u) << to_string(name);
}

TEST(counterexample, a_preempted_job_that_comes_again_may_start_elsewhere) {
  // A job is never moved, so it loses its place although another node is free; as a new job it goes
  // there. Nobody else is preempted for it.
  test_world world{{{"bound", 4, "zone=z0"}, {"free", 4}}, {{"rich", 3}, {"poor", 1}}, {}};
  world.jobs = {running("r", "rich", 4, "bound"), waiting("p", "poor", 4), waiting("q", "poor", 4)};
  for (auto* j : {&world.jobs[1], &world.jobs[2]}) j->selector = "zone=z0";
  for (const auto name : {preset::argosy, preset::unified, preset::classic, preset::current}) {
    const auto first = decide_fairly(world, name).rows;
    EXPECT_EQ(first, (lines{"P r bound", "S p bound 1000"})) << to_string(name);
    const auto second = decide_fairly(after(world, first, lost_jobs::resubmitted), name).rows;
    EXPECT_EQ(second, lines{"S r free 1000"}) << to_string(name);
  }
}

TEST(counterexample, an_evicted_job_keeps_back_its_queues_urgent_one) {
  // `a`, evicted, comes before `u` in their queue and has a low class, so `b1` and `b2` are tried
  // first. What `u` leaves of the room of `c` comes too late for `b2`: each job is tried once.
  test_world world{{{"n", 6}}, {{"rich", 3}, {"poor", 1}, {"heavy", 0.5}}, {}};
  world.jobs = {running("a", "rich", 3, "n"), running("c", "heavy", 3, "n"),
                waiting("b1", "poor", 3), waiting("b2", "poor", 1), waiting("u", "rich", 1)};
  world.jobs[0].class_name = "low";
  world.jobs[0].run_priority = 500;
  world.jobs[4].class_name = "urgent";
  const auto first = decide_fairly(world, preset::argosy).rows;
  EXPECT_EQ(first, (lines{"P a n", "P c n", "S b1 n 1000", "S u n 2000"}));
  EXPECT_EQ(decide_fairly(after(world, first, lost_jobs::end), preset::argosy).rows,
            lines{"S b2 n 1000"});
}

TEST(counterexample, current_learns_whom_urgency_costs_its_place_too_late) {
  // `large` leaves after all jobs were tried, so that `small` finds its room in the next round.
  test_world world{{{"n", 5}}, {{"q", 1}}, {}};
  world.jobs = {running("large", "q", 5, "n"), waiting("small", "q", 1), waiting("urgent", "q", 1)};
  world.jobs[2].class_name = "urgent";
  EXPECT_EQ(decide_fairly(world, preset::argosy).rows,
            (lines{"P large n", "S small n 1000", "S urgent n 2000"}));
  const auto first = decide_fairly(world, preset::current).rows;
  EXPECT_EQ(first, (lines{"P large n", "S urgent n 2000"}));
  EXPECT_EQ(decide_fairly(after(world, first, lost_jobs::end), preset::current).rows,
            lines{"S small n 1000"});
}

TEST(counterexample, classic_pushes_out_what_it_has_just_started) {
  // Without class in the order the older job comes first and takes the only node of the urgent one;
  // the other node stays idle until the next round.
  test_world world{{{"a", 3, "zone=z0"}, {"b", 3, "zone=z1"}}, {{"q", 1}}, {}};
  world.jobs = {waiting("old", "q", 3), waiting("urgent", "q", 1)};
  world.jobs[1].class_name = "urgent";
  world.jobs[1].selector = "zone=z0";
  world.jobs[1].submitted = 1;
  const auto first = decide_fairly(world, preset::classic).rows;
  EXPECT_EQ(first, lines{"S urgent a 2000"});
  EXPECT_EQ(decide_fairly(after(world, first, lost_jobs::end), preset::classic).rows,
            lines{"S old b 1000"});
}

TEST(counterexample, what_a_round_starts_may_cost_its_queue_a_place_in_the_next) {
  // `rich` is within its share until its urgent job has started, which class puts before fairness.
  test_world world{{{"n", 7}}, {{"poor", 1}, {"rich", 1}}, {}};
  world.jobs = {running("r", "rich", 1, "n"), waiting("u", "rich", 4), waiting("p", "poor", 3)};
  world.jobs[1].class_name = "urgent";
  world.jobs[1].run_priority = 2000;
  for (const auto name : {preset::argosy, preset::current}) {
    const auto first = decide_fairly(world, name).rows;
    EXPECT_EQ(first, lines{"S u n 2000"}) << to_string(name);
    EXPECT_EQ(decide_fairly(after(world, first, lost_jobs::end), name).rows,
              (lines{"P r n", "S p n 1000"}))
        << to_string(name);
  }
  // A preset that evicts everything anew in each round settles it at once.
  EXPECT_EQ(decide_fairly(world, preset::unified).rows,
            (lines{"P r n", "S p n 1000", "S u n 2000"}));
}

}  // namespace
}  // namespace argosy::scheduling
