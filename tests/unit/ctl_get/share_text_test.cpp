// SPDX-License-Identifier: Apache-2.0
// Goal: describe queue says in one sentence why the share of a queue is what it is. Method: shares
// as rounds leave them, written down by hand.
#include "bins/argosyctl/verbs/queues/share_text.hpp"

#include <gmock/gmock.h>

namespace argosy::ctl {
namespace {

using ::testing::EndsWith;

std::string sentence(double fair, double actual, double demand) {
  argosy::v1::PoolShare share;
  share.set_pool("main");
  share.set_fair_share(fair);
  share.set_actual_share(actual);
  share.set_demand_share(demand);
  return share_sentence(share, 1, {4, 3});
}

TEST(share_sentences, say_whether_the_queue_gives_way_waits_or_has_enough) {
  EXPECT_THAT(sentence(0.25, 0.4, 0.9), EndsWith("to make room for those of other queues"));
  EXPECT_THAT(sentence(0.25, 0.1, 0.1), EndsWith("asks for 10.0% and has all that it wants"));
  EXPECT_THAT(sentence(0.25, 0.1, 0.9), EndsWith("queues that have more of their share"));
  EXPECT_THAT(sentence(0.25, 0.25, 0.9), EndsWith("it gets more of what others leave"));
}

TEST(share_sentences, add_up_the_weights_of_the_queues_of_a_pool) {
  argosy::v1::ListQueuesResponse queues;
  for (const auto factor : {2.0, 1.0, 0.0}) {
    auto& queue = *queues.add_queues();
    queue.mutable_queue()->set_priority_factor(factor);
    queue.add_shares()->set_pool("main");
  }
  queues.mutable_queues(1)->add_shares()->set_pool("gpu");
  const auto weights = weights_by_pool(queues);
  EXPECT_EQ(weights.at("main").sum, 2.5) << "a factor of 0 counts as 1";
  EXPECT_EQ(weights.at("main").queues, 3U);
  EXPECT_EQ(weights.at("gpu").sum, 1);
}

}  // namespace
}  // namespace argosy::ctl
