// SPDX-License-Identifier: Apache-2.0
// Goal: each queue gets its part of a plan and nothing of another's. Method: small worlds, decided
// and taken apart.
#include "messages/rounds/plan_parts.hpp"

#include <gmock/gmock.h>

#include "tests/support/world_fixture.hpp"

namespace argosy::rounds {
namespace {

using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

auto parts_of(const std::string& text) {
  auto world = scheduling::read_snap1(text, scheduling::bench_config(scheduling::preset::argosy));
  EXPECT_TRUE(world) << world.error().detail;
  const auto plan = scheduling::schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(plan.error + plan.violation, "");
  return split_plan(plan, world->jobs_and_nodes, "p", 7);
}

TEST(plan_parts, hold_the_leases_of_their_queue_with_the_names_of_cluster_and_node) {
  const auto parts = parts_of(
      "N 0 c/n1 c 4000 1000 0 - -\nQ a 1\nQ b 1\nQ idle 1\n"
      "J x a std 0 1 1000 1 0 - - - - 1 -\nJ y a std 0 2 1000 1 0 - - - - 1 -\n"
      "J z b std 0 3 1000 1 0 - - - - 1 -\n");
  ASSERT_THAT(parts, UnorderedElementsAre(Key("a"), Key("b")));
  const auto& of_a = *parts.at("a");
  EXPECT_EQ(of_a.round, 7u);
  EXPECT_THAT(of_a.preemptions, SizeIs(0));
  ASSERT_THAT(of_a.leases, SizeIs(2));
  EXPECT_EQ(of_a.leases[0].cluster.str(), "c");
  EXPECT_EQ(of_a.leases[0].node.str(), "n1");
  EXPECT_EQ(of_a.leases[0].pool.str(), "p");
  EXPECT_THAT(parts.at("b")->leases, SizeIs(1));
}

TEST(plan_parts, say_who_is_preempted_and_why) {
  std::string text = "N 0 c/n1 c 4000 1000 0 - -\nQ a 1\nQ b 1\n";
  for (int i = 0; i < 4; ++i) {
    const auto id = "r" + std::to_string(i);
    text += "J " + id + " a std 0 1 1000 1 0 - - - - 1 -\nR " + id + " 0 1 1000\n";
  }
  text += "J b1 b std 0 1 1000 1 0 - - - - 1 -\nJ b2 b std 0 2 1000 1 0 - - - - 1 -\n";
  const auto parts = parts_of(text);
  ASSERT_THAT(parts, UnorderedElementsAre(Key("a"), Key("b")));
  EXPECT_THAT(parts.at("a")->leases, SizeIs(0));
  ASSERT_THAT(parts.at("a")->preemptions, SizeIs(2));
  EXPECT_THAT(parts.at("a")->preemptions[0].reason, HasSubstr("preempted"));
  EXPECT_THAT(parts.at("b")->leases, SizeIs(2));
}

}  // namespace
}  // namespace argosy::rounds
