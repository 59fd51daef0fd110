// SPDX-License-Identifier: Apache-2.0
// Goal: a plan of faults follows from its seed alone, and has every kind of fault. Method: plans of
// several seeds are compared and counted.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/chaos/plan.hpp"

namespace argosy::chaos {

namespace {

using namespace std::chrono_literals;

const plan_rules half_an_hour{.length = 30min, .mean_gap = 2s};

TEST(plan, follows_from_its_seed) {
  EXPECT_EQ(make_plan(7, half_an_hour), make_plan(7, half_an_hour));
  EXPECT_NE(make_plan(7, half_an_hour), make_plan(8, half_an_hour));
}

TEST(plan, is_the_same_on_every_machine) {
  const auto got = make_plan(1, half_an_hour);
  ASSERT_FALSE(got.empty());
  EXPECT_EQ(to_text(got.front()), "2519 ms: SIGSTOP shim, away for 2535 ms");
}

TEST(plan, keeps_its_limits_and_order) {
  auto before = 0ms;
  for (const auto& one : make_plan(3, half_an_hour)) {
    EXPECT_GE(one.at, before);
    EXPECT_LT(one.at, half_an_hour.length);
    EXPECT_LE(one.away,
              one.how == act::stop ? 50ms + half_an_hour.stop_max : half_an_hour.down_max);
    before = one.at;
  }
}

TEST(plan, has_each_kind_of_fault_about_as_often_as_asked) {
  const auto got = make_plan(5, half_an_hour);
  EXPECT_NEAR(static_cast<double>(got.size()), 900, 120);
  std::set<std::pair<target, act>> kinds;
  for (const auto& one : got) kinds.emplace(one.what, one.how);
  EXPECT_EQ(kinds.size(), target_names.size() * act_names.size());
}

}  // namespace

}  // namespace argosy::chaos
