// SPDX-License-Identifier: Apache-2.0
// Goal: a run that is stopping holds its room on its node, and is nothing else to a round. Method:
// small worlds as an earlier round leaves them while its victims still run, under every preset that
// may preempt; `current` takes such runs for ended, as Armada does.
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

std::string job(const std::string& id, const std::string& queue, const std::string& cls, int cpu,
                int submitted) {
  return "J " + id + " " + queue + " " + cls + " 0 " + std::to_string(submitted) + " " +
         std::to_string(cpu) + " 0 0 - - - - 1 -\n";
}

std::string run(const std::string& id, int node, int created, int priority, bool stopping) {
  return "R " + id + " " + std::to_string(node) + " " + std::to_string(created) + " " +
         std::to_string(priority) + (stopping ? " - stopping\n" : "\n");
}

/// Four jobs of one core in a queue; they run on the node, or wait if it is -1.
std::string four(const std::string& queue, int first, int node, bool stopping = false) {
  std::string text;
  for (int i = first; i < first + 4; ++i) {
    const auto id = queue + std::to_string(i);
    text += job(id, queue, "std", 1000, i);
    if (node >= 0) text += run(id, node, i, 1000, stopping);
  }
  return text;
}

/// The urgent c1 has just taken the place of a1 to a4, which still run; b waits.
const std::string after_urgency =
    "N 0 n1 e 4000 1000 0 - -\nN 1 n2 e 4000 1000 0 - -\nQ a 1\nQ b 1\nQ c 1\n" +
    four("a", 1, 0, true) + four("a", 5, 1) + job("c1", "c", "urgent", 4000, 10) +
    run("c1", 0, 10, 2000, false) + four("b", 1, -1);

TEST(stopping_runs, are_no_use_of_their_queue) {
  // Queue a holds four cores and not eight, so that b gets half of them.
  const auto made =
      decide(after_urgency, preset::argosy, [](config& conf) { conf.protected_fraction = 1; });
  EXPECT_EQ(made.rows, (lines{"P a7 n2", "P a8 n2", "S b1 n2 1000", "S b2 n2 1000"}));
  ASSERT_EQ(made.what.queues.size(), 3u);
  EXPECT_EQ(made.what.queues[0].used_before[0], 4000);
  EXPECT_EQ(made.what.queues[0].demand[0], 4000);
}

TEST(stopping_runs, do_not_shut_the_node_that_they_overfill) {
  // The jobs on n1 ask for six of its four cores; its gpus are free.
  const std::string text = "N 0 n1 e 4000 1000 2 - -\nQ a 1\nQ b 1\n" +
                           job("old", "a", "std", 4000, 1) + run("old", 0, 1, 1000, true) +
                           job("new", "b", "urgent", 2000, 2) + run("new", 0, 2, 2000, false) +
                           "J gpu b std 0 3 0 1 1 - - - - 1 -\n" + job("cpu", "b", "std", 1000, 4);
  for (const auto name : {preset::argosy, preset::unified, preset::classic, preset::lottery})
    EXPECT_EQ(decide(text, name).rows, lines{"S gpu n1 1000"}) << to_string(name);
}

TEST(stopping_runs, leave_the_rest_of_an_overfull_node_to_others) {
  // Only memory is overdrawn, so that a job that asks for none gets in.
  const std::string text =
      "N 0 n1 e 4000 1000 0 - -\nQ a 1\nQ b 1\nJ old a std 0 1 1000 900 0 - - - - 1 -\n" +
      run("old", 0, 1, 1000, true) + "J new b urgent 0 2 1000 1000 0 - - - - 1 -\n" +
      run("new", 0, 2, 2000, false) + "J next b low 0 3 1000 0 0 - - - - 1 -\n";
  for (const auto name : {preset::argosy, preset::unified, preset::classic, preset::lottery})
    EXPECT_EQ(decide(text, name).rows, lines{"S next n1 500"}) << to_string(name);
}

TEST(stopping_runs, are_never_victims_and_never_return) {
  // The urgent job needs all of the node: what is stopping there cannot be pushed out once more.
  const std::string text = "N 0 n e 2000 1000 0 - -\nQ a 9\nQ b 1\n" +
                           job("dying", "a", "low", 1000, 1) + run("dying", 0, 1, 500, true) +
                           job("other", "a", "low", 1000, 2) + run("other", 0, 2, 500, false) +
                           job("u", "b", "urgent", 2000, 3);
  for (const auto name : {preset::argosy, preset::unified, preset::classic}) {
    for (const double fraction : {0.0, 9.0}) {
      const auto made =
          decide(text, name, [&](config& conf) { conf.protected_fraction = fraction; });
      EXPECT_EQ(made.rows, lines{}) << to_string(name);
    }
  }
}

TEST(stopping_runs, complete_no_gang_and_keep_no_queue_active) {
  const std::string gang = " - - - g 2 -\n";
  const std::string text =
      "N 0 n e 4000 1000 0 - -\nQ a 1\nQ b 1\n"
      "J g1 a std 0 1 1000 1 0" +
      gang + run("g1", 0, 1, 1000, true) + "J g2 a std 0 1 1000 1 0" + gang;
  const auto made = decide(text);
  EXPECT_EQ(made.rows, lines{});
  EXPECT_EQ(made.what.refusals.front().code, reason::gang_incomplete);
  const auto alone = decide("N 0 n e 4000 1000 0 - -\nQ a 1\n" + four("a", 1, 0, true));
  EXPECT_TRUE(alone.what.queues.empty());
}

TEST(stopping_runs, hold_what_the_pool_has_as_a_whole) {
  const std::string text =
      "C floatingResources licence=2\nN 0 n e 9000 1000 0 - -\nQ a 1\nQ b 1\n"
      "J old a std 0 1 1000 1 0 - - - - 1 - licence=1\n" +
      run("old", 0, 1, 1000, true) + "J x b std 0 2 1000 1 0 - - - - 1 - licence=1\n" +
      "J y b std 0 3 1000 1 0 - - - - 1 - licence=1\n";
  EXPECT_EQ(decide(text).rows, lines{"S x n 1000"});
  EXPECT_EQ(decide(text, preset::current).rows, (lines{"S x n 1000", "S y n 1000"}));
}

TEST(stopping_runs, have_ended_for_current) {
  // Armada ends a job in the cycle that preempts it: its room is free, and it is in no sum.
  EXPECT_EQ(decide(after_urgency, preset::current).rows,
            (lines{"P a7 n2", "P a8 n2", "S b1 n2 1000", "S b2 n2 1000"}));
  const auto text = "N 0 n e 1000 1000 0 - -\nQ a 1\n" + job("old", "a", "std", 1000, 1) +
                    run("old", 0, 1, 1000, true) + job("new", "a", "std", 1000, 2);
  EXPECT_EQ(decide(text, preset::current).rows, lines{"S new n 1000"});
  EXPECT_EQ(decide(text, preset::argosy).rows, lines{});
}

TEST(stopping_runs, of_other_pools_hold_their_room_too) {
  auto text = "C awayPools -\nN 0 n e 2000 1000 0 - - - - mine\nQ a 1\n" +
              job("old", "a", "std", 1000, 1) + "R old 0 1 1000 theirs stopping\n" +
              job("new", "a", "std", 2000, 2);
  auto world = read_snap1(text, bench_config(preset::argosy));
  ASSERT_TRUE(world) << world.error().detail;
  world->params.pool = "mine";
  EXPECT_TRUE(schedule(world->jobs_and_nodes, world->conf, world->params).leases.empty());
}

}  // namespace
}  // namespace argosy::scheduling
