// SPDX-License-Identifier: Apache-2.0
// Goal: the log says of each round which nodes it gave no new jobs, also over a change of the
// leader. Method: nodes are seen by hand, and entries are given to a second object.
#include "runtime/scheduling/between/closed_nodes.hpp"

#include <gmock/gmock.h>

namespace argosy::scheduling {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t all = 100;

TEST(closed_nodes, tells_only_what_changed) {
  closed_nodes nodes;
  nodes.see("c/open", node_openness::open);
  nodes.see("c/shut", node_openness::closed);
  const auto first = nodes.take_changes(all);
  ASSERT_THAT(first, SizeIs(1)) << "an open node is nothing to tell";
  EXPECT_EQ(first[0].name, "c/shut");
  EXPECT_EQ(first[0].level, 1);
  nodes.see("c/shut", node_openness::closed);
  EXPECT_THAT(nodes.take_changes(all), IsEmpty());
  nodes.see("c/shut", node_openness::quarantined);
  EXPECT_EQ(nodes.take_changes(all).at(0).level, 2);
  nodes.see("c/shut", node_openness::open);
  EXPECT_TRUE(nodes.take_changes(all).at(0).gone);
}

TEST(closed_nodes, leave_the_rest_for_the_next_record) {
  closed_nodes nodes;
  for (const auto* name : {"c/1", "c/2", "c/3"}) nodes.see(name, node_openness::closed);
  EXPECT_THAT(nodes.take_changes(2), SizeIs(2));
  EXPECT_THAT(nodes.take_changes(2), SizeIs(1));
}

TEST(closed_nodes, go_on_from_what_an_earlier_leader_told) {
  closed_nodes before;
  before.see("c/shut", node_openness::quarantined);
  before.see("c/left", node_openness::closed);
  closed_nodes after;
  for (auto entry : before.take_changes(all)) {
    entry.gone = entry.name == "c/left";  // The node left while nobody led.
    after.restore(entry);
  }
  EXPECT_EQ(after.of("c/shut"), node_openness::quarantined);
  EXPECT_EQ(after.of("c/left"), node_openness::open);
  const auto told = after.take_changes(all);
  ASSERT_THAT(told, SizeIs(1)) << "that it left may not be in the log yet";
  EXPECT_TRUE(told[0].gone);
}

}  // namespace
}  // namespace argosy::scheduling
