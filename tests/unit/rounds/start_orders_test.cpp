// SPDX-License-Identifier: Apache-2.0
// Goal: what a queue accepted of a plan becomes orders for the clusters of the runs. Method:
// accepted parts as values.
#include "messages/rounds/start_orders.hpp"

#include <gmock/gmock.h>

namespace argosy::rounds {
namespace {

using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::SizeIs;

ledger::placed_run placed(std::uint8_t number, model::cluster_name cluster, model::node_name node) {
  auto header = std::make_shared<model::job_header>();
  header->id = ulid_from_hash(1, 0, number);
  header->queue = "q";
  header->shape = std::make_shared<const model::job_shape>();
  header->spec = std::make_shared<const std::string>("spec");
  return {{header->id, 3}, std::move(cluster), std::move(node), header, 55};
}

TEST(start_orders, go_to_the_cluster_of_each_run_in_the_order_of_the_plan) {
  ledger::place_reply accepted;
  accepted.started = {placed(1, "b", "n1"), placed(2, "a", "n2"), placed(3, "b", "n3")};
  accepted.refused = {{ulid_from_hash(1, 0, 9), "it was cancelled"}};
  const auto orders = start_orders(accepted, {"argosy.queue", 7, {42}, 100});
  EXPECT_EQ(orders->position.value, 42U);
  EXPECT_EQ(orders->refused, 1U);
  ASSERT_THAT(orders->start,
              ElementsAre(Key(model::cluster_name{"a"}), Key(model::cluster_name{"b"})));
  ASSERT_THAT(orders->start.at(model::cluster_name{"b"}), SizeIs(2));
  EXPECT_EQ(orders->start.at(model::cluster_name{"b"})[0].node, "n1");
  EXPECT_EQ(orders->start.at(model::cluster_name{"b"})[1].node, "n3");
  EXPECT_EQ(orders->start.at(model::cluster_name{"b"})[1].leased_ns, 55);
  EXPECT_EQ(orders->start.at(model::cluster_name{"a"})[0].run,
            (model::run_key{ulid_from_hash(1, 0, 2), 3}));
}

TEST(start_orders, name_the_nodes_of_a_gang_in_the_order_of_its_submission) {
  ledger::place_reply accepted;
  accepted.started = {placed(3, "b", "n3"), placed(1, "a", "n1"), placed(9, "a", "n9"),
                      placed(2, "a", "n2")};
  for (const auto index : {0U, 1U, 3U}) {
    auto header = std::make_shared<model::job_header>(*accepted.started[index].header);
    header->gang =
        std::make_shared<const model::gang_info>(model::gang_info{"g", 3, 3, std::string{}});
    accepted.started[index].header = header;
  }
  const auto orders = start_orders(accepted, {"argosy.queue", 7, {42}, 100});
  const std::vector<model::node_name> nodes{"n1", "n2", "n3"};
  for (const auto& [cluster, starts] : orders->start)
    for (const auto& start : starts) {
      const bool is_alone = start.node == "n9";
      EXPECT_EQ(start.gang_nodes, is_alone ? std::vector<model::node_name>{} : nodes);
      if (!is_alone) EXPECT_EQ(start.gang_nodes.at(start.gang_rank), start.node);
    }
}

TEST(start_orders, of_nothing_are_none) {
  EXPECT_THAT(start_orders({}, {"argosy.queue", 7, {42}, 100})->start, SizeIs(0));
}

}  // namespace
}  // namespace argosy::rounds
