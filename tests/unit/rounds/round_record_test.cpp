// SPDX-License-Identifier: Apache-2.0
// Goal: the log's record of a round has what identifies it and what its plan decided. Method: a
// plan as a value.
#include "messages/rounds/round_record.hpp"

#include <gmock/gmock.h>

namespace argosy::rounds {
namespace {

using ::testing::SizeIs;

TEST(round_record, has_the_counts_and_the_digest_of_the_plan) {
  scheduling::plan plan;
  plan.leases.resize(2);
  plan.preemptions.resize(1);
  plan.digest = 99;
  plan.draw_limit = 8;
  model::round_decided decided;
  decided.number = 5;
  decided.pool = "p";
  const auto record = round_record(decided, plan, 1'000);
  ASSERT_THAT(record->events, SizeIs(1));
  EXPECT_EQ(record->events[0].time_ns, 1'000);
  EXPECT_EQ(record->events[0].queue, "");
  const auto& stored = std::get<model::round_decided>(record->events[0].payload);
  EXPECT_EQ(stored.number, 5U);
  EXPECT_EQ(stored.pool, "p");
  EXPECT_EQ(stored.leases, 2U);
  EXPECT_EQ(stored.preemptions, 1U);
  EXPECT_EQ(stored.digest, 99U);
  EXPECT_EQ(stored.draw_limit, 8U);
  ASSERT_THAT(record->changes, SizeIs(1));
  EXPECT_EQ(std::get<ledger::put_round>(record->changes[0]).round.digest, 99U);
}

}  // namespace
}  // namespace argosy::rounds
