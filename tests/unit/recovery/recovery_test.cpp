// SPDX-License-Identifier: Apache-2.0
// Goal: whatever part of what was written survives on either side, recovery comes to the same state
// or says that it cannot. Method: one history of batches in the log in memory and in a store, of
// which one or the other loses something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/store/key.hpp"
#include "tests/unit/recovery/recovery_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::HasSubstr;

TEST_F(view_recovery, of_nothing_is_an_empty_state) {
  const auto state = recovered();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->position.position, 0u);
  EXPECT_TRUE(state->queues.empty());
}

TEST_F(view_recovery, of_a_whole_store_reads_the_view_alone) {
  write_history(10);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 8u);
  EXPECT_EQ(state->live_jobs, 8u);
  EXPECT_EQ(state->replayed_batches, 0u);
  EXPECT_EQ(state->position.position, 10u);
  EXPECT_EQ(state->position.holder, "me");
}

TEST_F(view_recovery, knows_the_newest_time_and_the_readings_of_the_clocks) {
  write_history(10);
  auto txn = database_.begin_write();
  ASSERT_TRUE(write_clock(**txn, {from_nanos(7), from_nanos(8), boot_time{9}, "boot"}));
  ASSERT_TRUE((*txn)->commit());
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->newest_ns, 1);
  ASSERT_TRUE(state->clock);
  EXPECT_EQ(state->clock->log, from_nanos(7));
  EXPECT_EQ(state->clock->boot_id, "boot");
  store::memory_database empty;
  const auto replayed = recover(empty, log_, {}, *key_);
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->newest_ns, 1);
  EXPECT_FALSE(replayed->clock);
}

TEST_F(view_recovery, of_an_empty_store_replays_the_log) {
  write_history(10);
  store::memory_database empty;
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 8u);
  EXPECT_EQ(state->replayed_batches, 10u);
  EXPECT_EQ(state->replayed_claims, 1u);
  EXPECT_EQ(state->position.epoch, 1u);
  const auto again = recover(empty, log_, {}, *key_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->replayed_batches, 0u) << "it was written into the view";
  EXPECT_EQ(jobs_in(*again), 8u);
}

TEST_F(view_recovery, gives_back_to_the_log_what_it_lost) {
  write_history(10);
  log_.lose_tail(4);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->republished_batches, 4u);
  EXPECT_EQ(*log_.last_position(), 10u);
  EXPECT_EQ(jobs_in(*state), 8u);
}

TEST_F(view_recovery, begins_a_generation_when_the_log_lost_more_than_the_tail_has) {
  // Without MACs the time of its making shows that the log is the one of this store.
  auto begin = stands_at(0);
  begin.stream_created_ns = log_.info()->created_ns;
  writer_ = batches::batch_core{begin, 1'000'000};
  write_history(10);
  {
    auto txn = database_.begin_write();
    for (std::uint64_t position = 1; position <= 8; ++position)
      ASSERT_TRUE((*txn)->erase(store::table::tail, store::key_builder{}.number(position).take()));
    ASSERT_TRUE((*txn)->commit());
  }
  log_.lose_tail(4);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->begun_generation, 2u);
  EXPECT_EQ(jobs_in(*state), 8u);
}

TEST_F(view_recovery, refuses_a_log_and_a_store_that_do_not_belong_together) {
  write_history(10);
  eventlog::memory_log other{clock_, {.never_wait = true}};
  for (std::uint64_t i = 0; i < 10; ++i)
    ASSERT_TRUE(other.append(i, "other" + std::to_string(i), "other" + std::to_string(i)));
  const auto state = recover(database_, other, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("do not belong together"));
}

TEST_F(view_recovery, does_not_add_to_the_log_of_another_control_plane_that_is_shorter) {
  write_history(10);
  eventlog::memory_log other{clock_, {.never_wait = true}};
  batches::batch_core its_writer{{}, 1'000'000};
  (void)its_writer.add(its_writer.claim({2, "another"}, 1));
  const auto* claim = its_writer.begin();
  ASSERT_TRUE(other.append(0, claim->message_id, *claim->bytes));
  const auto state = recover(database_, other, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("do not belong together"));
  EXPECT_EQ(*other.last_position(), 1u);
}

}  // namespace
}  // namespace argosy::view
