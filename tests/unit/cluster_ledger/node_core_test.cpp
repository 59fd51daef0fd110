// SPDX-License-Identifier: Apache-2.0
// Goal: a node's view, its used amounts and its health follow from what it is told. Method: one
// core; views and sums are compared after each input, at random as well.
#include <gtest/gtest.h>

#include <map>

#include "runtime/base/random.hpp"
#include "runtime/ledger/node_core.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;

model::run_key run_of(std::uint64_t number) {
  return {ulid_from_hash(1, 0, number), 1};
}

model::node_info info_of(std::int64_t cpu) {
  model::node_info info;
  info.name = "n1";
  info.total = info.allocatable = {{"cpu", cpu}, {"memory", 1000}};
  return info;
}

TEST(node_core, view_names_the_node_by_its_cluster) {
  node_core node{"c", "gpu"};
  node.set_info(info_of(4000));
  const auto view = node.view();
  EXPECT_EQ(view.id, "c/n1");
  EXPECT_EQ(view.cluster, "c");
  EXPECT_EQ(view.pool, "gpu");
  EXPECT_TRUE(view.present);
  EXPECT_EQ(view.info, info_of(4000));
  EXPECT_EQ(view.state, node_state::ready);
}

TEST(node_core, is_dirty_only_when_snapshots_see_a_change) {
  node_core node{"c", "p"};
  EXPECT_TRUE(node.take_dirty()) << "new";
  node.set_info(info_of(4000));
  EXPECT_TRUE(node.take_dirty());
  node.set_info(info_of(4000));
  node.set_contact(true);
  node.set_pool("p");
  node.bind(run_of(1), {{"cpu", 1}});
  EXPECT_FALSE(node.take_dirty());
  node.set_pool("q");
  EXPECT_TRUE(node.take_dirty());
  node.set_contact(false);
  EXPECT_TRUE(node.take_dirty());
}

TEST(node_core, takes_no_work_unless_ready) {
  node_core node{"c", "p"};
  auto cordoned = info_of(4000);
  cordoned.unschedulable = true;
  node.set_info(cordoned);
  EXPECT_EQ(node.state(), node_state::cordoned);
  EXPECT_EQ(to_string(node.state()), "cordoned");
  EXPECT_TRUE(node.view().info.unschedulable);
  node.set_contact(false);
  EXPECT_EQ(node.state(), node_state::silent);
  node.set_contact(true);
  EXPECT_EQ(node.state(), node_state::cordoned);
  node.set_info(info_of(4000));
  EXPECT_EQ(node.state(), node_state::ready);
  EXPECT_FALSE(node.view().info.unschedulable);
}

TEST(node_core, tells_a_node_that_its_cluster_cannot_use_from_one_that_somebody_closed) {
  node_core node{"c", "p"};
  auto silent = info_of(4000);
  silent.unschedulable = true;
  silent.taints = {{"node.kubernetes.io/unreachable", "", "NoSchedule"}};
  node.set_info(silent);
  EXPECT_EQ(to_string(node.state()), "unready");
  EXPECT_TRUE(node.view().info.unschedulable);
  silent.unschedulable = false;
  node.set_info(silent);
  EXPECT_EQ(node.state(), node_state::ready) << "an agent of old may tell of a taint alone";
}

TEST(node_core, removed_with_runs_it_stays_until_they_have_ended) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  node.bind(run_of(1), {{"cpu", 1000}});
  node.remove();
  EXPECT_EQ(node.state(), node_state::gone);
  EXPECT_TRUE(node.view().present);
  EXPECT_TRUE(node.view().info.unschedulable);
  EXPECT_FALSE(node.retired());
  (void)node.take_dirty();
  node.unbind(run_of(1), run_verdict::in_order, 1s);
  EXPECT_TRUE(node.retired());
  EXPECT_TRUE(node.take_dirty());
  EXPECT_FALSE(node.view().present);
  node.set_info(info_of(4000));
  EXPECT_EQ(node.state(), node_state::ready) << "it came back";
}

TEST(node_core, bindings_are_idempotent) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  node.bind(run_of(1), {{"cpu", 1000}, {"memory", 10}});
  node.bind(run_of(1), {{"cpu", 9999}});
  EXPECT_EQ(node.used(), (model::resource_list{{"cpu", 1000}, {"memory", 10}}));
  node.unbind(run_of(2), run_verdict::in_order, 1s);
  node.unbind(run_of(1), run_verdict::in_order, 1s);
  node.unbind(run_of(1), run_verdict::in_order, 1s);
  EXPECT_TRUE(node.used().empty());
  EXPECT_EQ(node.run_count(), 0U);
}

TEST(node_core, coming_back_smaller_it_keeps_what_its_runs_use) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  node.bind(run_of(1), {{"cpu", 3000}});
  node.set_info(info_of(2000));
  EXPECT_EQ(node.used(), (model::resource_list{{"cpu", 3000}}));
  node.unbind(run_of(1), run_verdict::in_order, 1s);
  EXPECT_TRUE(node.used().empty());
}

/// A run is placed on the node and ends at once.
void run_ends(node_core& node, run_verdict verdict, boot_time now) {
  static std::uint64_t next = 1'000'000;
  node.bind(run_of(++next), {});
  node.unbind(run_of(next), verdict, now);
}

TEST(node_core, a_node_that_refuses_starts_is_quarantined_and_each_time_for_longer) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  auto now = boot_time{100s};
  for (int i = 0; i < 2; ++i) run_ends(node, run_verdict::refused, now);
  EXPECT_EQ(node.state(), node_state::ready);
  (void)node.take_dirty();
  run_ends(node, run_verdict::refused, now);
  EXPECT_EQ(node.state(), node_state::quarantined);
  EXPECT_TRUE(node.take_dirty());
  for (const auto period : {30s, 60s, 120s, 240s, 480s, 600s, 600s}) {
    ASSERT_EQ(node.tick_due(), now + period);
    now += period;
    node.tick(now);
    ASSERT_EQ(node.state(), node_state::ready);
    ASSERT_EQ(node.tick_due(), now + 30s) << "the limit of the trial ends then";
    run_ends(node, run_verdict::refused, now);
    ASSERT_EQ(node.state(), node_state::quarantined) << "one refusal is enough on trial";
  }
}

TEST(node_core, a_start_that_succeeds_ends_a_quarantine_for_refusals) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  for (int i = 0; i < 2; ++i) run_ends(node, run_verdict::refused, 1s);
  node.began();
  for (int i = 0; i < 2; ++i) run_ends(node, run_verdict::refused, 1s);
  EXPECT_EQ(node.state(), node_state::ready) << "not in a row";
  run_ends(node, run_verdict::refused, 1s);
  EXPECT_EQ(node.state(), node_state::quarantined);
  node.began();
  EXPECT_EQ(node.state(), node_state::ready);
  EXPECT_EQ(node.tick_due(), boot_time::max());
  for (int i = 0; i < 3; ++i) run_ends(node, run_verdict::refused, 1s);
  EXPECT_EQ(node.tick_due(), 31s) << "the first period again";
}

TEST(node_core, a_run_that_ends_says_nothing_of_later_starts) {
  node_core node{"c", "p"};
  for (int i = 0; i < 3; ++i) {
    run_ends(node, run_verdict::refused, 1s);
    run_ends(node, run_verdict::in_order, 1s);
  }
  EXPECT_EQ(node.state(), node_state::quarantined);
}

TEST(node_core, quarantine_for_refusals_can_be_turned_off) {
  node_config config;
  config.refusals_max = 0;
  node_core node{"c", "p", config};
  for (int i = 0; i < 100; ++i) run_ends(node, run_verdict::refused, 1s);
  EXPECT_EQ(node.state(), node_state::ready);
}

TEST(node_core, failures_of_users_commands_quarantine_nothing) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  for (int i = 0; i < 1000; ++i) run_ends(node, run_verdict::failed, 1s);
  EXPECT_EQ(node.state(), node_state::ready);
}

model::health_record health_of(double failure, std::uint32_t runs, std::int64_t time_ns) {
  model::health_record out;
  out.machine = {1 - failure, runs, runs - 1, time_ns};
  out.last_failure = "no space left";
  return out;
}

TEST(node_core, is_quarantined_when_its_machine_fails_too_often) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  node.judge(health_of(0.9, 4, 1), 100s);
  EXPECT_EQ(node.state(), node_state::ready) << "four runs say nothing";
  node.judge(health_of(0.7, 9, 2), 100s);
  EXPECT_EQ(node.state(), node_state::ready) << "below the threshold";
  static_cast<void>(node.take_dirty());
  node.judge(health_of(0.8, 9, 3), 100s);
  EXPECT_EQ(node.state(), node_state::quarantined);
  EXPECT_TRUE(node.take_dirty());
  EXPECT_EQ(node.why(), "8 of its last 9 runs were refused or lost; the last: no space left");
  EXPECT_EQ(node.tick_due(), 130s);
  node.tick(130s - 1ns);
  EXPECT_EQ(node.state(), node_state::quarantined);
  node.tick(130s);
  EXPECT_EQ(node.state(), node_state::ready);
  node.judge(health_of(0.8, 9, 3), 130s);
  EXPECT_EQ(node.state(), node_state::ready) << "it was quarantined for these runs before";
  run_ends(node, run_verdict::lost, 131s);
  EXPECT_EQ(node.state(), node_state::quarantined);
  EXPECT_EQ(node.tick_due(), 191s) << "twice as long";
}

TEST(node_core, gets_few_runs_after_a_quarantine_until_one_has_begun) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  node.judge(health_of(0.8, 9, 3), 100s);
  node.tick(130s);
  node.bind(run_of(1), {});
  EXPECT_EQ(node.state(), node_state::ready);
  static_cast<void>(node.take_dirty());
  node.bind(run_of(2), {});
  EXPECT_EQ(node.state(), node_state::quarantined);
  EXPECT_TRUE(node.take_dirty());
  EXPECT_NE(node.why().find("tried again"), std::string::npos);
  node.unbind(run_of(1), run_verdict::failed, 131s);
  EXPECT_EQ(node.state(), node_state::ready) << "the command failed, but the machine ran it";
  EXPECT_TRUE(node.take_dirty());
  EXPECT_EQ(node.why(), "");
}

TEST(node_core, is_trusted_when_nothing_has_ended_for_another_period) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  node.judge(health_of(0.8, 9, 3), 100s);
  node.tick(130s);
  node.bind(run_of(1), {});
  node.bind(run_of(2), {});
  node.tick(160s - 1ns);
  EXPECT_EQ(node.state(), node_state::quarantined);
  node.tick(160s);
  EXPECT_EQ(node.state(), node_state::ready);
  EXPECT_EQ(node.tick_due(), boot_time::max());
}

TEST(node_core, goes_on_with_the_quarantine_of_an_earlier_leader) {
  node_core node{"c", "p"};
  node.set_info(info_of(4000));
  auto known = health_of(0.9, 9, 3);
  known.quarantine = {77, 60'000'000'000, "it refused 3 starts in a row"};
  node.restore(known, 20s, 100s);
  EXPECT_EQ(node.state(), node_state::quarantined);
  EXPECT_EQ(node.tick_due(), 120s);
  EXPECT_EQ(node.period(), 60s);
  node.tick(120s);
  run_ends(node, run_verdict::refused, 120s);
  EXPECT_EQ(node.tick_due(), 240s) << "twice as long as the one before";
  node_core later{"c", "p"};
  later.restore(known, 0s, 100s);
  EXPECT_EQ(later.state(), node_state::ready) << "it was over";
}

TEST(node_core, used_is_the_sum_of_its_runs_whatever_happens) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    seeded_random random{seed};
    node_core node{"c", "p"};
    std::map<model::run_key, std::int64_t> expected;
    for (int step = 0; step < 300; ++step) {
      const auto run = run_of(random.next() % 20);
      const auto amount = static_cast<std::int64_t>(random.next() % 5);
      if (random.next() % 2 == 0) {
        node.bind(run, {{"cpu", amount}});
        expected.try_emplace(run, amount);
      } else {
        node.unbind(run, amount != 0 ? run_verdict::in_order : run_verdict::failed, 1s);
        expected.erase(run);
      }
      std::int64_t sum = 0;
      for (const auto& [key, cpu] : expected) sum += cpu;
      const auto used = sum == 0 ? model::resource_list{} : model::resource_list{{"cpu", sum}};
      ASSERT_EQ(node.used(), used) << "seed " << seed << ", step " << step;
      ASSERT_EQ(node.run_count(), expected.size());
    }
  }
}

}  // namespace
}  // namespace argosy::ledger
