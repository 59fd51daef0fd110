// SPDX-License-Identifier: Apache-2.0
// Goal: jobs of a pool may use the nodes of its away pools; there they leave first, count in a
// queue of their own, and are otherwise only in the way. Method: worlds of two pools, with a round
// for either.
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

/// Node h is in pool home, node l with 4 cpu is in pool lender.
const std::string nodes = worlds::node({.name = "h", .cpu = 2000, .pool = "home"}) +
                          worlds::node({.number = 1, .name = "l", .cpu = 4000, .pool = "lender"}) +
                          worlds::queue("a") + worlds::queue("b");

std::string job(const std::string& id, const std::string& queue, int cpu,
                const std::string& cls = "std", const std::string& pools = "-") {
  return worlds::job({.id = id, .queue = queue, .priority_class = cls, .cpu = cpu, .pools = pools});
}

std::string run(const std::string& id, int node, const std::string& pool, int priority = 1000) {
  return worlds::run({.job = id, .node = node, .priority = priority, .pool = pool});
}

decided in_pool(const std::string& pool, const std::string& text, preset name = preset::argosy,
                const std::function<void(config&)>& adjust = {}) {
  return decide(worlds::key("pool", pool) + nodes + text, name, [&](config& conf) {
    conf.protected_fraction = 9;
    if (pool == "home") conf.away_pools = {"lender"};
    if (pool == "lender") conf.guest_pools = {"home"};
    if (adjust) adjust(conf);
  });
}

class presets : public ::testing::TestWithParam<preset> {};

TEST_P(presets, jobs_use_the_nodes_of_away_pools) {
  const auto text = job("x", "a", 4000);
  EXPECT_EQ(in_pool("home", text, GetParam()).rows, (lines{"S x l 1000"}));
  const auto alone = [](config& conf) { conf.away_pools.clear(); };
  EXPECT_EQ(in_pool("home", text, GetParam(), alone).rows, lines{});
}

TEST_P(presets, what_the_lender_runs_takes_its_room_and_is_left_alone) {
  const auto lent = job("v", "b", 2000, "low") + run("v", 1, "lender", 500);
  const auto outcome = in_pool("home", lent + job("x", "a", 4000, "urgent"), GetParam());
  EXPECT_EQ(outcome.rows, lines{});
  const auto fitting =
      in_pool("home", lent + job("x", "a", 2000, "low"), GetParam(), [](config& conf) {
        conf.indexed_resources = {{"cpu", 100}};
      });
  // These are 2 cpu at home and 2 that are left there.
  EXPECT_EQ(fitting.what.pool_total.front(), 4000);
  EXPECT_EQ(fitting.what.leases.size(), 1u);
}

TEST_P(presets, guests_leave_for_any_job_of_the_lender) {
  // The guest's class is higher, and would be safe at home.
  const auto guest = job("g", "a", 3000, "std") + run("g", 1, "home");
  EXPECT_EQ(in_pool("lender", guest + job("x", "b", 2000, "low"), GetParam()).rows,
            (lines{"P g l", "S x l 500"}));
}

TEST_P(presets, guests_take_their_gang_with_them_wherever_it_runs) {
  const auto member = [](const std::string& id, int node) {
    return worlds::job({.id = id, .queue = "a", .cpu = 2000, .gang = "g", .cardinality = 2}) +
           run(id, node, "home");
  };
  const auto outcome =
      in_pool("lender", member("g1", 0) + member("g2", 1) + job("x", "b", 3000, "low"), GetParam());
  EXPECT_EQ(outcome.rows, (lines{"P g1 h", "P g2 l", "S x l 500"}));
  ASSERT_EQ(outcome.what.preemptions.size(), 2u);
  EXPECT_EQ(outcome.what.preemptions.back().cause, preemption_cause::gang_mate);
  ASSERT_EQ(outcome.what.queues.size(), 2u);
  EXPECT_EQ(outcome.what.queues[0].name, "a-away");
  EXPECT_EQ(outcome.what.queues[0].preempted, 2u);
}

TEST_P(presets, guests_stay_while_there_is_room) {
  const auto guest = job("g", "a", 2000) + run("g", 1, "home");
  EXPECT_EQ(in_pool("lender", guest + job("x", "b", 2000), GetParam()).rows, (lines{"S x l 1000"}));
}

TEST_P(presets, guests_that_are_not_preemptible_stay_where_classes_protect) {
  const auto guest = job("g", "a", 3000, "std-np") + run("g", 1, "home");
  const auto outcome = in_pool("lender", guest + job("x", "b", 2000), GetParam());
  // Under `unified` a higher class pushes out any lower one.
  const auto gone = GetParam() == preset::unified;
  EXPECT_EQ(outcome.rows, gone ? (lines{"P g l", "S x l 1000"}) : lines{});
}

TEST_P(presets, guests_at_their_own_priority_if_so_configured) {
  const auto guest = job("g", "a", 3000) + run("g", 1, "home");
  const auto level = [](config& conf) { conf.cross_pool_jobs_first = false; };
  EXPECT_EQ(in_pool("lender", guest + job("x", "b", 2000, "low"), GetParam(), level).rows, lines{});
  EXPECT_EQ(in_pool("lender", guest + job("x", "b", 2000, "urgent"), GetParam(), level).rows,
            (lines{"P g l", "S x l 2000"}));
}

TEST_P(presets, guests_count_in_a_queue_of_their_own) {
  const auto guest = job("g", "a", 1000) + run("g", 1, "home");
  const auto what = in_pool("lender", guest + job("x", "b", 1000), GetParam()).what;
  ASSERT_EQ(what.queues.size(), 2u);
  EXPECT_EQ(what.queues[0].name, "a-away");
  EXPECT_TRUE(what.queues[0].guests);
  EXPECT_FALSE(what.queues[1].guests);
  EXPECT_DOUBLE_EQ(what.queues[0].cost_before, 0.25);
  EXPECT_DOUBLE_EQ(what.queues[0].demand_share, 0);
  EXPECT_DOUBLE_EQ(what.queues[0].fair_share, 0.5);
  EXPECT_EQ(what.queues[1].name, "b");
}

TEST_P(presets, guests_are_not_evicted_for_balance) {
  const auto guest = job("g", "a", 4000) + run("g", 1, "home");
  const auto all = [](config& conf) {
    conf.protected_fraction = 0;
    conf.disable_urgency_preemption = true;
  };
  EXPECT_EQ(in_pool("lender", guest + job("x", "b", 2000), GetParam(), all).rows, lines{});
}

TEST_P(presets, runs_of_a_pool_that_may_not_be_there_are_only_in_the_way) {
  const auto stranger = job("g", "a", 3000) + run("g", 1, "home");
  const auto none_invited = [](config& conf) { conf.guest_pools.clear(); };
  EXPECT_EQ(
      in_pool("lender", stranger + job("x", "b", 2000, "urgent"), GetParam(), none_invited).rows,
      lines{});
  EXPECT_EQ(
      in_pool("lender", stranger + job("x", "b", 1000, "urgent"), GetParam(), none_invited).rows,
      (lines{"S x l 2000"}));
}

TEST_P(presets, a_job_starts_in_the_pools_it_names) {
  const auto text = job("x", "a", 1000, "std", "lender|other");
  EXPECT_EQ(in_pool("home", text, GetParam()).rows, lines{});
  EXPECT_EQ(in_pool("lender", text, GetParam()).rows, (lines{"S x l 1000"}));
}

INSTANTIATE_TEST_SUITE_P(cross_pool, presets,
                         ::testing::Values(preset::argosy, preset::current, preset::unified,
                                           preset::classic),
                         [](const auto& param) { return std::string(to_string(param.param)); });

TEST(lottery, pushes_no_guest_out) {
  const auto guest = job("g", "a", 3000) + run("g", 1, "home");
  EXPECT_EQ(in_pool("lender", guest + job("x", "b", 2000, "urgent"), preset::lottery).rows,
            lines{});
}

}  // namespace
}  // namespace argosy::scheduling
