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
  const auto value = to_taint_value({{"jobs", "team-*", "*-x-*"}, {}, {}});
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
  const auto some = to_taint_value({{"team-*"}, {"team-a", "team-b"}, {}});
  EXPECT_EQ(fate_in(some, "team-a"), closed);
  EXPECT_EQ(fate_in(some, "team-c"), taken);
  EXPECT_EQ(fate_in(some, "jobs"), unserved);
  const auto all = to_taint_value({{}, {"jobs"}, {}});
  EXPECT_EQ(fate_in(all, "jobs"), closed);
  EXPECT_EQ(fate_in(all, "others"), taken);
  EXPECT_EQ(to_taint_value({}), "");
}

TEST(served_namespaces, may_be_shut_but_for_those_who_try) {
  const namespace_limits limits{{"team-*"}, {"team-a"}, {{"c", "team-b", 1}, {"c", "team-c", 32}}};
  const auto value = to_taint_value(limits);
  EXPECT_EQ(read_taint_value(value), limits);
  EXPECT_EQ(fate_in(value, "team-b"), closed);
  EXPECT_EQ(fate_in(value, "team-b", "c"), taken);
  EXPECT_EQ(fate_in(value, "team-c", "c"), taken);
  EXPECT_EQ(fate_in(value, "team-b", "d"), closed) << "it tries another cluster";
  EXPECT_EQ(fate_in(value, "team-a", "c"), closed) << "it is too late";
  EXPECT_EQ(fate_in(value, "team-d"), taken);
  EXPECT_EQ(fate_in(value, "c"), unserved);
  EXPECT_EQ(fate_in("?|?/|?c", "", ""), closed) << "whatever a text says";
}

TEST(served_namespaces, are_tried_in_free_room_until_more_is_allowed) {
  const namespace_limits limits{
      {}, {"z"}, {{"c", "x", 1, false}, {"c", "xx", 2, true}, {"d", "y", 1, true}}};
  const auto value = to_taint_value(limits);
  EXPECT_EQ(read_taint_value(value), limits);
  EXPECT_EQ(fate_in(value, "x", "c"), taken);
  EXPECT_EQ(fate_in(value, "x", "c", true), closed);
  EXPECT_EQ(fate_in(value, "xx", "c", true), taken);
  EXPECT_EQ(fate_in(value, "xx", "", true), closed);
  EXPECT_EQ(fate_in(value, "y", "c", true), closed);
  EXPECT_EQ(fate_in(value, "others", "c", true), taken);
  EXPECT_EQ(fate_in(value, "others", "", true), taken);
}

}  // namespace
}  // namespace argosy::model
