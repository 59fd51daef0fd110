// SPDX-License-Identifier: Apache-2.0
// Goal: what is remembered of a round tells queues from their guests. Method: a plan made by hand.
#include "messages/rounds/plan_parts.hpp"

#include <gtest/gtest.h>

namespace argosy::rounds {
namespace {

TEST(round_memories, give_no_queue_the_share_of_guests_with_its_name) {
  const scheduling::snapshot nothing{scheduling::default_config()};
  scheduling::plan made;
  made.queues.resize(2);
  made.queues[0].name = "a-away";
  made.queues[0].cost_after = 0.25;
  made.queues[1].name = "a-away";
  made.queues[1].cost_after = 0.5;
  made.queues[1].guests = true;
  round_memory memory;
  memory.remember(made, nothing, 1, 0);
  ASSERT_EQ(memory.shares().size(), 1u);
  EXPECT_EQ(memory.shares().at("a-away").actual, 0.25);
}

}  // namespace
}  // namespace argosy::rounds
