// SPDX-License-Identifier: Apache-2.0
// Goal: a cluster takes the jobs of the namespaces that its agent serves, but of those that are
// shut. Method: values of the taint that say so, with names that fit and do not.
#include "runtime/model/served_namespaces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace argosy::model {
namespace {

using enum namespace_fate;

TEST(served_namespaces, are_named_by_patterns) {
  const auto value = to_taint_value({"jobs", "team-*", "*-x-*"}, {});
  EXPECT_EQ(fate_in(value, "jobs"), taken);
  EXPECT_EQ(fate_in(value, "team-"), taken);
  EXPECT_EQ(fate_in(value, "team-a"), taken);
  EXPECT_EQ(fate_in(value, "a-x-b"), taken);
  for (const auto* name : {"job", "jobs2", "my-team-a", "", "a-y-b"})
    EXPECT_EQ(fate_in(value, name), unserved) << name;
  EXPECT_TRUE(serves({}, "jobs"));
  EXPECT_TRUE(serves({"a", "j*"}, "jobs"));
  EXPECT_FALSE(serves({"a"}, "jobs"));
}

TEST(served_namespaces, may_be_shut) {
  const auto some = to_taint_value({"team-*"}, {"team-a", "team-b"});
  EXPECT_EQ(fate_in(some, "team-a"), closed);
  EXPECT_EQ(fate_in(some, "team-c"), taken);
  EXPECT_EQ(fate_in(some, "jobs"), unserved);
  const auto all = to_taint_value({}, {"jobs"});
  EXPECT_EQ(fate_in(all, "jobs"), closed);
  EXPECT_EQ(fate_in(all, "others"), taken);
  EXPECT_EQ(to_taint_value({}, {}), "");
  const auto [served, shut] = read_taint_value(some);
  EXPECT_THAT(served, ::testing::ElementsAre("team-*"));
  EXPECT_THAT(shut, ::testing::ElementsAre("team-a", "team-b"));
}

}  // namespace
}  // namespace argosy::model
