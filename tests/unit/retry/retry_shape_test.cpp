// SPDX-License-Identifier: Apache-2.0
// Goal: the next run goes to other nodes and gets more memory, and nothing else changes. Method:
// shapes with and without affinity and memory.
#include "runtime/ledger/retry/retry_shape.hpp"

#include <gmock/gmock.h>

namespace argosy::ledger {
namespace {

using op = model::affinity_rule::op;
using ::testing::ElementsAre;

std::shared_ptr<const model::job_shape> shape_of(
    model::resource_list requests, std::vector<std::vector<model::affinity_rule>> affinity = {}) {
  auto out = std::make_shared<model::job_shape>();
  out->requests = std::move(requests);
  out->affinity = std::move(affinity);
  return out;
}

model::run_retried retry(bool avoid, std::int64_t memory = 0) {
  return {{}, {}, "p", avoid, memory};
}

TEST(retry_shape, a_retry_that_asks_for_nothing_keeps_the_very_shape) {
  const auto shape = shape_of({{"cpu", 1}});
  EXPECT_EQ(shape_after(shape, retry(false), model::node_name{"n"}), shape);
}

TEST(retry_shape, memory_is_replaced_or_put_in_its_place) {
  const auto more = retry(false, 50);
  EXPECT_EQ(
      shape_after(shape_of({{"cpu", 1}, {"memory", 7}, {"zoo", 2}}), more, model::node_name{"n"})
          ->requests,
      (model::resource_list{{"cpu", 1}, {"memory", 50}, {"zoo", 2}}));
  EXPECT_EQ(shape_after(shape_of({{"cpu", 1}, {"zoo", 2}}), more, model::node_name{"n"})->requests,
            (model::resource_list{{"cpu", 1}, {"memory", 50}, {"zoo", 2}}));
}

TEST(retry_shape, the_node_is_left_out_of_every_alternative) {
  const model::affinity_rule zone{"zone", op::in, {"a"}};
  const model::affinity_rule away{"kubernetes.io/hostname", op::not_in, {"n"}};
  EXPECT_THAT(shape_after(shape_of({}), retry(true), model::node_name{"n"})->affinity,
              ElementsAre(ElementsAre(away)));
  EXPECT_THAT(shape_after(shape_of({}, {{zone}, {}}), retry(true), model::node_name{"n"})->affinity,
              ElementsAre(ElementsAre(zone, away), ElementsAre(away)));
}

TEST(retry_shape, nodes_gather_over_retries_each_once) {
  auto shape = shape_of({});
  for (const auto* node : {"n", "m", "n"})
    shape = shape_after(shape, retry(true), model::node_name{node});
  EXPECT_THAT(shape->affinity, ElementsAre(ElementsAre(model::affinity_rule{
                                   "kubernetes.io/hostname", op::not_in, {"n", "m"}})));
}

TEST(retry_shape, memory_grows_by_factor_or_amount_up_to_one_eib) {
  EXPECT_EQ(more_memory(100, {1.5, {}}), 150);
  EXPECT_EQ(more_memory(101, {1.5, {}}), 152) << "it is rounded up";
  EXPECT_EQ(more_memory(100, {{}, 28}), 128);
  EXPECT_EQ(more_memory(0, {2.0, {}}), 0);
  EXPECT_EQ(more_memory(0, {{}, 5}), 5);
  constexpr auto most = std::int64_t{1} << 60;
  EXPECT_EQ(more_memory(100, {1e300, {}}), most);
  EXPECT_EQ(more_memory(100, {{}, std::numeric_limits<std::int64_t>::max()}), most);
}

}  // namespace
}  // namespace argosy::ledger
