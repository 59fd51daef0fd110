// SPDX-License-Identifier: Apache-2.0
// Goal: whatever is lost of the log, the store's state goes on in a new generation, and nothing is
// given up without an operator's word. Method: a table of decisions, and signed histories of which
// the log or the store loses something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/view/recovery/log_state.hpp"
#include "messages/view/recovery/new_generation.hpp"
#include "tests/unit/recovery/generations_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(log_decision, is_this_table) {
  using enum log_match;
  const auto plan = [](log_match own, bool empty = false) {
    return decide(empty, own, later_log::none, false);
  };
  EXPECT_EQ(plan(absent, true), log_plan::create);
  EXPECT_EQ(plan(continues, true), log_plan::go_on);
  EXPECT_EQ(plan(continues), log_plan::go_on);
  EXPECT_EQ(plan(repairable), log_plan::repair);
  EXPECT_EQ(plan(absent), log_plan::begin_anew);
  EXPECT_EQ(plan(behind), log_plan::begin_anew);
  EXPECT_EQ(plan(contradicts), log_plan::refuse);
  EXPECT_EQ(plan(of_others), log_plan::refuse);
  for (const auto own : {absent, continues, repairable, behind, contradicts, of_others}) {
    EXPECT_EQ(decide(false, own, later_log::continues, false), log_plan::follow);
    EXPECT_EQ(decide(false, own, later_log::farther, true), log_plan::refuse);
  }
  EXPECT_EQ(decide(false, continues, later_log::farther, false), log_plan::go_on)
      << "it may lead to where the later one begins";
  EXPECT_EQ(decide(true, absent, later_log::farther, false), log_plan::refuse)
      << "a store that was lost cannot be made from a later log alone";
}

TEST_F(generations, a_log_that_was_deleted_goes_on_in_the_next) {
  trim_tail(10);
  log_.remove();
  const auto state = recovered();
  expect_second_generation(state);
  EXPECT_THAT(log_.generations().value(), ElementsAre(model::log_generation{2}));
  go_on(*state, 100);
  const auto again = recovered();
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->begun_generation.value, 0u);
  EXPECT_EQ(again->position.generation.value, 2u);
  EXPECT_EQ(jobs_in(*again), 9u);
}

TEST_F(generations, what_only_the_tail_has_goes_on_without_the_log) {
  append_unapplied(decided(submitted(50)));
  append_unapplied(decided(submitted(51)));
  log_.remove();
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 10u);
  EXPECT_EQ(state->position.generation_base.value, 12u);
  EXPECT_EQ(jobs_in(*recovered()), 10u);
}

TEST_F(generations, what_only_the_tail_has_is_kept_also_when_loss_is_accepted) {
  append_unapplied(decided(submitted(50)));
  auto txn = database_.begin_write();
  ASSERT_TRUE(write_copy_mark(**txn, {1}));
  ASSERT_TRUE((*txn)->commit());
  log_.remove();
  ASSERT_FALSE(recovered()) << "a copy asks first";
  const auto state = accepting_loss();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 9u);
}

TEST_F(generations, a_log_that_was_made_anew_and_is_empty_goes_on_in_the_next) {
  trim_tail(9);
  log_.remove();
  ASSERT_TRUE(log_.create());
  expect_second_generation(recovered());
}

TEST_F(generations, a_log_that_was_set_back_goes_on_in_the_next) {
  trim_tail(8);
  log_.lose_tail(5);
  expect_second_generation(recovered());
  EXPECT_THAT(log_.generations().value(),
              ElementsAre(model::log_generation{1}, model::log_generation{2}));
}

TEST_F(generations, the_second_can_be_lost_as_well_and_be_repaired) {
  log_.remove();
  auto state = recovered();
  expect_second_generation(state);
  go_on(*state, 100);
  log_.lose_tail(3);
  state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->republished_batches, 3u);
  EXPECT_EQ(state->position.generation.value, 2u);
  log_.remove();
  state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->begun_generation.value, 3u);
  EXPECT_EQ(jobs_in(*state), 9u);
}

TEST_F(generations, a_crash_after_the_first_record_of_the_next_changes_nothing) {
  const auto before = stored_position();
  log_.remove();
  expect_second_generation(recovered());
  auto txn = database_.begin_write();
  ASSERT_TRUE(write_position(**txn, before));
  ASSERT_TRUE((*txn)->erase(store::table::tail, store::number_key(11)));
  ASSERT_TRUE((*txn)->commit());
  log_.choose({1}, {0});
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->begun_generation.value, 0u) << "it is there already";
  EXPECT_EQ(state->position.generation.value, 2u);
  EXPECT_EQ(state->position.position.value, 11u);
}

TEST_F(generations, an_empty_store_is_rebuilt_through_all_that_are_there) {
  begin_second_beside_first();
  expect_rebuilt();
}

TEST_F(generations, foreign_records_that_an_old_one_got_later_hinder_no_rebuilding) {
  begin_second_beside_first();
  log_.choose({1}, {0});
  for (std::uint64_t last = 10; last < 13; ++last)
    ASSERT_TRUE(log_.append({last}, "f" + std::to_string(last), "of somebody else"));
  expect_rebuilt();
}

TEST_F(generations, one_that_began_behind_foreign_records_is_followed_after_a_crash) {
  const auto before = stored_position();
  ASSERT_TRUE(log_.append({10}, "foreign", "of somebody else"));
  recovered_state state;
  state.position = before;
  ASSERT_TRUE(write_beginning(log_, *key_, state, log_.info().value()));
  log_.choose({1}, {0});
  log_.remove();
  const auto again = recovered();
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->begun_generation.value, 0u) << "it is there already";
  EXPECT_EQ(again->position.position.value, 12u);
  EXPECT_EQ(jobs_in(*again), 8u);
}

TEST_F(generations, one_that_did_not_begin_where_the_store_ends_is_not_followed) {
  auto elsewhere = stored_position();
  ++elsewhere.hash;
  recovered_state state;
  state.position = elsewhere;
  ASSERT_TRUE(write_beginning(log_, *key_, state, log_.info().value()));
  log_.choose({1}, {0});
  const auto again = recovered();
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().detail, HasSubstr("ends before generation 2"));
  EXPECT_EQ(stored_position().generation.value, 1u);
}

TEST_F(generations, an_empty_store_is_not_made_from_a_later_one_alone) {
  log_.remove();
  expect_second_generation(recovered());
  store::memory_database empty;
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("ends before generation 2 of the log begins"));
  EXPECT_THAT(state.error().detail, HasSubstr("argosyd recover"));
}

TEST_F(generations, a_log_of_another_control_plane_is_not_replaced_without_a_word) {
  eventlog::memory_log other{clock_, {.never_wait = true}};
  batches::batch_core its_writer{{}, 1'000'000, tests::test_key("another")};
  (void)its_writer.add(its_writer.claim({{2}, "another"}, 1));
  const auto* claim = its_writer.begin();
  ASSERT_TRUE(other.append({0}, claim->message_id, *claim->bytes));
  trim_tail(9);
  const auto state = recover(database_, other, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("do not belong together"));
  EXPECT_THAT(other.generations().value(), ElementsAre(model::log_generation{1}));
  const auto accepted = recover(database_, other, {.accept_loss = true}, *key_);
  expect_second_generation(accepted);
}

TEST_F(generations, a_log_that_cannot_be_read_is_given_up_when_loss_is_accepted) {
  store::memory_database empty;
  log_.damage({7}, [](std::string& data) { data = "damaged"; });
  auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  state = recover(empty, log_, {.accept_loss = true}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 4u) << "records 3 to 6 have one each";
  EXPECT_EQ(state->position.generation.value, 2u);
  EXPECT_EQ(state->position.generation_base.value, 10u) << "positions are not used twice";
  EXPECT_EQ(recover(empty, log_, {}, *key_)->begun_generation.value, 0u);
}

TEST_F(generations, a_log_whose_key_was_lost_is_taken_by_its_hashes_when_loss_is_accepted) {
  store::memory_database empty;
  const auto key = tests::test_key("a new key");
  ASSERT_FALSE(recover(empty, log_, {}, *key));
  auto state = recover(empty, log_, {.accept_loss = true}, *key);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 8u);
  EXPECT_EQ(state->position.generation.value, 2u);
  state = recover(empty, log_, {}, *key);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 8u);
}

TEST_F(generations, a_key_that_was_lost_is_replaced_when_loss_is_accepted) {
  const auto key = tests::test_key("a new key");
  ASSERT_FALSE(recover(database_, log_, {}, *key));
  expect_second_generation(recover(database_, log_, {.accept_loss = true}, *key));
  EXPECT_TRUE(recover(database_, log_, {}, *key));
}

TEST_F(generations, nothing_is_given_up_where_nothing_has_to_be) {
  const auto state = accepting_loss();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->begun_generation.value, 0u);
}

}  // namespace
}  // namespace argosy::view
