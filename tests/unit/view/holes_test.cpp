// SPDX-License-Identifier: Apache-2.0
// Goal: of a log that counts records which it does not give, everything is applied that stands
// before the first one that is missed, and nothing behind it is dropped without a word. Method:
// signed histories of which the log, the tail and an older store lack single records.
#include "messages/view/recovery/log_reading.hpp"
#include "messages/view/recovery/log_rest.hpp"
#include "messages/view/recovery/log_state.hpp"
#include "tests/unit/recovery/generations_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::HasSubstr;

struct holes : generations {
  /// A store that ends where the history does, while log and tail have these many records more.
  void add_unapplied(int count) {
    for (int i = 0; i < count; ++i) append_unapplied(decided(submitted(50 + i)));
  }
  /// What the log has beyond a store that is empty.
  log_rest rest_of(store::database& database) {
    log_.choose({1}, {0});
    return look_at_rest(database, log_, {}, log_.info().value(), *key_).value();
  }
  void forget_in_tail(std::uint64_t position) {
    auto txn = database_.begin_write();
    ASSERT_TRUE((*txn)->erase(store::table::tail, store::number_key(position)));
    ASSERT_TRUE((*txn)->commit());
  }
  /// The later generation stands beside the first, and a store knows only the first.
  void lose_in_second(std::uint64_t position) {
    begin_second_beside_first();
    log_.choose({2}, {10});
    log_.lose_record({position});
    log_.choose({1}, {0});
  }

  store::memory_database empty;
};

TEST_F(holes, keep_nothing_from_what_stands_before_them) {
  log_.lose_record({8});
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("record 8"));
  EXPECT_THAT(state.error().detail, HasSubstr("argosyd recover"));
  const auto accepted = recover(empty, log_, {.accept_loss = true}, *key_);
  ASSERT_TRUE(accepted) << accepted.error().detail;
  EXPECT_EQ(jobs_in(*accepted), 5u) << "records 3 to 7 have one each";
  EXPECT_EQ(accepted->position.generation_base.value, 10u) << "positions are not used twice";
}

TEST_F(holes, are_told_with_all_that_would_be_given_up) {
  log_.lose_record({7});
  log_.lose_record({8});
  const auto rest = rest_of(empty);
  EXPECT_THAT(rest.problem, HasSubstr("record 7"));
  EXPECT_EQ(rest.batches, 6u);
  EXPECT_EQ(rest.lost_from.value, 7u);
  EXPECT_EQ(rest.lost, 4u) << "records 7 to 10";
  EXPECT_EQ(rest.lost_unreadable, 2u);
  EXPECT_EQ(rest.lost_batches, 2u);
  EXPECT_EQ(rest.lost_jobs.size(), 2u);
}

TEST_F(holes, of_foreign_records_are_stepped_over) {
  ASSERT_TRUE(log_.append({10}, "foreign", "of somebody else"));
  writer_ = batches::batch_core{[&] {
                                  auto at = stored_position();
                                  at.position = {11};
                                  return at;
                                }(),
                                1'000'000, key_};
  append(writer_.claim({{2}, "me again"}, 1));
  append(decided(submitted(50)));
  log_.lose_record({11});
  EXPECT_TRUE(rest_of(empty).problem.empty());
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 9u);
}

TEST_F(holes, are_filled_from_the_tail) {
  add_unapplied(3);
  log_.lose_record({12});
  const auto rest = look_at_rest(database_, log_, stored_position(), log_.info().value(), *key_);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->problem, "");
  EXPECT_EQ(rest->end.hash, writer_.end().hash);
  EXPECT_EQ(rest->batches, 3u);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->begun_generation.value, 0u);
  EXPECT_EQ(jobs_in(*state), 11u);
}

TEST_F(holes, that_neither_the_tail_fills_are_not_dropped_with_what_stands_behind_them) {
  add_unapplied(3);
  log_.lose_tail(2);
  log_.lose_record({11});
  forget_in_tail(11);
  const auto state = recovered();
  ASSERT_FALSE(state) << "records 12 and 13 of the tail continue a record that is lost";
  EXPECT_THAT(state.error().detail, HasSubstr("record 11"));
  EXPECT_EQ(stored_position().generation.value, 1u);
  const auto accepted = accepting_loss();
  ASSERT_TRUE(accepted) << accepted.error().detail;
  EXPECT_EQ(jobs_in(*accepted), 8u);
}

TEST_F(holes, of_the_tail_keep_a_log_that_was_set_back_from_being_repaired) {
  add_unapplied(2);
  ASSERT_TRUE(recovered());
  log_.lose_tail(5);
  forget_in_tail(10);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->begun_generation.value, 2u) << "the store has it all";
  EXPECT_EQ(jobs_in(*state), 10u);
}

TEST_F(holes, at_the_end_of_the_log_are_not_given_up_by_themselves) {
  add_unapplied(1);
  log_.lose_record({11});
  forget_in_tail(11);
  const auto state = recovered();
  ASSERT_FALSE(state) << "another process may have written and answered it";
  EXPECT_THAT(state.error().detail, HasSubstr("record 11"));
}

TEST_F(holes, of_all_records_cost_nothing_that_the_store_has) {
  for (std::uint64_t position = 1; position <= 10; ++position) log_.lose_record({position});
  log_.lose_tail(2);
  ASSERT_GT(log_.info()->first_position, log_.info()->last_position);
  expect_second_generation(recovered());
}

TEST_F(holes, of_foreign_records_in_the_tail_cost_nothing_behind_them) {
  add_unapplied(1);
  (void)writer_.add(decided(submitted(60)));
  (void)writer_.begin();
  ASSERT_TRUE(log_.append({11}, "foreign", "of somebody else"));
  writer_.step_over();
  const auto* batch = writer_.open();
  ASSERT_TRUE(log_.append({12}, batch->message_id, *batch->bytes));
  {
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_tail(**txn, {{13}, 1, batch->message_id, *batch->bytes}));
    ASSERT_TRUE((*txn)->commit());
  }
  log_.lose_tail(2);
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 10u);
  EXPECT_EQ(state->begun_generation.value, 2u) << "the log could not be made whole";
  EXPECT_EQ(jobs_in(*recovered()), 10u);
}

TEST_F(holes, of_batches_in_the_tail_are_not_passed_over) {
  add_unapplied(3);
  log_.lose_tail(2);
  forget_in_tail(12);
  const auto state = recovered();
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("the tail's record 13"));
  const auto rest = look_at_rest(database_, log_, stored_position(), log_.info().value(), *key_);
  ASSERT_TRUE(rest);
  EXPECT_THAT(rest->problem, HasSubstr("the tail's record 13"));
  EXPECT_EQ(rest->lost_jobs.size(), 1u);
  const auto accepted = accepting_loss();
  ASSERT_TRUE(accepted) << accepted.error().detail;
  EXPECT_EQ(jobs_in(*accepted), 9u);
}

TEST_F(holes, of_all_records_are_refused_where_the_store_lacks_them) {
  ASSERT_TRUE(recover(empty, log_, {}, *key_));
  append(decided(submitted(50)));
  for (std::uint64_t position = 1; position <= 11; ++position) log_.lose_record({position});
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("argosyd recover"));
}

TEST_F(holes, at_the_beginning_of_a_later_generation_are_refused) {
  lose_in_second(11);
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("generation 2"));
  EXPECT_THAT(state.error().detail, HasSubstr("begins"));
  const auto accepted = recover(empty, log_, {.accept_loss = true}, *key_);
  ASSERT_TRUE(accepted) << accepted.error().detail;
  EXPECT_EQ(jobs_in(*accepted), 8u);
  EXPECT_EQ(accepted->position.generation.value, 3u);
  EXPECT_EQ(recover(empty, log_, {}, *key_)->begun_generation.value, 0u);
}

TEST_F(holes, within_a_later_generation_are_refused) {
  lose_in_second(12);
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("record 12"));
  const auto accepted = recover(empty, log_, {.accept_loss = true}, *key_);
  ASSERT_TRUE(accepted) << accepted.error().detail;
  EXPECT_EQ(jobs_in(*accepted), 8u);
  EXPECT_EQ(accepted->position.generation.value, 3u);
}

TEST_F(holes, of_foreign_records_in_a_later_generation_change_nothing) {
  begin_second_beside_first();
  log_.choose({2}, {10});
  const auto last = log_.info()->last_position;
  ASSERT_TRUE(log_.append(last, "foreign", "of somebody else"));
  log_.choose({1}, {0});
  expect_rebuilt();
}

TEST_F(holes, that_take_a_whole_later_generation_are_refused) {
  begin_second_beside_first();
  log_.choose({2}, {10});
  for (auto at = log_.info()->last_position; at.value > 10; --at) log_.lose_record(at);
  log_.choose({1}, {0});
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("generation 2"));
}

TEST_F(holes, that_the_store_does_not_need_are_told_nevertheless) {
  ASSERT_TRUE(recover(empty, log_, {}, *key_));
  append(decided(submitted(50)));
  log_.lose_record({10});
  auto end = stored_position();
  {
    auto txn = empty.begin_read();
    end = view::read_position(**txn)->value();
  }
  const auto found = look_at_log(empty, log_, end, *key_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->match, log_match::continues);
  EXPECT_THAT(found->note, HasSubstr("record 10"));
}

}  // namespace
}  // namespace argosy::view
