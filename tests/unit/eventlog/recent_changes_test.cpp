// SPDX-License-Identifier: Apache-2.0
// Goal: whoever knows a position of the log learns where jobs have changed behind it, or that this
// is not known, and never that nothing has when something did.
#include "runtime/eventlog/recent_changes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace argosy::eventlog {
namespace {

using prints = std::vector<name_print>;

TEST(recent_changes, are_told_behind_a_position) {
  recent_changes changes;
  EXPECT_FALSE(changes.since({0}, 10).queues) << "nothing was noted yet";
  changes.note("a", "s", {5});
  changes.note("b", "s", {6});
  EXPECT_FALSE(changes.since({3}, 10).queues) << "what came before the first is not known";
  EXPECT_EQ(changes.since({4}, 10).queues->size(), 2u);
  EXPECT_EQ(changes.since({4}, 10).job_sets, prints{print_of("s")});
  EXPECT_EQ(changes.since({5}, 10).queues, prints{print_of("b")});
  EXPECT_EQ(changes.since({6}, 10).queues, prints{});
  changes.note("a", "t", {7});
  EXPECT_EQ(changes.since({6}, 10).queues, prints{print_of("a")});
  EXPECT_EQ(changes.since({6}, 10).job_sets, prints{print_of("t")});
}

TEST(recent_changes, are_not_told_where_they_are_many_or_forgotten) {
  recent_changes changes{4};
  for (std::uint64_t at = 1; at <= 4; ++at) changes.note(std::to_string(at), "s", {at});
  EXPECT_FALSE(changes.since({0}, 3).queues);
  EXPECT_EQ(changes.since({0}, 4).queues->size(), 4u);
  changes.note("5", "s", {5});
  EXPECT_FALSE(changes.since({1}, 10).queues) << "the older ones were forgotten for the new one";
  EXPECT_EQ(changes.since({3}, 10).queues->size(), 2u);
  EXPECT_EQ(changes.since({1}, 10).job_sets, prints{print_of("s")}) << "sets are kept apart";
  changes.forget({6});
  EXPECT_FALSE(changes.since({5}, 10).queues);
  EXPECT_EQ(changes.since({6}, 10).queues, prints{});
}

TEST(name_print, is_the_one_that_the_page_makes) {
  EXPECT_EQ(print_of("a"), 0xe40c292cU);
  EXPECT_EQ(print_of("\xc3\xa4"), 0x199de0e2U);
}

}  // namespace
}  // namespace argosy::eventlog
