// SPDX-License-Identifier: Apache-2.0
// Goal: nobody without the key can change or stop anything, and a log with another key, or without
// one, is not left out silently. Method: signed histories with forged and
// repeated batches, and recovery with one key and another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/view/recovery/standing.hpp"
#include "tests/unit/recovery/recovery_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::HasSubstr;

struct signed_log : view_recovery {
  void sign_from(const view_position& end) { writer_ = batches::batch_core{end, 1'000'000, key_}; }

  /// A batch that continues the record before it, signed with another key or with none.
  std::string forged_behind(std::uint64_t position,
                            const std::shared_ptr<const codec::log_key>& key) {
    auto end = stands_at(position);
    end.epoch = {1};
    end.batch_number = position;
    end.hash = codec::batch_hash(log_.get({position})->data);
    batches::batch_core stranger{end, 1'000, key};
    (void)stranger.add(decided(submitted(50)));
    return *stranger.begin()->bytes;
  }
};

TEST_F(signed_log, is_rebuilt_from_the_log_alone) {
  write_history(10);
  store::memory_database empty;
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 8u);
  EXPECT_EQ(state->position.key_print, key_->print());
  EXPECT_EQ(recovered()->replayed_batches, 0u);
}

TEST_F(signed_log, steps_over_a_forged_batch_that_continues_the_chain) {
  write_history(4);
  ASSERT_TRUE(log_.append({4}, "a", forged_behind(4, nullptr)));
  ASSERT_TRUE(log_.append({5}, "b", forged_behind(4, tests::test_key("another"))));
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 2u);
  EXPECT_EQ(state->foreign_records, 2u);
  EXPECT_EQ(state->position.position.value, 6u);
}

TEST_F(signed_log, gives_forged_batches_back_to_a_log_that_lost_its_end) {
  write_history(4);
  ASSERT_TRUE(log_.append({4}, "a", forged_behind(4, nullptr)));
  sign_from(recovered()->position);
  append(writer_.claim({{3}, "me again"}, 2));
  log_.lose_tail(2);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->republished_batches, 2u);
  EXPECT_EQ(state->position.holder, "me again");
}

TEST_F(signed_log, does_not_take_its_time_from_a_forged_batch) {
  write_history(4);
  auto late = std::make_shared<native::append_request>();
  late->events.push_back({1'000'000, "q", submitted(50)});
  batches::batch_core stranger{stands_at(4), 1'000};
  (void)stranger.add(late);
  ASSERT_TRUE(log_.append({4}, "a", *stranger.begin()->bytes));
  EXPECT_EQ(recovered()->newest_ns, 1);
  EXPECT_EQ(recovered()->newest_ns, 1) << "it is the newest of the tail";
}

TEST_F(signed_log, steps_over_its_own_batches_that_somebody_repeats) {
  write_history(4);
  for (std::uint64_t position = 1; position <= 4; ++position)
    ASSERT_TRUE(log_.append({position + 3}, "again" + std::to_string(position),
                            log_.get({position})->data));
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 2u);
  EXPECT_EQ(state->foreign_records, 4u);
}

TEST_F(signed_log, refuses_to_leave_out_a_batch_of_its_own_that_is_missing) {
  write_history(10);
  eventlog::memory_log shorter{clock_, {.never_wait = true}};
  for (std::uint64_t position = 1; position <= 9; ++position) {
    const auto record = *log_.get({position < 7 ? position : position + 1});
    ASSERT_TRUE(shorter.append({position - 1}, record.msg_id, record.data));
  }
  store::memory_database empty;
  const auto state = recover(empty, shorter, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::corrupt);
  EXPECT_THAT(state.error().detail, HasSubstr("record 7 does not continue the one before it"));
}

TEST_F(signed_log, of_another_key_is_refused_and_the_key_named) {
  write_history(10);
  store::memory_database empty;
  const auto state = recover(empty, log_, {}, *tests::test_key("a new key"));
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::conflict);
  EXPECT_THAT(state.error().detail,
              HasSubstr("record 1 has the MAC of another key than that in 'a new key'"));
  const auto with_store = recover(database_, log_, {}, *tests::test_key("a new key"));
  ASSERT_FALSE(with_store);
  EXPECT_THAT(with_store.error().detail, HasSubstr("the key in 'a new key' is not the one"));
}

TEST_F(signed_log, without_macs_is_refused_before_anything_is_written) {
  writer_ = batches::batch_core{{}, 1'000'000};
  write_history(4);
  store::memory_database empty;
  empty.fail_next_commit({ec::internal, "nothing is to be written"});
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, ec::conflict);
  EXPECT_THAT(state.error().detail, HasSubstr("record 1 does not have the MAC of the key in"));
  database_.fail_next_commit({ec::internal, "nothing is to be written"});
  const auto with_store = recovered();
  ASSERT_FALSE(with_store);
  EXPECT_EQ(with_store.error().code, ec::conflict);
  EXPECT_THAT(with_store.error().detail, HasSubstr("is not the one with which this store's log"));
  EXPECT_EQ(*log_.last_position(), model::log_position{4});
}

TEST_F(signed_log, is_not_ended_by_a_forged_batch_at_its_beginning) {
  auto foreign = batches::batch_core{{}, 1'000, tests::test_key("another")};
  (void)foreign.add(foreign.claim({{5}, "nobody"}, 1));
  ASSERT_TRUE(log_.append({0}, "a", *foreign.begin()->bytes));
  sign_from(stands_at(1));
  write_history(4);
  store::memory_database empty;
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 2u);
}

TEST_F(signed_log, stops_for_a_newer_version_with_our_mac) {
  write_history(4);
  model::log_batch batch;
  auto bytes = codec::encode_batch(batch);
  ++bytes[1];  // The first field of a batch is its format.
  EXPECT_EQ(judge(bytes, recovered()->position, key_.get()).as, standing::forged);
  key_->sign(bytes);
  EXPECT_EQ(judge(bytes, recovered()->position, key_.get()).as, standing::unreadable);
}

}  // namespace
}  // namespace argosy::view
