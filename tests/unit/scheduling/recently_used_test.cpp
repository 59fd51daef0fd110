// SPDX-License-Identifier: Apache-2.0
// Goal: what was asked for most recently is remembered, and the rest is forgotten. Method: a few
// keys beyond the bound.
#include "runtime/scheduling/engine/recently_used.hpp"

#include <gtest/gtest.h>

namespace argosy::scheduling::engine {
namespace {

TEST(recently_used, forgets_the_value_that_was_not_asked_for_longest) {
  recently_used<int> values(2);
  values.of(1) = 10;
  values.of(2) = 20;
  EXPECT_EQ(values.of(1), 10);
  values.of(3) = 30;
  EXPECT_EQ(values.size(), 2u);
  EXPECT_EQ(values.of(1), 10);
  EXPECT_EQ(values.of(2), 0);
  EXPECT_EQ(values.of(3), 0);
}

TEST(recently_used, keeps_one_value_whatever_the_bound) {
  recently_used<int> values(0);
  values.of(5) = 50;
  EXPECT_EQ(values.of(5), 50);
  EXPECT_EQ(values.size(), 1u);
}

}  // namespace
}  // namespace argosy::scheduling::engine
