// SPDX-License-Identifier: Apache-2.0
// Goal: the costs of an allocation that are sums over resources are right. Method: one node, one or
// two queues, and the cost that a round reports for what runs.
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

/// The cost of what queue a runs, as a part of the pool.
double cost_of(const std::string& node, const std::string& job, const config& conf) {
  auto world = read_snap1(
      "N 0 n e " + node + " - -\nQ a 1\nJ j a std 0 1 " + job + " - - - - 1 -\nR j 0 1 1000\n",
      conf);
  EXPECT_TRUE(world) << world.error().detail;
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(what.error + what.violation, "");
  return what.queues.empty() ? -1 : what.queues.front().cost_before;
}

config weighted(preset base, std::vector<std::pair<std::string, double>> weights = {}) {
  auto conf = bench_config(base);
  conf.cost = cost_kind::weighted_sum;
  conf.cost_multipliers = std::move(weights);
  return conf;
}

TEST(weighted_sum, is_cpu_and_gpu_and_no_memory) {
  // The document says CPU + wGPU GPU + wRAM RAM, with wGPU = 1 and wRAM = 0: 6 + 2 of 12 + 4.
  const auto conf = bench_config(preset::classic);
  EXPECT_NEAR(cost_of("12000 1000 4", "6000 900 2", conf), 8.0 / 16, 1e-12);
}

TEST(weighted_sum, has_these_weights_under_every_preset) {
  for (const auto base : {preset::argosy, preset::current, preset::unified, preset::lottery})
    EXPECT_NEAR(cost_of("12000 1000 4", "6000 900 2", weighted(base)), 8.0 / 16, 1e-12)
        << to_string(base);
}

TEST(weighted_sum, takes_weights_for_a_core_a_gpu_and_a_byte) {
  // A gpu counts ten, a byte a hundredth: 6 + 20 + 9 of 12 + 40 + 10.
  const auto conf = weighted(preset::argosy, {{"nvidia.com/gpu", 10.0}, {"memory", 0.01}});
  EXPECT_NEAR(cost_of("12000 1000 4", "6000 900 2", conf), 35.0 / 62, 1e-12);
}

TEST(weighted_sum, shares_out_by_what_jobs_cost) {
  // With nothing to weigh queues would go by name, and a would get everything.
  std::string text = "N 0 n e 8000 1000 0 - -\nQ a 1\nQ b 1\n";
  for (const auto* queue : {"a", "b"})
    for (int i = 0; i < 8; ++i)
      text += "J " + std::string(queue) + std::to_string(i) + " " + queue +
              " std 0 1 1000 1 0 - - - - 1 -\n";
  const auto made =
      decide(text, preset::argosy, [](config& conf) { conf.cost = cost_kind::weighted_sum; });
  ASSERT_EQ(made.what.queues.size(), 2u);
  EXPECT_EQ(made.what.queues[0].leased, 4u);
  EXPECT_EQ(made.what.queues[1].leased, 4u);
}

TEST(cost, needs_a_resource_that_counts) {
  const auto refusal = [](const config& conf) {
    const auto checked = validate(conf);
    return checked ? "" : checked.error().detail;
  };
  const std::string nothing =
      "scheduling.costMultipliers gives no resource a weight above 0, so that nothing would cost "
      "anything; give one to cpu, or leave out the key";
  EXPECT_EQ(refusal(weighted(preset::argosy, {{"cpu", 0.0}, {"nvidia.com/gpu", 0.0}})), nothing);
  EXPECT_EQ(refusal(weighted(preset::argosy, {{"cpu", 0.0}})), "");
  EXPECT_EQ(refusal(weighted(preset::argosy)), "");
  auto without = weighted(preset::argosy);
  without.resources = {{"memory", 1000}};
  without.indexed_resources = {};
  EXPECT_EQ(refusal(without), nothing);
  for (const auto cost : {cost_kind::dominant_resource, cost_kind::per_cpu_factor}) {
    auto none_counts = weighted(preset::argosy, {{"cpu", 0}, {"memory", 0}, {"nvidia.com/gpu", 0}});
    none_counts.cost = cost;
    EXPECT_EQ(refusal(none_counts), nothing);
  }
}

TEST(cost, of_a_pool_that_has_nothing_that_counts_is_by_its_parts) {
  // In a pool without cpu, its memory and its gpus are worth the same.
  auto per_cpu = bench_config(preset::lottery);
  EXPECT_NEAR(cost_of("0 1000 4", "0 500 1", per_cpu), (0.5 + 0.25) / 2, 1e-12);
  auto only_cpu = weighted(preset::argosy, {{"nvidia.com/gpu", 0.0}});
  EXPECT_NEAR(cost_of("0 1000 4", "0 500 1", only_cpu), (0.5 + 0.25) / 2, 1e-12);
  // Nor does the order of the resources matter where cpu is none of them.
  per_cpu.resources = {{"memory", 1000}, {"nvidia.com/gpu", 1000}};
  per_cpu.indexed_resources = {{"memory", 1}};
  EXPECT_NEAR(cost_of("0 1000 4", "0 500 1", per_cpu), (0.5 + 0.25) / 2, 1e-12);
}

TEST(usage, of_a_pool_without_cpu_counts_its_parts) {
  auto conf = bench_config(preset::lottery);
  auto world = read_snap1(
      "N 0 n e 0 1000 4 - -\nQ a 1\nJ j a std 0 1 0 500 1 - - - - 1 -\n"
      "R j 0 1 1000\n",
      conf);
  ASSERT_TRUE(world);
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  ASSERT_EQ(what.queues.size(), 1u);
  EXPECT_NEAR(what.queues.front().usage_cores, 0.5 + 0.25, 1e-12);
}

}  // namespace
}  // namespace argosy::scheduling
