// SPDX-License-Identifier: Apache-2.0
// Goal: whatever part of what was written survives on either side, recovery comes to the same state
// or says that it cannot. Method: one history of batches in the log in memory and in a store, of
// which one or the other loses something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "messages/proto/argosy/store.pb.h"
#include "tests/unit/recovery/recovery_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::HasSubstr;

TEST_F(view_recovery, of_nothing_is_an_empty_state) {
  const auto state = recovered();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->position.position.value, 0u);
  EXPECT_TRUE(state->queues.empty());
}

TEST_F(view_recovery, of_a_whole_store_reads_the_view_alone) {
  write_history(10);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 8u);
  EXPECT_EQ(state->live_jobs, 8u);
  EXPECT_EQ(state->replayed_batches, 0u);
  EXPECT_EQ(state->position.position.value, 10u);
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
  EXPECT_EQ(state->position.epoch.value, 1u);
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
  EXPECT_EQ(*log_.last_position(), model::log_position{10});
  EXPECT_EQ(jobs_in(*state), 8u);
}

TEST_F(view_recovery, refuses_a_store_of_another_form_before_anything_is_written) {
  write_history(4);
  append_unapplied(decided(submitted(50)));
  const auto expect_refused = [&](const std::string& found) {
    database_.fail_next_commit({ec::internal, "nothing is to be written"});
    for (const bool accept_loss : {false, true}) {
      const auto state = recover(database_, log_, {.accept_loss = accept_loss}, *key_);
      ASSERT_FALSE(state);
      EXPECT_THAT(state.error().detail, HasSubstr(found));
    }
    EXPECT_EQ(*log_.last_position(), model::log_position{5});
    EXPECT_FALSE(erase_copy_mark(database_)) << "the commit that was to fail is this one";
  };
  const auto change = [&](const std::function<void(store::write_txn&)>& how) {
    auto txn = database_.begin_write();
    how(**txn);
    ASSERT_TRUE((*txn)->commit());
  };
  change([](auto& txn) {
    store::v1::CountsMark mark;
    mark.set_format(1);
    mark.set_postings_form(5);
    EXPECT_TRUE(txn.put(store::table::meta, "set_counts", mark.SerializeAsString()));
  });
  expect_refused("its tables have form 5, while this one writes form 4 and reads those from 4");
  change([](auto& txn) { EXPECT_TRUE(txn.erase(store::table::meta, "set_counts")); });
  expect_refused("its tables have form 0");
  change([](auto& txn) {
    store::v1::Position position;
    position.set_format(2);
    EXPECT_TRUE(txn.put(store::table::meta, "position", position.SerializeAsString()));
  });
  expect_refused("a record of the view's position has format 2; this version reads 1");
}

TEST_F(view_recovery, refuses_a_log_and_a_store_that_do_not_belong_together) {
  write_history(10);
  eventlog::memory_log other{clock_, {.never_wait = true}};
  for (std::uint64_t i = 0; i < 10; ++i)
    ASSERT_TRUE(other.append({i}, "other" + std::to_string(i), "other" + std::to_string(i)));
  const auto state = recover(database_, other, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("do not belong together"));
}

TEST_F(view_recovery, does_not_add_to_the_log_of_another_control_plane_that_is_shorter) {
  write_history(10);
  eventlog::memory_log other{clock_, {.never_wait = true}};
  batches::batch_core its_writer{{}, 1'000'000, tests::test_key("another")};
  (void)its_writer.add(its_writer.claim({{2}, "another"}, 1));
  const auto* claim = its_writer.begin();
  ASSERT_TRUE(other.append({0}, claim->message_id, *claim->bytes));
  const auto state = recover(database_, other, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("do not belong together"));
  EXPECT_EQ(*other.last_position(), model::log_position{1});
}

TEST_F(view_recovery, numbers_never_go_back) {
  recovered_state state;
  for (const std::uint64_t number : {3, 2}) {
    model::call_recorded call;
    call.number = number;
    static_cast<void>(state.apply({1, {}, call}, {}));
    model::round_decided round;
    round.number = number;
    static_cast<void>(state.apply({1, {}, round}, {}));
  }
  EXPECT_EQ(state.last_call, 3u);
  EXPECT_EQ(state.last_round, 3u);
}

}  // namespace
}  // namespace argosy::view
