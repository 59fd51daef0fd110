// SPDX-License-Identifier: Apache-2.0
// Goal: each relation between a store and its logs has the one plan that loses nothing. Method: the
// table of all relations.
#include <gtest/gtest.h>

#include "messages/view/recovery/log_state.hpp"

namespace argosy::view {
namespace {

TEST(log_decision, is_this_table) {
  using enum log_match;
  const auto plan = [](log_match own, bool empty = false) {
    return decide(empty, own, later_log::none, false);
  };
  EXPECT_EQ(plan(absent, true), log_plan::create);
  EXPECT_EQ(plan(continues, true), log_plan::go_on);
  EXPECT_EQ(plan(continues), log_plan::go_on);
  EXPECT_EQ(plan(repairable), log_plan::repair);
  EXPECT_EQ(plan(absent), log_plan::begin_anew);
  EXPECT_EQ(plan(behind), log_plan::begin_anew);
  EXPECT_EQ(plan(contradicts), log_plan::refuse);
  EXPECT_EQ(plan(of_others), log_plan::refuse);
  for (const auto own : {absent, continues, repairable, behind, contradicts, of_others}) {
    EXPECT_EQ(decide(false, own, later_log::continues, false), log_plan::follow);
    EXPECT_EQ(decide(false, own, later_log::farther, true), log_plan::refuse);
  }
  EXPECT_EQ(decide(false, continues, later_log::farther, false), log_plan::go_on)
      << "it may lead to where the later one begins";
  EXPECT_EQ(decide(true, absent, later_log::farther, false), log_plan::refuse)
      << "a store that was lost cannot be made from a later log alone";
}

}  // namespace
}  // namespace argosy::view
