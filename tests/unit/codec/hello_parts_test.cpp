// SPDX-License-Identifier: Apache-2.0
// Goal: a hello in parts is heard once, when it is whole, whatever was begun before. Method: parts
// in order, out of order, of two agents, and of agents that died.
#include "messages/codec/agent/hello_parts.hpp"

#include <gtest/gtest.h>

namespace argosy::codec {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t part_bytes = 4000;  // Far more than what is kept of a part besides.

codec::hello_part part(std::uint32_t number, bool more, std::int64_t said_ns = 1,
                       std::uint64_t incarnation = 1, model::cluster_name cluster = "c") {
  codec::hello_part out;
  out.hello.cluster = {std::move(cluster), "default", "process", {incarnation}};
  out.hello.said_ns = said_ns;
  out.hello.nodes.emplace_back().name =
      model::node_name{std::to_string(said_ns) + "-" + std::to_string(number)};
  out.number = number;
  out.more = more;
  return out;
}

struct hello_parts_test : ::testing::Test {
  /// Adds a part that is not the last part of a hello.
  void begins(codec::hello_part one) {
    const auto out = parts.add(std::move(one), part_bytes, now);
    ASSERT_TRUE(out) << out.error().detail;
    EXPECT_FALSE(*out);
  }
  /// Adds the last part and returns the nodes of the whole hello.
  std::vector<std::string> ends(codec::hello_part one) {
    std::vector<std::string> names;
    const auto out = parts.add(std::move(one), part_bytes, now);
    EXPECT_TRUE(out && *out);
    if (out && *out)
      for (const auto& node : (*out)->nodes) names.push_back(node.name);
    return names;
  }
  void is_refused(codec::hello_part one, ec why = ec::invalid_argument) {
    const auto out = parts.add(std::move(one), part_bytes, now);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, why);
  }
  hello_parts parts;
  boot_time now = 100s;
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
  for (std::uint32_t i = 1; i < 4'096; ++i) begins(part(i, true));
  is_refused(part(4'096, true), ec::too_large);
  is_refused(part(4'097, false));
  EXPECT_EQ(parts.open_bytes(), 0U);
}

TEST_F(hello_parts_test, a_third_agent_puts_out_the_one_that_spoke_least_lately) {
  begins(part(0, true, 1, 1));
  now += 1s;
  begins(part(0, true, 2, 2));
  now += 1s;
  begins(part(1, true, 1, 1));
  now += 1s;
  begins(part(0, true, 3, 3));
  is_refused(part(1, true, 2, 2));
  begins(part(2, true, 1, 1));
  begins(part(1, true, 3, 3));
  begins(part(0, true, 4, 4, "other"));
  begins(part(3, true, 1, 1));
  EXPECT_EQ(ends(part(2, false, 3, 3)), (names{"3-0", "3-1", "3-2"}));
  EXPECT_EQ(ends(part(1, false, 4, 4, "other")), (names{"4-0", "4-1"}));
  EXPECT_EQ(parts.open_bytes(), 0U);
}

TEST_F(hello_parts_test, one_that_was_given_up_is_forgotten) {
  begins(part(0, true, 1, 1));
  now += 29s;
  begins(part(1, true, 1, 1));
  begins(part(0, true, 2, 1, "other"));
  now += 29s;
  begins(part(2, true, 1, 1));
  now += 1s;
  EXPECT_EQ(ends(part(0, false, 3, 1, "third")), names{"3-0"});
  is_refused(part(1, false, 2, 1, "other"));
  EXPECT_EQ(ends(part(3, false, 1, 1)), (names{"1-0", "1-1", "1-2", "1-3"}));
  EXPECT_EQ(parts.open_bytes(), 0U);
}

TEST_F(hello_parts_test, all_together_are_bounded) {
  parts = hello_parts{{.bytes_max = 4 * part_bytes - 1}};
  begins(part(0, true, 1, 1));
  begins(part(0, true, 2, 1, "other"));
  begins(part(1, true, 1, 1));
  is_refused(part(1, true, 2, 1, "other"), ec::overloaded);
  is_refused(part(1, true, 2, 1, "other"));
  EXPECT_EQ(ends(part(0, false, 3, 1, "other")), names{"3-0"}) << "one that is whole is not kept";
  EXPECT_EQ(ends(part(2, false, 1, 1)), (names{"1-0", "1-1", "1-2"}));
  EXPECT_EQ(parts.open_bytes(), 0U);
  begins(part(0, true, 4, 1, "other"));
}

/// Its agent would begin again for ever.
TEST_F(hello_parts_test, one_that_is_too_large_alone_is_told_so) {
  parts = hello_parts{{.bytes_max = 3 * part_bytes}};
  begins(part(0, true));
  begins(part(1, true));
  const auto out = parts.add(part(2, true), part_bytes, now);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, ec::too_large);
  for (const auto* word : {"' has ", " bytes in its first 3 parts", "argosyd takes ",
                           "divide its nodes among several clusters"})
    EXPECT_NE(out.error().detail.find(word), std::string::npos) << out.error().detail;
  EXPECT_EQ(out.error().detail.find("again"), std::string::npos);
  EXPECT_EQ(parts.open_bytes(), 0U);
}

}  // namespace argosy::codec
