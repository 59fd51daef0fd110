// SPDX-License-Identifier: Apache-2.0
// Goal: usage, slices and half-times are those of the documents of 2020. Method: their examples.
#include "runtime/scheduling/between/usage.hpp"

#include <map>
#include <set>

#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

using namespace std::chrono_literals;

TEST(worked_example, per_cpu_usage_of_the_document_is_8) {
  // The pool has 10 CPU, 5 GPU, 20 Gb, with 5 CPU, 1 GPU and 2 Gb in use: 5 + 2 + 1 = 8 of 3 times
  // 10.
  config conf = bench_config(preset::lottery);
  auto world = read_snap1(
      "N 0 n e 10000 20000 5 - -\nQ a 1\n"
      "J j a std 0 1 5000 2000 1 - - - - 1 -\nR j 0 1 1000\n",
      conf);
  ASSERT_TRUE(world);
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  ASSERT_EQ(what.queues.size(), 1u);
  EXPECT_NEAR(what.queues.front().cost_before * 30, 8.0, 1e-9);
}

TEST(worked_example, half_time_in_both_forms) {
  // They agree after exactly one half-time; at once and after long they are opposites.
  for (const auto form : {usage_form::condor, usage_form::literal})
    EXPECT_DOUBLE_EQ(decay_usage(form, 2.0, 10.0, 1h, 1h), 6.0);
  EXPECT_DOUBLE_EQ(decay_usage(usage_form::condor, 2.0, 10.0, 0h, 1h), 2.0);
  EXPECT_DOUBLE_EQ(decay_usage(usage_form::literal, 2.0, 10.0, 0h, 1h), 10.0);
  EXPECT_NEAR(decay_usage(usage_form::condor, 2.0, 10.0, 100h, 1h), 10.0, 1e-9);
  EXPECT_NEAR(decay_usage(usage_form::literal, 2.0, 10.0, 100h, 1h), 2.0, 1e-9);
  EXPECT_DOUBLE_EQ(decay_usage(usage_form::condor, 0.5, 0.0, 100h, 1h), 0.5);
}

TEST(worked_example, slices_split_two_to_one_in_both_directions) {
  std::string text = "N 0 n e 30000 30000 0 - -\nQ a 1\nQ b 2\n";
  for (int i = 0; i < 60; ++i)
    text += "J j" + std::to_string(100 + i) + (i % 2 == 0 ? " a" : " b") +
            " std 0 1 1000 1000 0 - - - - 1 -\n";
  const auto started = [&](slice_share direction) {
    const auto outcome =
        decide(text, preset::lottery, [&](config& conf) { conf.slices = direction; });
    std::map<std::string, std::uint64_t> by_queue;
    for (const auto& queue : outcome.what.queues) by_queue[queue.name] = queue.leased;
    return by_queue;
  };
  EXPECT_EQ(started(slice_share::inverse)["a"], 20u);
  EXPECT_EQ(started(slice_share::inverse)["b"], 10u);
  EXPECT_EQ(started(slice_share::direct)["a"], 10u);
  EXPECT_EQ(started(slice_share::direct)["b"], 20u);
}

TEST(usage, moves_turns_in_progressive_filling_and_no_shares) {
  std::string text = "N 0 n e 30000 30000 0 - -\nQ a 1\nQ b 1\n";
  for (int i = 0; i < 60; ++i)
    text += "J j" + std::to_string(100 + i) + (i % 2 == 0 ? " a" : " b") +
            " std 0 1 1000 1000 0 - - - - 1 -\n";
  auto conf = bench_config(preset::argosy);
  conf.usage_priority = true;
  auto world = read_snap1(text, conf);
  ASSERT_TRUE(world);
  world->params.usage_priority = {{"b", 1.0}};  // Queue a has the floor, 0.5.
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  ASSERT_EQ(what.queues.size(), 2u);
  EXPECT_NEAR(what.queues[0].fair_share, 0.5, 1e-12);
  EXPECT_EQ(what.queues[0].leased, 20u);
  EXPECT_EQ(what.queues[1].leased, 10u);
}

TEST(cost, per_cpu_takes_multipliers_and_any_order_of_resources) {
  // These are 10 cpu and 20 of memory: 5 + 2 x 2 / 2 of 10 + 2 x 10.
  auto conf = bench_config(preset::lottery);
  conf.resources = {{"memory", 1000}, {"cpu", 1}};
  conf.indexed_resources = {{"cpu", 1}};
  conf.cost_multipliers = {{"memory", 2.0}};
  auto world = read_snap1(
      "N 0 n e 10000 20000 0 - -\nQ a 1\n"
      "J j a std 0 1 5000 2000 0 - - - - 1 -\nR j 0 1 1000\n",
      conf);
  ASSERT_TRUE(world);
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  ASSERT_EQ(what.queues.size(), 1u);
  EXPECT_NEAR(what.queues.front().cost_before, 7.0 / 30, 1e-12);
}

TEST(lottery, the_seed_decides_and_only_it) {
  std::string text = "N 0 n e 7000 7000 0 - -\nQ a 1\nQ b 1\n";
  for (int i = 0; i < 20; ++i)
    text += "J j" + std::to_string(100 + i) + (i % 2 == 0 ? " a" : " b") +
            " std 0 1 1000 1000 0 - - - - 1 -\n";
  auto conf = bench_config(preset::lottery);
  conf.selection = queue_selection::lottery;
  auto world = read_snap1(text, conf);
  ASSERT_TRUE(world);
  std::set<std::uint64_t> digests;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    world->params.seed = seed;
    const auto once = schedule(world->jobs_and_nodes, conf, world->params);
    const auto again = schedule(world->jobs_and_nodes, conf, world->params);
    EXPECT_EQ(once.digest, again.digest);
    EXPECT_EQ(once.leases.size(), 7u);
    digests.insert(once.digest);
  }
  EXPECT_GT(digests.size(), 1u);
}

TEST(classic, a_queue_fills_its_own_nodes_before_empty_and_shared_ones) {
  const std::string text =
      "N 0 n1 e 4000 1000 0 - -\nN 1 n2 e 9000 1000 0 - -\nN 2 n3 e 9000 1000 0 - -\n"
      "Q a 1\nQ b 1\n"
      "J r1 b std-np 0 1 1000 1 0 - - - - 1 -\nR r1 0 1 1000\n"
      "J r2 a std-np 0 1 1000 1 0 - - - - 1 -\nR r2 2 1 1000\n"
      "J j a std 0 1 1000 1 0 - - - - 1 -\n";
  EXPECT_EQ(decide(text, preset::classic).rows, (lines{"S j n3 1000"}));
  EXPECT_EQ(decide(text, preset::argosy).rows, (lines{"S j n1 1000"}));
}

}  // namespace
}  // namespace argosy::scheduling
