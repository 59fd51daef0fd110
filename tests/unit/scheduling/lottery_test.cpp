// SPDX-License-Identifier: Apache-2.0
// Goal: slices and lottery share out what is free as the documents of 2020 say. Method: one node,
// few queues, jobs of whole cores; what a round can give is limited where a single stage is meant.
#include <map>

#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

/// The amounts of this many cores, with a GiB of memory for each, so that both cost alike.
std::string amounts(int cores) {
  return std::to_string(1000 * cores) + " " + std::to_string(std::int64_t{cores} << 30) + " 0 ";
}

std::string node_of(int cores) {
  return "N 0 n e " + amounts(cores) + "- -\n";
}

/// Jobs of a queue that wait, numbered from `from` on, each of this many cores.
std::string waiting(const std::string& queue, int from, int count, int cores) {
  std::string text;
  for (int i = from; i < from + count; ++i)
    text += "J " + queue + std::to_string(1000 + i) + " " + queue + " std 0 " + std::to_string(i) +
            " " + amounts(cores) + "- - - - 1 -\n";
  return text;
}

std::string running(const std::string& queue, int cores) {
  return "J " + queue + "-runs " + queue + " std-np 0 1 " + amounts(cores) + "- - - - 1 -\nR " +
         queue + "-runs 0 1 1000\n";
}

/// How many jobs start, by queue.
using starts = std::map<std::string, std::uint64_t>;

starts started(const std::string& text, std::uint64_t seed = 0,
               const std::function<void(config&)>& adjust = {}) {
  auto conf = bench_config(preset::lottery);
  if (adjust) adjust(conf);
  auto world = read_snap1(text, conf);
  EXPECT_TRUE(world) << world.error().detail;
  world->params.seed = seed;
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(what.error + what.violation, "");
  starts by_queue;
  for (const auto& queue : what.queues) by_queue[queue.name] = queue.leased;
  return by_queue;
}

TEST(slices, a_placed_gang_is_no_try) {
  // The batch is a window that moves on, so that no lot is drawn before a slice is full.
  const auto text =
      node_of(40) + "Q a 1\nQ b 1\n" + waiting("a", 0, 30, 1) + waiting("b", 0, 30, 1);
  const auto small_batch = [](config& conf) {
    conf.slice_batch = 2;
    conf.max_new_decisions = 20;
  };
  for (const std::uint64_t seed : {1, 2, 3, 4})
    EXPECT_EQ(started(text, seed, small_batch), (starts{{"a", 10}, {"b", 10}})) << seed;
}

TEST(slices, queues_fill_in_turns) {
  const auto text =
      node_of(40) + "Q a 1\nQ b 1\n" + waiting("a", 0, 30, 1) + waiting("b", 0, 30, 1);
  const auto ten = [](config& conf) { conf.max_new_decisions = 10; };
  EXPECT_EQ(started(text, 7, ten), (starts{{"a", 5}, {"b", 5}}));
}

TEST(slices, an_exact_fit_is_one) {
  // Parts of the pool are seldom doubles. Queues that miss their slice by a step draw lots.
  for (int queues = 2; queues <= 24; ++queues) {
    for (int cores = 3; cores <= 9; ++cores) {
      auto text = "N 0 n e " + std::to_string(1000 * cores * queues) + " 900000 " + "0 - -\n";
      starts expected;
      for (int q = 0; q < queues; ++q) {
        const auto name = std::string(1, static_cast<char>('a' + q));
        text += "Q " + name + " 3\n";
        for (int i = 0; i < 4; ++i)
          text += "J " + name + std::to_string(i) + " " + name + " std 0 1 " +
                  std::to_string(1000 * cores) + " 1 0 - - - - 1 -\n";
        expected[name] = 1;
      }
      EXPECT_EQ(started(text, 1), expected) << queues << " queues, " << cores << " cores";
    }
  }
}

TEST(slices, a_cordoned_queue_gets_none) {
  const auto text = node_of(30) + "Q a 1\nQ b 1\nQ c 1 cordoned\n" + waiting("a", 0, 20, 1) +
                    waiting("b", 0, 20, 1) + waiting("c", 0, 20, 1);
  for (const std::uint64_t seed : {1, 2, 3})
    EXPECT_EQ(started(text, seed), (starts{{"a", 15}, {"b", 15}, {"c", 0}}));
}

TEST(slices, count_what_queues_use_that_get_one) {
  // c runs 10 cores and waits for nothing. Of the 30 that a and b hold or that are free each is
  // owed 15, and a has 10.
  const auto text = node_of(40) + "Q a 1\nQ b 1\nQ c 1\n" + running("a", 10) + running("c", 10) +
                    waiting("a", 0, 30, 1) + waiting("b", 0, 30, 1);
  EXPECT_EQ(started(text), (starts{{"a", 5}, {"b", 15}, {"c", 0}}));
}

TEST(slices, leave_out_what_runs_hold_that_are_stopping) {
  const auto old = "J old a std 0 1 " + amounts(10) + "- - - - 1 -\nR old 0 1 1000 - stopping\n";
  const auto text =
      node_of(30) + "Q a 1\nQ b 1\n" + waiting("a", 0, 30, 1) + waiting("b", 0, 30, 1) + old;
  EXPECT_EQ(started(text), (starts{{"a", 10}, {"b", 10}}));
}

TEST(lottery, the_last_draws_follow_the_direction_of_the_slices) {
  // a and b use more than they are owed, so x gets the only slice, and has one job for it. The 19
  // cores that remain are drawn for, and b's priority is nine times that of a.
  const auto of_b = [&](slice_share direction, const std::string& factor_of_x) {
    const auto text = node_of(60) + "Q a 1\nQ b 9\nQ x " + factor_of_x + "\n" + running("a", 20) +
                      running("b", 20) + waiting("a", 0, 20, 1) + waiting("b", 0, 20, 1) +
                      waiting("x", 0, 1, 1);
    std::uint64_t sum = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed)
      sum += started(text, seed, [&](config& conf) { conf.slices = direction; })["b"];
    return sum;
  };
  EXPECT_LT(of_b(slice_share::inverse, "0.01"), 40u * 4);
  EXPECT_GT(of_b(slice_share::direct, "100"), 40u * 15);
}

}  // namespace
}  // namespace argosy::scheduling
