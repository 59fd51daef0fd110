// SPDX-License-Identifier: Apache-2.0
// Goal: of the nodes that an agent lists only what changed goes into the log, in events of bounded
// size. Method: lists of nodes as values.
#include "runtime/ledger/cluster/node_changes.hpp"

#include <gmock/gmock.h>

#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const node_map two_nodes{{"n1", node_named("n1")}, {"n2", node_named("n2")}};

auto name_is(const std::string& name) {
  return Field(&model::node_info::name, name);
}

TEST(node_changes, are_the_nodes_that_are_new_or_differ) {
  const auto news = compare_nodes(
      two_nodes, {node_named("n1"), node_named("n2", 8000), node_named("n3")}, {}, false);
  EXPECT_THAT(news.fresh, ElementsAre(name_is("n2"), name_is("n3")));
  EXPECT_THAT(news.told, ElementsAre(name_is("n2"), name_is("n3")));
}

TEST(node_changes, of_another_pool_are_told_to_all_and_logged_for_none) {
  const auto news = compare_nodes(two_nodes, {node_named("n1"), node_named("n2")}, {}, true);
  EXPECT_THAT(news.fresh, IsEmpty());
  EXPECT_THAT(news.told, SizeIs(2));
}

TEST(node_changes, leave_out_removed_nodes_that_were_not_there) {
  EXPECT_THAT(compare_nodes(two_nodes, {}, {"n2", "n9"}, false).gone, ElementsAre("n2"));
}

TEST(node_changes, are_divided_by_number_and_by_size) {
  std::vector<model::node_info> many;
  std::vector<model::node_name> gone;
  for (int i = 0; i < 100; ++i) {
    many.push_back(node_named("n" + std::to_string(i)));
    gone.emplace_back("g" + std::to_string(i));
  }
  const auto parts = divide_nodes("c", many, gone);
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_THAT(parts[0].set, SizeIs(64));
  EXPECT_THAT(parts[1].removed, SizeIs(36));
  std::vector<model::node_info> large{node_named("n1"), node_named("n2")};
  for (auto& node : large) node.labels = {{"text", std::string(800'000, 'x')}};
  EXPECT_THAT(divide_nodes("c", large, {}), SizeIs(2));
  EXPECT_THAT(divide_nodes("c", {}, {}), IsEmpty());
}

TEST(node_changes, name_the_node_that_cannot_be) {
  EXPECT_TRUE(check_nodes({node_named("n1"), node_named("n2")}));
  EXPECT_FALSE(check_nodes({node_named("a/b")}));
  EXPECT_EQ(check_nodes({node_named("n1"), node_named("n1")}).error().detail,
            "node 'n1' is listed twice");
  EXPECT_EQ(check_nodes({node_named("n1", -1)}).error().detail,
            "node 'n1': the amount of cpu is negative");
}

}  // namespace
}  // namespace argosy::ledger
