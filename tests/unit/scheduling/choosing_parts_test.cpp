// SPDX-License-Identifier: Apache-2.0
// Goal: the parts that choose nodes and victims keep what their headers promise. Method: as in
// parts_test.cpp.
#include <array>

#include "tests/unit/scheduling/parts_fixture.hpp"

namespace argosy::scheduling::engine::parts_test {
namespace {

TEST(choosing_parts, node_chooser_pushes_out_only_where_nothing_is_free) {
  begun round(two_nodes());
  round.evict_none();
  auto& trial = round.parts.under_way;
  auto urgent = round.gang_of({3});
  auto& o = urgent.offers[0];
  trial.begin();
  EXPECT_EQ(round.parts.chooser.choose(o, urgent, {}), 1U) << "n1 has 3 cores left";
  trial.bind(round.gang_of({4}).offers[0], 1);
  trial.bind(o, 1);
  EXPECT_EQ(round.free_cpu(1), 0);
  EXPECT_EQ(round.parts.chooser.choose(o, urgent, {}), 0U);
  EXPECT_FALSE(round.parts.nodes.bound.is_bound(0)) << "1 core is free, and low leaves the other";
  EXPECT_TRUE(round.parts.nodes.bound.is_bound(1));
  trial.undo();
  EXPECT_TRUE(round.parts.nodes.bound.is_bound(0));
}

TEST(choosing_parts, node_chooser_sends_evicted_jobs_home) {
  begun round(two_nodes());
  evictor leaves(round.parts.nodes, round.parts.queues, round.params, round.parts.made);
  const auto evicted = leaves.for_balance();
  round.line_up_evicted(evicted);
  for (const auto& back : evicted.returning[round.parts.queues.of(0)]) {
    gang g;
    g.offers = {back};
    g.returning = true;
    EXPECT_EQ(round.parts.chooser.choose(g.offers[0], g, {}), back.job == 2 ? 1U : 0U);
  }
}

TEST(choosing_parts, node_order_says_what_its_keys_ask_for) {
  const auto with = [](std::vector<node_key> keys) {
    keys.insert(keys.begin(), {node_key::no_preemption, node_key::lowest_victim_class,
                               node_key::largest_victim_share});
    return begun(two_nodes(), {.node_order = std::move(keys)});
  };
  const auto of_victims = with({node_key::least_victims, node_key::best_fit});
  EXPECT_TRUE(of_victims.parts.order.ranks_balance());
  EXPECT_TRUE(of_victims.parts.order.has_bounds());
  EXPECT_FALSE(of_victims.parts.order.walks_free());
  EXPECT_TRUE(with({node_key::least_victims}).parts.order.walks_free()) << "best fit is not asked";
  const auto of_users = with({node_key::empty_node, node_key::best_fit});
  EXPECT_FALSE(of_users.parts.order.ranks_balance());
  EXPECT_TRUE(of_users.parts.order.walks_free());
}

TEST(choosing_parts, victim_picker_takes_the_weakest_claims_and_no_more_than_needed) {
  begun round(two_nodes());
  victim_picker victims(round.parts.nodes, round.parts.queues, round.parts.under_way,
                        round.parts.budget);
  victims.open(round.order);
  const auto urgent = round.gang_of({3});
  const auto one = victims.pick(urgent.offers[0], 0);
  EXPECT_EQ(victims.victims(), (ids{0}));
  EXPECT_EQ(one.level, 500);
  EXPECT_EQ(one.count, 1U);
  (void)victims.pick(urgent.offers[0], 0);
  EXPECT_EQ(victims.victims(), (ids{0})) << "the same once more";
}

TEST(choosing_parts, victim_sizes_say_how_many_must_leave_at_least) {
  begun round(two_nodes());
  victim_sizes sizes(round.parts.nodes, round.parts.queues);
  sizes.follow(round.parts.under_way.bound_new());
  EXPECT_EQ(sizes.least_victims(std::array<std::int64_t, 3>{1000, 0, 0}.data(), 0), 0U);
  EXPECT_EQ(sizes.least_victims(std::array<std::int64_t, 3>{3000, 0, 0}.data(), 0), 1U);
  EXPECT_EQ(sizes.least_victims(std::array<std::int64_t, 3>{4000, 0, 0}.data(), 0), 2U);
  EXPECT_FALSE(sizes.least_victims(std::array<std::int64_t, 3>{0, 2000, 0}.data(), 0))
      << "nobody has any memory";
}

}  // namespace
}  // namespace argosy::scheduling::engine::parts_test
