// SPDX-License-Identifier: Apache-2.0
// Goal: the faults of a simulated world follow from its seed, and there are enough of each kind.
// Method: plans of many seeds are counted.
#include "bins/simulator/fault_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bins/simulator/machine_clock.hpp"

namespace argosy::sim {
namespace {

using namespace std::chrono_literals;

TEST(fault_plan, follows_from_its_seed) {
  const auto plan = make_fault_plan(7, profile::everything, 1h);
  EXPECT_EQ(plan, make_fault_plan(7, profile::everything, 1h));
  EXPECT_NE(plan, make_fault_plan(8, profile::everything, 1h));
}

TEST(fault_plan, has_a_fault_a_minute_in_order_and_none_in_a_calm_world) {
  EXPECT_TRUE(make_fault_plan(1, profile::calm, 24h).empty());
  for (std::size_t i = 1; i < profile_names.size(); ++i) {
    std::size_t faults = 0;
    std::set<fault_kind> kinds;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const auto plan = make_fault_plan(seed, static_cast<profile>(i), 1h);
      faults += plan.size();
      for (const auto& one : plan) kinds.insert(one.kind);
      EXPECT_TRUE(std::ranges::is_sorted(plan, {}, &fault::at));
    }
    EXPECT_GE(faults, 50u * 60u) << profile_names[i];
    EXPECT_GE(kinds.size(), 3u) << profile_names[i];
  }
}

TEST(fault_plan, leaves_kinds_out_so_that_others_come_closer_together) {
  std::set<std::size_t> counts;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::set<fault_kind> kinds;
    for (const auto& one : make_fault_plan(seed, profile::everything, 10h)) kinds.insert(one.kind);
    counts.insert(kinds.size());
  }
  EXPECT_GT(counts.size(), 3u);
}

TEST(machine_clock, finds_the_time_of_the_world_for_each_of_its_own) {
  virtual_time world;
  for (const std::int64_t drift : {-200, 0, 37, 200}) {
    machine_clock clock{world, 100s};
    clock.set_drift(drift);
    for (const auto when : {100s + 0ns, 100s + 1ns, 5h + 17ns, 1'000h + 3ns}) {
      const auto at = clock.world_time(when);
      virtual_time then;
      then.move_to(at);
      machine_clock same{then, 100s};
      same.set_drift(drift);
      EXPECT_GE(same.boot(), when);
      EXPECT_LE(same.boot() - when, 2ns);
    }
  }
  EXPECT_GT(machine_clock(world, 100s).world_time(boot_time::max()), 24h * 365);
}

}  // namespace
}  // namespace argosy::sim
