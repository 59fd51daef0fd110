// SPDX-License-Identifier: Apache-2.0
// Goal: a log that counts records which it does not give costs nothing that the store has, and what
// the store lacks is given up by an operator's word alone. Method: signed histories of which the
// log loses single records.
#include "messages/view/recovery/log_reading.hpp"
#include "tests/unit/recovery/generations_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::HasSubstr;

TEST_F(generations, a_log_whose_last_record_cannot_be_read_goes_on_in_the_next) {
  log_.lose_record({10});
  expect_second_generation(recovered());
}

TEST_F(generations, a_log_that_was_set_back_to_a_record_that_cannot_be_read_is_not_repaired) {
  log_.lose_tail(2);
  log_.lose_record({8});
  expect_second_generation(recovered());
}

TEST_F(generations, a_record_that_the_store_has_may_be_missing_where_the_next_is_there) {
  store::memory_database older;
  ASSERT_TRUE(recover(older, log_, {}, *key_));
  append(decided(submitted(50)));
  log_.lose_record({10});
  const auto state = recover(older, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->begun_generation.value, 0u);
  EXPECT_EQ(jobs_in(*state), 9u);
}

TEST_F(generations,
       records_that_cannot_be_read_and_that_the_store_lacks_are_given_up_by_a_word_alone) {
  store::memory_database older;
  ASSERT_TRUE(recover(older, log_, {}, *key_));
  append(decided(submitted(50)));
  append(decided(submitted(51)));
  log_.lose_record({10});
  log_.lose_record({11});
  const auto state = recover(older, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("argosyd recover"));
  const auto accepted = recover(older, log_, {.accept_loss = true}, *key_);
  ASSERT_TRUE(accepted) << accepted.error().detail;
  EXPECT_EQ(jobs_in(*accepted), 8u);
}

TEST_F(generations, the_next_one_is_above_every_epoch_that_can_still_be_read) {
  store::memory_database older;
  ASSERT_TRUE(recover(older, log_, {}, *key_));
  append(writer_.claim({{9}, "another"}, 1));
  append(decided(submitted(50)));
  append(decided(submitted(51)));
  log_.lose_record({11});
  log_.lose_record({13});
  const auto state = recover(older, log_, {.accept_loss = true}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_GE(state->position.epoch.value, 9u);
}

TEST_F(generations, one_whose_beginning_cannot_be_read_is_not_passed_over) {
  begin_second_beside_first();
  log_.choose({2}, {0});
  auto info = log_.info().value();
  const auto any = [](const eventlog::record&, const model::log_batch&) { return true; };
  EXPECT_TRUE(find_beginning(log_, info, any).value());
  log_.lose_record({1});
  const auto found = find_beginning(log_, info, any);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ec::corrupt);
  EXPECT_THAT(found.error().detail, HasSubstr("the log counts record 1 but does not give it"));
}

}  // namespace
}  // namespace argosy::view
