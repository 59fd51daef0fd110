// SPDX-License-Identifier: Apache-2.0
// Goal: where a preset does not keep a property, the smallest world that shows it, and why. Method:
// worlds made by hand. What is promised stands in property_test.cpp.
#include "tests/unit/scheduling/property_fixture.hpp"

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
  // The documents of 2020 know no preemption: neither sharing incentive nor freedom from envy.
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

}  // namespace
}  // namespace argosy::scheduling
