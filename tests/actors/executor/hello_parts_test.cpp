// SPDX-License-Identifier: Apache-2.0
// Goal: a hello in parts is heard once, when it is whole, whatever was begun before. Method: parts
// in order, out of order, of two agents, and of agents that died.
#include "actors/hello_parts.hpp"

#include <gtest/gtest.h>

namespace argosy::actors {

namespace {

codec::hello_part part(std::uint32_t number, bool more, std::int64_t said_ns = 1,
                       std::uint64_t incarnation = 1) {
  codec::hello_part out;
  out.hello.cluster = {"c", "default", "process", incarnation};
  out.hello.said_ns = said_ns;
  out.hello.nodes.emplace_back().name = std::to_string(said_ns) + "-" + std::to_string(number);
  out.number = number;
  out.more = more;
  return out;
}

struct hello_parts_test : ::testing::Test {
  /// Not the last part of a hello.
  void begins(codec::hello_part one) {
    const auto out = parts.add(std::move(one));
    ASSERT_TRUE(out) << out.error().detail;
    EXPECT_FALSE(*out);
  }
  /// The nodes of the whole hello.
  std::vector<std::string> ends(codec::hello_part one) {
    std::vector<std::string> names;
    const auto out = parts.add(std::move(one));
    EXPECT_TRUE(out && *out);
    if (out && *out)
      for (const auto& node : (*out)->nodes) names.push_back(node.name);
    return names;
  }
  void is_refused(codec::hello_part one) {
    const auto out = parts.add(std::move(one));
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ec::invalid_argument);
  }
  hello_parts parts;
};

using names = std::vector<std::string>;

}  // namespace

TEST_F(hello_parts_test, one_part_is_a_hello) {
  EXPECT_EQ(ends(part(0, false)), names{"1-0"});
}

TEST_F(hello_parts_test, several_are_put_together) {
  begins(part(0, true));
  begins(part(1, true));
  EXPECT_EQ(ends(part(2, false)), (names{"1-0", "1-1", "1-2"}));
  is_refused(part(3, false));
}

TEST_F(hello_parts_test, a_missing_part_is_noticed) {
  is_refused(part(1, false));
  begins(part(0, true));
  is_refused(part(2, false));
  begins(part(1, true));
  is_refused(part(1, true));
  EXPECT_EQ(ends(part(2, false)), (names{"1-0", "1-1", "1-2"}));
}

TEST_F(hello_parts_test, the_next_hello_ends_one_that_was_cut_off) {
  begins(part(0, true, 1));
  begins(part(0, true, 2));
  is_refused(part(1, false, 1));
  EXPECT_EQ(ends(part(1, false, 2)), (names{"2-0", "2-1"}));
}

TEST_F(hello_parts_test, two_agents_of_one_name_do_not_disturb_each_other) {
  begins(part(0, true, 1, 1));
  begins(part(0, true, 5, 2));
  EXPECT_EQ(ends(part(1, false, 1, 1)), (names{"1-0", "1-1"}));
  is_refused(part(1, false, 5, 2));
  begins(part(0, true, 6, 2));
  EXPECT_EQ(ends(part(1, false, 6, 2)), (names{"6-0", "6-1"}));
}

TEST_F(hello_parts_test, there_are_not_too_many) {
  begins(part(0, true));
  for (std::uint32_t i = 1; i < 64; ++i) begins(part(i, true));
  is_refused(part(64, true));
  is_refused(part(65, false));
}

}  // namespace argosy::actors
