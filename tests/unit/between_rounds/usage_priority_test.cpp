// SPDX-License-Identifier: Apache-2.0
// Goal: the usage that weighs queues follows what they use, fades with time, and counts where the
// jobs come from. Method: rounds at chosen times.
#include <map>

#include "tests/unit/between_rounds/carry_over_fixture.hpp"

namespace argosy::scheduling {
namespace {

TEST(usage_priority, follows_what_a_queue_uses) {
  stage s;
  s.conf.usage_priority = true;
  s.conf.usage_half_time_ns = 10 * second;
  for (int i = 0; i < 3; ++i) s.add("a");
  ASSERT_EQ(s.at(100 * second).leases.size(), 3u);
  s.at(110 * second);
  // This is half of the start at 0.5 and half of 3 cpu; cpu is the only resource of the pool in
  // use.
  ASSERT_EQ(s.params.usage_priority.size(), 1u);
  EXPECT_EQ(s.params.usage_priority[0].first, "a");
  EXPECT_NEAR(s.params.usage_priority[0].second, 1.75, 1e-9);
  s.conf.usage_decay = usage_form::literal;
  s.at(110 * second);
  s.at(110 * second);  // No time has passed: the literal form jumps to the usage.
  EXPECT_NEAR(s.params.usage_priority[0].second, 3.0, 1e-9);
}

TEST(usage_priority, is_forgotten_when_it_is_back_at_its_floor) {
  stage s;
  s.conf.usage_priority = true;
  s.conf.usage_half_time_ns = second;
  const auto job = s.add("a");
  s.at(100 * second);
  s.at(101 * second);
  ASSERT_EQ(s.params.usage_priority.size(), 1u);
  s.world.remove_job(job);
  s.at(102 * second);
  s.at(200 * second);
  EXPECT_TRUE(s.params.usage_priority.empty());
}

TEST(usage_priority, of_a_pool_that_rests_fades_from_then_on) {
  stage s;
  s.conf.usage_priority = true;
  s.conf.usage_half_time_ns = 10 * second;
  for (int i = 0; i < 100; ++i) s.add("a");
  ASSERT_EQ(s.at(100 * second).leases.size(), 100u);
  // All of them end at 110, and nobody calls for a round until Monday.
  const auto conf_of = [&](const std::string&) -> const config& { return s.conf; };
  s.carried.rest({"other"}, conf_of, 110 * second);
  s.carried.rest({}, conf_of, 120 * second);
  s.params.round_time_ns = 120 * second;
  s.carried.open(s.conf, s.params);
  ASSERT_EQ(s.params.usage_priority.size(), 1u);
  // It was half of 0.5 and 100 first.
  EXPECT_NEAR(s.params.usage_priority[0].second, 50.25 / 2, 1e-9);
  s.params.round_time_ns = 100'000 * second;
  s.carried.open(s.conf, s.params);
  EXPECT_TRUE(s.params.usage_priority.empty());
}

TEST(usage_priority, of_a_busy_pool_goes_on) {
  stage s;
  s.conf.usage_priority = true;
  s.conf.usage_half_time_ns = 10 * second;
  for (int i = 0; i < 4; ++i) s.add("a");
  s.at(100 * second);
  s.carried.rest(
      {"default"}, [&](const std::string&) -> const config& { return s.conf; }, 105 * second);
  s.params.round_time_ns = 110 * second;
  s.carried.open(s.conf, s.params);
  ASSERT_EQ(s.params.usage_priority.size(), 1u);
  EXPECT_NEAR(s.params.usage_priority[0].second, 2.25, 1e-9);
}

/// The usage of queues long after a round, since by then their priority is their usage.
std::map<std::string, double> usage_after(const snapshot& world, config conf,
                                          round_params params = {}) {
  conf.usage_priority = true;
  conf.usage_half_time_ns = second;
  carry_over carried;
  carried.open(conf, params);
  const auto what = schedule(world, conf, params);
  EXPECT_EQ(what.error + what.violation, "");
  carried.close(conf, params, what);
  params.round_time_ns += 1000 * second;
  carried.open(conf, params);
  return {params.usage_priority.begin(), params.usage_priority.end()};
}

/// A world of 10 CPU, 5 GPU and 20 Gb, with 5 CPU, 1 GPU and 2 Gb in use.
const std::string of_the_document =
    "N 0 n e 10000 20000 5 - -\nQ a 1\n"
    "J j a std 0 1 5000 2000 1 - - - - 1 -\nR j 0 1 1000\n";

TEST(usage_priority, counts_every_resource_as_cpu) {
  for (const auto name : {preset::lottery, preset::argosy}) {
    auto world = read_snap1(of_the_document, bench_config(name));
    ASSERT_TRUE(world);
    const auto usage = usage_after(world->jobs_and_nodes, world->conf, world->params);
    ASSERT_EQ(usage.size(), 1u);
    EXPECT_NEAR(usage.at("a"), 8.0, 1e-9);  // This is 5 + 2 + 1.
  }
}

TEST(usage_priority, follows_the_multipliers_of_costs) {
  auto conf = bench_config(preset::lottery);
  conf.cost_multipliers = {{"memory", 3.0}, {"nvidia.com/gpu", 0.0}};
  auto world = read_snap1(of_the_document, conf);
  ASSERT_TRUE(world);
  EXPECT_NEAR(usage_after(world->jobs_and_nodes, conf, world->params).at("a"), 8.0, 1e-9);
  conf.cost_multipliers = {{"memory", 0.0}};
  EXPECT_NEAR(usage_after(world->jobs_and_nodes, conf, world->params).at("a"), 7.0, 1e-9);
}

TEST(usage_priority, counts_no_pods) {
  auto conf = bench_config(preset::lottery);
  conf.pod_limits = true;
  conf.resources.push_back({std::string(pod_resource), 1000});
  snapshot world(conf);
  node_row node;
  node.id = "n";
  node.executor = "e";
  node.pool = "default";
  node.total = {{"cpu", 100'000}, {"memory", 1000}, {std::string(pod_resource), 10}};
  ASSERT_TRUE(world.upsert_node(node));
  ASSERT_TRUE(world.upsert_queue({"a", 1.0, false, {}}));
  job_row job;
  job.id.bytes[15] = 1;
  job.queue = "a";
  job.shape = *world.intern({"std", {{"cpu", 2000}}, {}, {}, {}});
  job.run = run_row{"n", 1, 1000, "default"};
  ASSERT_TRUE(world.upsert_job(job));
  world.settle();
  EXPECT_NEAR(usage_after(world, conf).at("a"), 2.0, 1e-9);
}

TEST(usage_priority, of_guests_counts_where_they_come_from) {
  const std::string nodes =
      "N 0 h e 2000 1000 0 - - - - home\nN 1 l e 4000 1000 0 - - - - lender\nQ a 1\nQ b 1\n"
      "J g a std 0 1 1000 0 0 - - - - 1 -\nR g 1 1 1000 home\n"
      "J x b std 0 1 2000 0 0 - - - - 1 -\nR x 1 1 1000 lender\n";
  const auto usage_in = [&](const std::string& pool) {
    auto conf = bench_config(preset::argosy);
    if (pool == "home") conf.away_pools = {"lender"};
    if (pool == "lender") conf.guest_pools = {"home"};
    auto world = read_snap1("C pool " + pool + "\n" + nodes, conf);
    EXPECT_TRUE(world);
    return usage_after(world->jobs_and_nodes, world->conf, world->params);
  };
  EXPECT_EQ(usage_in("home").size(), 1u);
  EXPECT_EQ(usage_in("home").count("a"), 1u);
  EXPECT_EQ(usage_in("lender").size(), 1u);
  EXPECT_EQ(usage_in("lender").count("b"), 1u);
}

}  // namespace
}  // namespace argosy::scheduling
