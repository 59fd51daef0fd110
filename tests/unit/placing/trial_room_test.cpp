// SPDX-License-Identifier: Apache-2.0
// Goal: a job that tries a closed namespace takes free room, and has others preempted only where
// its cluster says that it may. Method: nodes that another queue has, and rounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/rounds/namespace_trials_fixture.hpp"

namespace argosy::rounds {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(closed_namespace, is_tried_in_free_room) {
  fill("c", {"n1"});
  may_try();
  job(1);
  EXPECT_THAT(round(), ElementsAre(1));
  EXPECT_EQ(jobs.at(1).run->node.str(), "n2");
  EXPECT_EQ(preempted, 0U);
}

TEST_F(closed_namespace, has_nobody_preempted_before_it_may) {
  fill();
  may_try();
  job(1);
  EXPECT_THAT(round(), IsEmpty());
  EXPECT_EQ(preempted, 0U);
  nodes("d", {});
  fill("d");
  EXPECT_THAT(round(), ElementsAre(1)) << "in another cluster it is not closed";
  EXPECT_EQ(jobs.at(1).run->cluster.str(), "d");
  EXPECT_EQ(preempted, 1U);
  job(2);
  job(3);
  EXPECT_THAT(round(), ElementsAre(2, 3)) << "there is room now";
  for (const auto number : {1, 2, 3}) cancel(number);
  fill("d");
  nodes("d", {{}, {"jobs"}, {}});
  job(4);
  EXPECT_THAT(round(), IsEmpty());
  may_try(1, "c", true);
  EXPECT_THAT(round(), ElementsAre(4));
  EXPECT_EQ(jobs.at(4).run->cluster.str(), "c");
  EXPECT_EQ(preempted, 1U);
}

}  // namespace
}  // namespace argosy::rounds
