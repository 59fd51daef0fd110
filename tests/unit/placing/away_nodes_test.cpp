// SPDX-License-Identifier: Apache-2.0
// Goal: nodes that a taint earmarks are used by others only while those they are for leave them
// idle. Method: worlds of one such node and a free one.
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

/// A node earmarked by a taint, a free one, and class std, which runs away on such nodes at 400.
const std::string earmarked =
    worlds::key("wellKnownNodeTypes", "special=team=x:NoSchedule") +
    worlds::key("awayNodeTypes", "std=400:special") +
    worlds::node({.name = "e1", .cpu = 4000, .taints = "team=x:NoSchedule"}) +
    worlds::node({.number = 1, .name = "f1", .cpu = 1000}) + worlds::queue("a") +
    worlds::queue("b");

/// A job that the earmarked node is not for.
std::string eager(const std::string& id, int cpu, const std::string& priority_class = "std") {
  return worlds::job({.id = id, .queue = "a", .priority_class = priority_class, .cpu = cpu});
}

class earmark : public ::testing::TestWithParam<preset> {};

TEST_P(earmark, is_used_by_others_while_idle_at_a_lower_priority) {
  EXPECT_EQ(decide(earmarked + eager("x", 3000), GetParam()).rows, (lines{"S x e1 400"}));
  EXPECT_EQ(decide(earmarked + eager("x", 1000), GetParam()).rows, (lines{"S x f1 1000"}));
}

TEST_P(earmark, is_given_back_to_those_it_is_for) {
  const auto guest = eager("g", 3000) + worlds::run({.job = "g", .priority = 400});
  const auto owner = worlds::job({.id = "o", .queue = "b", .cpu = 2000, .tolerations = "team=x"});
  EXPECT_EQ(decide(worlds::key("protectedFractionOfFairShare", "9") + earmarked + guest + owner,
                   GetParam())
                .rows,
            (lines{"P g e1", "S o e1 1000"}));
}

TEST_P(earmark, is_closed_where_away_is_switched_off) {
  EXPECT_EQ(decide(worlds::key("disableAwayScheduling", "true") + earmarked + eager("x", 3000),
                   GetParam())
                .rows,
            lines{});
}

TEST_P(earmark, is_closed_to_gangs_where_that_is_switched_off) {
  const auto member = [](const std::string& id) {
    return worlds::job({.id = id, .queue = "a", .cpu = 1500, .gang = "g", .cardinality = 2});
  };
  const auto gang = member("x") + member("y");
  EXPECT_EQ(decide(earmarked + gang, GetParam()).what.leases.size(), 2u);
  EXPECT_EQ(
      decide(worlds::key("disableGangAwayScheduling", "true") + earmarked + gang, GetParam()).rows,
      lines{});
}

TEST_P(earmark, is_not_for_classes_without_that_node_type) {
  EXPECT_EQ(decide(earmarked + eager("x", 3000, "urgent"), GetParam()).rows, lines{});
}

INSTANTIATE_TEST_SUITE_P(away_nodes, earmark,
                         ::testing::Values(preset::argosy, preset::current, preset::unified,
                                           preset::classic),
                         [](const auto& param) { return std::string(to_string(param.param)); });

}  // namespace
}  // namespace argosy::scheduling
