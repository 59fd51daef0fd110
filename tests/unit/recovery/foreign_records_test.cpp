// SPDX-License-Identifier: Apache-2.0
// Goal: whatever stands in the log between the batches of the chain, recovery neither stops for
// what was never ours nor leaves out what was. Method: records of strangers, deposed leaders and
// other versions, and damaged ones, at all places of a short history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/codec/log/log_codec.hpp"
#include "tests/unit/recovery/recovery_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::HasSubstr;

using foreign_records = view_recovery;

TEST_F(foreign_records, steps_over_foreign_records_wherever_they_stand) {
  ASSERT_TRUE(log_.append({0}, "a", "before the first"));
  writer_ = batches::batch_core{stands_at(1), 1'000'000, key_};
  write_history(4);
  ASSERT_TRUE(log_.append({5}, "b", "x"));
  ASSERT_TRUE(log_.append({6}, "c", std::string(100, '\0')));
  const auto whole = recovered();
  ASSERT_TRUE(whole) << whole.error().detail;
  EXPECT_EQ(whole->foreign_records, 2u) << "the view ends behind the first of the three";
  EXPECT_EQ(whole->position.position.value, 7u);
  writer_ = batches::batch_core{whole->position, 1'000'000, key_};
  append(writer_.claim({{3}, "me again"}, 2));
  for (auto* database : {&database_, static_cast<store::memory_database*>(nullptr)}) {
    store::memory_database empty;
    const auto state = recover(database != nullptr ? *database : empty, log_, {}, *key_);
    ASSERT_TRUE(state) << state.error().detail;
    EXPECT_EQ(jobs_in(*state), 2u);
    EXPECT_EQ(state->position.position.value, 8u);
    EXPECT_EQ(state->position.holder, "me again");
    EXPECT_EQ(state->foreign_records, database != nullptr ? 0u : 3u);
  }
}

TEST_F(foreign_records, gives_foreign_records_back_to_the_log_as_well) {
  write_history(4);
  ASSERT_TRUE(log_.append({4}, "", "x"));
  writer_ = batches::batch_core{recovered()->position, 1'000'000, key_};
  append(writer_.claim({{3}, "me again"}, 2));
  log_.lose_tail(3);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->republished_batches, 3u);
  EXPECT_EQ(log_.get({5})->data, "x");
  EXPECT_EQ(state->position.holder, "me again");
}

TEST_F(foreign_records, hide_no_time_of_the_batches_before) {
  write_history(4);
  ASSERT_TRUE(log_.append({4}, "b", "x"));
  EXPECT_EQ(recovered()->newest_ns, 1) << "the record is stepped over";
  EXPECT_EQ(recovered()->newest_ns, 1) << "it is the newest of the tail";
}

TEST_F(foreign_records, steps_over_a_batch_of_a_leader_that_was_deposed) {
  write_history(4);
  const auto end = recovered()->position;
  batches::batch_core late{end, 1'000'000, key_};
  (void)late.add(decided(submitted(50)));
  const std::string bytes = *late.begin()->bytes;
  append(writer_.claim({{2}, "a second"}, 1));
  ASSERT_TRUE(log_.append({5}, "late", bytes));
  store::memory_database empty;
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 2u);
  EXPECT_EQ(state->foreign_records, 1u);
}

TEST_F(foreign_records, steps_over_a_batch_off_the_chain_if_the_chain_goes_on_behind_it) {
  write_history(4);
  ASSERT_TRUE(log_.append({4}, "broken", broken()));
  auto end = recovered();
  EXPECT_THAT(end.error().detail, HasSubstr("record 5 does not continue"));
  auto behind = stands_at(5);
  behind.epoch = {1};
  behind.hash = codec::batch_hash(log_.get({4})->data);
  writer_ = batches::batch_core{behind, 1'000'000, key_};
  append(writer_.claim({{3}, "me again"}, 2));
  store::memory_database empty;
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 2u);
  EXPECT_EQ(state->foreign_records, 1u);
}

TEST_F(foreign_records, keeps_no_batch_off_the_chain_so_that_a_restored_log_is_taken) {
  write_history(4);
  ASSERT_TRUE(log_.append({4}, "broken", broken()));
  EXPECT_FALSE(recovered());
  log_.lose_tail(1);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->position.position.value, 4u);
  EXPECT_EQ(*log_.last_position(), model::log_position{4});
}

TEST_F(foreign_records, repairs_a_log_at_whose_end_a_late_batch_stands) {
  write_history(4);
  batches::batch_core late{recovered()->position, 1'000'000, key_};
  (void)late.add(decided(submitted(50)));
  const std::string bytes = *late.begin()->bytes;
  append(writer_.claim({{2}, "a second"}, 1));
  ASSERT_TRUE(log_.append({5}, "late", bytes));
  writer_ = batches::batch_core{recovered()->position, 1'000'000, key_};
  append(writer_.claim({{3}, "a third"}, 1));
  log_.lose_tail(1);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->position.holder, "a third");
  EXPECT_EQ(state->republished_batches, 1u);
}

TEST_F(foreign_records, refuses_a_batch_of_a_newer_version) {
  write_history(4);
  // The first field of a batch is its format.
  auto newer = *writer_.claim({{9}, "newer"}, 1);
  model::log_batch batch;
  batch.epoch = {1};
  batch.previous_hash = codec::batch_hash(log_.get({4})->data);
  batch.events = newer.events;
  auto bytes = codec::encode_batch(batch);
  ASSERT_EQ(bytes[0], '\x08');
  ++bytes[1];
  key_->sign(bytes);
  ASSERT_TRUE(log_.append({4}, "newer", bytes));
  const auto state = recovered();
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("record 5 cannot be read: a log batch has format"));
}

TEST_F(foreign_records, refuses_a_chain_that_goes_through_a_damaged_record) {
  write_history(10);
  eventlog::memory_log damaged{clock_, {.never_wait = true}};
  for (std::uint64_t position = 1; position <= 10; ++position) {
    auto record = *log_.get({position});
    if (position == 7) record.data = "damaged";
    ASSERT_TRUE(damaged.append({position - 1}, record.msg_id, record.data));
  }
  store::memory_database empty;
  const auto state = recover(empty, damaged, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("record 7 is no batch, and no record behind it"));
}

TEST_F(foreign_records, refuses_a_last_record_that_the_tail_has_with_other_bytes) {
  write_history(10);
  const auto id = log_.get({10})->msg_id;
  log_.lose_tail(1);
  ASSERT_TRUE(log_.append({9}, id, "damaged"));
  {
    auto txn = database_.begin_write();
    ASSERT_TRUE((*txn)->erase(store::table::meta, "position"));
    ASSERT_TRUE((*txn)->commit());
  }
  const auto state = recovered();
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("record 10 is damaged"));
}

}  // namespace
}  // namespace argosy::view
