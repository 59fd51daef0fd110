// SPDX-License-Identifier: Apache-2.0
// Goal: the sums of a queue come back as they were written. Method: records by hand.
#include "messages/view/queue_sums_codec.hpp"

#include <gtest/gtest.h>

#include "messages/proto/argosy/store.pb.h"

namespace argosy::view {

TEST(queue_sums_codec, reads_what_it_wrote) {
  ledger::queue_sums sums;
  auto& delays = sums.by_place[{"default", "high"}];
  delays.waits.add(2'000'000'000);
  delays.placings.add(7'000'000'000);
  sums.ended[{"default", model::job_state::failed, "internal"}] = 7;
  sums.failures[{"internal", "node"}] = 8;
  sums.preempted[{"default", "cpu"}] = 1500.5;
  store::v1::QueueTotals record;
  to_record(sums, record);
  const auto read = sums_of(record);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(**read, sums);
}

TEST(queue_sums_codec, of_a_queue_without_any_are_none_and_unknown_states_refused) {
  store::v1::QueueTotals record;
  record.set_succeeded(3);
  const auto none = sums_of(record);
  ASSERT_TRUE(none);
  EXPECT_EQ(**none, ledger::queue_sums{});
  record.add_ended()->set_state(99);
  EXPECT_FALSE(sums_of(record));
}

}  // namespace argosy::view
