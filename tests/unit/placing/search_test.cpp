// SPDX-License-Identifier: Apache-2.0
// Goal: the search remembers results, and they stay right when nodes change in between.
// Method: small worlds whose jobs ask the same question twice.
#include <gtest/gtest.h>

#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {

namespace {

/// Node b has 2 free, y 3, x 7.9. q1 starts on b; q2 pushes out h0, so that b has 9 free; q3 leaves
/// 3.9 on x. For q4, like q1, y is the node with the least room that is enough: x has changed since
/// q1, y has not.
const std::string world =
    "C indexedResources nvidia.com/gpu=1,cpu=1m,memory=1\n"
    "N 0 b e 18000 1000 0 - -\nN 1 y e 3000 1000 0 - -\nN 2 x e 7900 1000 0 - -\n"
    "Q h 1\nQ q 1\n"
    "J h0 h std 0 1 16000 1 0 - - - - 1 -\n"
    "J q1 q std 0 2 1000 1 0 - - - - 1 -\n"
    "J q2 q std 0 3 8000 1 0 - - - - 1 -\n"
    "J q3 q std 0 4 4000 1 0 - - - - 1 -\n"
    "J q4 q std 0 5 1000 1 0 - - - - 1 -\n"
    "R h0 0 1 1000\n";

class search : public ::testing::TestWithParam<preset> {};

}  // namespace

TEST_P(search, looks_past_changed_nodes_when_the_first_one_moved_back) {
  EXPECT_EQ(decide(world, GetParam()).rows,
            (lines{"P h0 b", "S q1 b 1000", "S q2 b 1000", "S q3 x 1000", "S q4 y 1000"}));
}

INSTANTIATE_TEST_SUITE_P(presets, search, ::testing::Values(preset::current, preset::argosy));

/// Under `current` a walk over rounded amounts starts at the request as it is: 1000 rounds to
/// 994, and a node with 1000 left is not found. So it must not be found where preemption is
/// considered either, though it was the answer while it had more.
TEST(rounded_search, finds_no_room_where_the_walk_passes_over) {
  const auto outcome = decide(
      "C indexedResources cpu=7m\n"
      "N 0 n e 2000 1000 0 - -\nQ q 0.1\nQ z 1\n"
      "J h1 z std 0 1 1000 1 0 - - - - 1 -\nJ h2 z std 0 2 1000 1 0 - - - - 1 -\n"
      "J q1 q std 0 3 1000 1 0 - - - - 1 -\nJ q2 q std 0 4 1000 1 0 - - - - 1 -\n"
      "R h1 0 1 1000\nR h2 0 2 1000\n",
      preset::current);
  EXPECT_EQ(outcome.rows, (lines{"P h2 n", "S q1 n 1000"}));
}

}  // namespace argosy::scheduling
