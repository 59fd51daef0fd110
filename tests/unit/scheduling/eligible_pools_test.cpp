// SPDX-License-Identifier: Apache-2.0
// Goal: a shape belongs to the pools of which some node could ever take it, and what is kept up as
// nodes come and go is what somebody says who looks at everything. Method: a snapshot of a few
// nodes by hand, and random histories, in which a second object looks anew after each step.
#include "runtime/scheduling/between/eligible_pools.hpp"

#include <gmock/gmock.h>

#include <random>

#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class pools_of_shapes : public ::testing::Test {
 protected:
  void set_node(const std::string& id, const std::string& pool, std::int64_t cpu,
                const std::string& kind = "plain", const std::string& spot = {}) {
    node_row row;
    row.id = id;
    row.executor = "c";
    row.pool = pool;
    row.total = {{"cpu", cpu}};
    row.labels = {{"kind", kind}, {std::string{node_id_label}, id}};
    if (!spot.empty()) row.taints = {{spot, "x", "NoSchedule"}};
    ASSERT_TRUE(world.upsert_node(row));
    see(id);
  }
  void drop_node(const std::string& id) {
    world.remove_node(id);
    see(id);
  }
  void see(const std::string& id) {
    if (const auto at = world.data().node_numbers.find(id); at != world.data().node_numbers.end())
      pools.see(at->second);
  }
  shape_id shape(std::int64_t cpu, label_list selector = {}, std::vector<toleration> bears = {}) {
    shape_row row;
    row.requests = {{"cpu", cpu}};
    row.selector = std::move(selector);
    row.tolerations = std::move(bears);
    return world.intern(row).value();
  }
  std::vector<std::string> names(shape_id of) {
    const auto set = pools.pools_of(world, of);
    std::vector<std::string> out;
    for (const auto pool : world.data().pool_sets[set])
      out.push_back(world.data().pools.name(pool));
    if (set == 0) out.emplace_back("every");
    return out;
  }

  std::shared_ptr<config> conf = std::make_shared<config>(default_config());
  snapshot world{*conf};
  eligible_pools pools{conf, {}};
};

TEST_F(pools_of_shapes, are_those_with_a_node_that_could_take_them) {
  set_node("c/a", "cpu", 4000);
  set_node("c/b", "gpu", 8000, "gpu", "gpu");
  const auto any = shape(1000, {}, {{"gpu", "", true, ""}});
  const auto plain = shape(1000);
  const auto large = shape(5000, {}, {{"gpu", "", true, ""}});
  const auto huge = shape(9000);
  const auto named = shape(1000, {{std::string{node_id_label}, "c/a"}});
  static_cast<void>(pools.settle(world));
  EXPECT_THAT(names(any), ElementsAre("every"));
  EXPECT_THAT(names(plain), ElementsAre("cpu")) << "the taint of the other node is not tolerated";
  EXPECT_THAT(names(large), ElementsAre("gpu"));
  EXPECT_THAT(names(huge), ElementsAre(std::string{no_pool}));
  EXPECT_THAT(names(named), ElementsAre("cpu"));
}

TEST_F(pools_of_shapes, follow_the_kinds_of_nodes) {
  set_node("c/a", "cpu", 4000);
  const auto large = shape(5000);
  static_cast<void>(pools.settle(world));
  EXPECT_THAT(names(large), ElementsAre(std::string{no_pool}));
  set_node("c/b", "gpu", 8000);
  EXPECT_THAT(pools.settle(world), ElementsAre(large));
  EXPECT_THAT(names(large), ElementsAre("gpu"));
  set_node("c/c", "cpu", 8000);
  EXPECT_THAT(pools.settle(world), ElementsAre(large));
  EXPECT_THAT(names(large), ElementsAre("every"));
  set_node("c/d", "cpu", 8000);
  drop_node("c/c");
  EXPECT_THAT(pools.settle(world), IsEmpty()) << "another one of its kind is there";
  drop_node("c/d");
  EXPECT_THAT(pools.settle(world), ElementsAre(large));
  EXPECT_THAT(names(large), ElementsAre("gpu"));
}

TEST_F(pools_of_shapes, take_closed_nodes_and_those_that_are_lent_as_they_are) {
  auto borrowing = std::make_shared<config>(*conf);
  borrowing->away_pools = {"lender"};
  pools.configure(conf, {{"borrower", borrowing}});
  node_row row{"c/a", "c", "lender", {{"cpu", 4000}}, {}, {}, {}};
  row.unschedulable = true;
  ASSERT_TRUE(world.upsert_node(row));
  set_node("c/b", "other", 1000);
  const auto large = shape(2000);
  static_cast<void>(pools.settle(world));
  EXPECT_THAT(names(large), ::testing::UnorderedElementsAre("borrower", "lender"));
}

TEST_F(pools_of_shapes, are_as_if_all_were_looked_at_anew) {
  std::mt19937_64 random{7};
  const auto any = [&](std::uint64_t below) { return random() % below; };
  const std::vector<std::string> kinds{"plain", "fast", "big"};
  std::vector<shape_id> shapes;
  std::size_t changes = 0;
  for (int step = 0; step < 2'000; ++step) {
    const auto id = "c/" + std::to_string(any(12));
    if (any(3) == 0)
      drop_node(id);
    else
      set_node(id, "p" + std::to_string(any(4)), 1000 * static_cast<std::int64_t>(1 + any(4)),
               kinds[any(3)], any(3) == 0 ? "spot" : "");
    if (any(4) == 0) {
      label_list selector;
      if (any(3) == 0) selector.emplace_back("kind", kinds[any(3)]);
      if (any(6) == 0) selector.emplace_back(node_id_label, "c/" + std::to_string(any(12)));
      std::vector<toleration> bears;
      if (any(2) == 0) bears.push_back({"spot", "", true, ""});
      shapes.push_back(shape(1000 * static_cast<std::int64_t>(1 + any(5)), selector, bears));
    }
    if (any(2) == 0) continue;
    changes += pools.settle(world).size();
    eligible_pools fresh{conf, {}};
    static_cast<void>(fresh.settle(world));
    for (const auto each : shapes)
      ASSERT_EQ(pools.pools_of(world, each), fresh.pools_of(world, each)) << "in step " << step;
  }
  EXPECT_GT(changes, 500U);
}

}  // namespace
}  // namespace argosy::scheduling
