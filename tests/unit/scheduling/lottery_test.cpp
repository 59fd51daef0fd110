// SPDX-License-Identifier: Apache-2.0
// Goal: slices and lottery share out what is free as the documents of 2020 say. Method: one node,
// few queues, jobs of whole cores; what a round can give is limited where a single stage is meant.
#include <map>

#include "runtime/scheduling/pool_state.hpp"

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

/// Two queues of which each waits for more than there is, and a third that gives its jobs up.
snap1_world crowded() {
  auto text =
      node_of(60) + "Q a 1\nQ b 1\nQ rich 1\n" + waiting("a", 0, 40, 1) + waiting("b", 0, 40, 1);
  for (int i = 0; i < 27; ++i) {
    const auto id = "runs" + std::to_string(i);
    text += "J " + id + " rich std 0 1 " + amounts(1) + "- - - - 1 -\nR " + id + " 0 1 1000\n";
  }
  auto conf = bench_config(preset::lottery);
  conf.selection = queue_selection::lottery;
  conf.evict_for_balance = true;
  conf.node_order = {node_key::no_preemption, node_key::best_fit};
  conf.protected_fraction = 0;
  return read_snap1(text, conf).value();
}

TEST(draws_that_are_ended, keep_what_was_drawn) {
  auto world = crowded();
  const auto& from = world.jobs_and_nodes;
  const auto all = schedule(from, world.conf, world.params);
  EXPECT_EQ(all.draw_limit, 0U);
  EXPECT_FALSE(unplaced_jobs(all).contains(reason::draw_time_limit));
  for (const std::uint64_t limit : {1, 2, 7, 30}) {
    world.params.draw_limit = limit;
    const auto some = schedule(from, world.conf, world.params);
    EXPECT_EQ(some.error + some.violation, "");
    EXPECT_EQ(some.draw_limit, limit);
    EXPECT_LE(some.leases.size(), limit);
    EXPECT_EQ(some.rescheduled + some.preemptions.size(), 27U) << "evicted jobs still return";
    ASSERT_LE(some.leases.size(), all.leases.size());
    for (std::size_t i = 0; i < some.leases.size(); ++i)
      EXPECT_EQ(some.leases[i].job, all.leases[i].job) << "they are the first that were drawn";
    EXPECT_EQ(unplaced_jobs(some)[reason::draw_time_limit], 80 - some.leases.size());
  }
  world.params.draw_limit = 10'000;
  const auto enough = schedule(from, world.conf, world.params);
  EXPECT_EQ(enough.draw_limit, 0U);
  EXPECT_EQ(enough.digest, all.digest);
}

TEST(draws_that_are_ended, give_the_same_plan_for_the_number_that_was_drawn) {
  auto world = crowded();
  const auto& from = world.jobs_and_nodes;
  for (const std::uint64_t asked : {1, 3, 20}) {
    std::uint64_t times = 0;
    world.params.draw_limit = 0;
    world.params.draws_end = [&] { return ++times == asked; };
    const auto timed = schedule(from, world.conf, world.params);
    EXPECT_EQ(times, asked) << "nobody is asked any more";
    EXPECT_EQ(timed.draw_limit, asked);
    world.params.draws_end = {};
    world.params.draw_limit = timed.draw_limit;
    EXPECT_TRUE(decide_alike(timed, schedule(from, world.conf, world.params)));
    // The world as a file has the number, so that whoever decides it again needs no clock.
    const auto written =
        read_snap1(write_snap1(from, world.conf, world.params), bench_config(preset::lottery));
    ASSERT_TRUE(written) << written.error().detail;
    EXPECT_EQ(written->params.draw_limit, asked);
    const auto again = schedule(written->jobs_and_nodes, written->conf, written->params);
    EXPECT_EQ(again.leases.size(), timed.leases.size());
    EXPECT_EQ(again.draw_limit, asked);
  }
}

TEST(draws_that_are_ended, end_after_slices_were_filled) {
  auto world = crowded();
  world.conf.selection = queue_selection::slices_then_lottery;
  const auto all = schedule(world.jobs_and_nodes, world.conf, world.params);
  world.params.draws_end = [] { return true; };
  const auto some = schedule(world.jobs_and_nodes, world.conf, world.params);
  EXPECT_EQ(some.draw_limit, 1U);
  EXPECT_GT(some.leases.size(), 1U) << "slices are no lots";
  EXPECT_LE(some.leases.size(), all.leases.size());
}

TEST(draws_that_are_ended, are_no_matter_without_lots) {
  auto world = crowded();
  world.conf.selection = queue_selection::progressive_filling;
  world.params.draw_limit = 1;
  world.params.draws_end = [] { return true; };
  const auto made = schedule(world.jobs_and_nodes, world.conf, world.params);
  EXPECT_EQ(made.draw_limit, 0U);
  EXPECT_GT(made.leases.size(), 1U);
}

}  // namespace
}  // namespace argosy::scheduling
