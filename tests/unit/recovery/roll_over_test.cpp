// SPDX-License-Identifier: Apache-2.0
// Goal: a log that rolls over loses nothing wherever the process is killed, of two processes one
// goes on, and a store is only rebuilt from logs that have what it lacks. Method: a signed history,
// the steps of a roll-over one by one, and recovery after each.
#include "messages/view/recovery/roll_over.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/view/check/log_check.hpp"
#include "messages/view/check/store_check.hpp"
#include "tests/unit/recovery/roll_over_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(roll_over, goes_on_in_the_next_generation_with_positions_and_chain) {
  roll();
  append(decided(submitted(50)));
  EXPECT_EQ(stored_position().position.value, 13u);
  EXPECT_EQ(stored_position().generation_base.value, 11u);
  expect_sound();
  expect_second(9);
}

TEST_F(roll_over, that_only_made_the_next_log_has_not_happened) {
  ASSERT_TRUE(prepare_next(log_, writer_.end()));
  EXPECT_THAT(log_.generations().value(),
              ElementsAre(model::log_generation{1}, model::log_generation{2}));
  append(decided(submitted(50)));
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->position.generation.value, 1u);
  EXPECT_EQ(jobs_in(*state), 9u);
  seal();
  EXPECT_EQ(next.generation.value, 2u) << "the log that was left behind is taken";
}

TEST_F(roll_over, that_was_sealed_is_finished_by_the_next_process) {
  seal();
  expect_second(8);
}

TEST_F(roll_over, whose_seal_was_not_applied_is_finished_by_the_next_process) {
  applied = false;
  seal();
  expect_second(8);
}

TEST_F(roll_over, whose_seal_is_only_in_the_tail_is_finished_by_the_next_process) {
  applied = false;
  seal();
  log_.lose_tail(1);
  expect_second(8);
}

TEST_F(roll_over, whose_beginning_was_not_applied_is_followed) {
  seal();
  applied = false;
  begin();
  expect_second(8);
}

TEST_F(roll_over, whose_beginning_is_only_in_the_tail_is_repaired) {
  roll();
  log_.lose_tail(1);
  expect_second(8);
}

TEST_F(roll_over, whose_next_log_is_lost_goes_on_from_the_store) {
  roll();
  append(decided(submitted(50)));
  trim_tail(13);
  log_.remove();
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->position.generation.value, 3u);
  EXPECT_EQ(jobs_in(*state), 9u);
}

TEST_F(roll_over, behind_foreign_records_is_finished_by_the_next_process) {
  seal();
  ASSERT_TRUE(log_.append({11}, "foreign", "of somebody else"));
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->position.generation.value, 2u);
  EXPECT_EQ(state->position.generation_base.value, 12u);
  EXPECT_EQ(jobs_in(*recovered()), 8u);
}

TEST_F(roll_over, of_one_that_was_deposed_fails_at_the_seal) {
  auto deposed = writer_;
  append(writer_.claim({{7}, "another"}, 1));
  ASSERT_TRUE(prepare_next(log_, deposed.end()));
  const auto& batch = deposed.begin_alone(turn_event({1}, {2}, {11}, 1));
  const auto sealed = log_.append(batch.position - 1, batch.message_id, *batch.bytes);
  ASSERT_FALSE(sealed);
  EXPECT_EQ(sealed.error().code, ec::fenced);
  EXPECT_EQ(recovered()->position.generation.value, 1u);
}

TEST_F(roll_over, keeps_a_candidate_that_read_too_early_from_claiming) {
  batches::batch_core candidate{writer_.end(), 1'000'000, key_};
  (void)candidate.add(candidate.claim({{7}, "another"}, 1));
  const auto* claim = candidate.begin();
  seal();
  const auto claimed = log_.append(claim->position - 1, claim->message_id, *claim->bytes);
  ASSERT_FALSE(claimed);
  EXPECT_EQ(claimed.error().code, ec::fenced);
}

TEST_F(roll_over, that_two_processes_finish_goes_on_with_one_of_them) {
  seal();
  auto paused = writer_;
  go_on(*recovered(), 100);
  log_.choose({2}, {11});
  paused.turn_to({2}, next.created_ns);
  const auto& batch = paused.begin_alone(turn_event({1}, {2}, {11}, 1));
  const auto late = log_.append(batch.position - 1, batch.message_id, *batch.bytes);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ec::fenced);
}

TEST_F(roll_over, leaves_logs_from_which_an_empty_store_is_rebuilt) {
  roll();
  append(decided(submitted(50)));
  log_.choose({1}, {0});
  store::memory_database empty;
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 9u);
  EXPECT_EQ(state->position.position.value, 13u);
}

struct emptied_log : roll_over {
  emptied_log() {
    roll();
    append(decided(submitted(50)));
    roll();
    append(decided(submitted(51)));
    EXPECT_TRUE(log_.empty({1}));
  }
};

TEST_F(emptied_log, is_no_fault_to_the_check_nor_to_a_store_that_went_on) {
  expect_sound();
  EXPECT_THAT(notes, ::testing::Contains(HasSubstr("Generation 1 of the log was emptied")));
  EXPECT_THAT(notes, ::testing::Contains(HasSubstr("from a snapshot or a backup")));
  const auto state = recovered();
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->position.generation.value, 3u);
  EXPECT_EQ(jobs_in(*state), 10u);
}

TEST_F(emptied_log, does_not_become_an_empty_state) {
  store::memory_database empty;
  log_.choose({1}, {0});
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("argosyd recover --from"));
  log_.remove();
  ASSERT_FALSE(recover(empty, log_, {}, *key_)) << "also when nothing is left of it";
}

TEST_F(emptied_log, of_the_only_generation_does_not_become_an_empty_state) {
  ASSERT_TRUE(log_.empty({2}));
  ASSERT_TRUE(log_.empty({3}));
  store::memory_database empty;
  log_.choose({1}, {0});
  const auto state = recover(empty, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("argosyd recover --from"));
}

struct snapshots : roll_over {
  /// A store that ends where the log ends now.
  void take(store::memory_database& into) { ASSERT_TRUE(recover(into, log_, {}, *key_)); }
  void go_on_to_third() {
    append(decided(submitted(51)));
    roll();
    append(decided(submitted(52)));
    ASSERT_TRUE(log_.empty({1}));
    log_.choose({1}, {0});
  }
};

TEST_F(snapshots, of_the_second_generation_are_enough_when_the_first_was_emptied) {
  roll();
  store::memory_database copy;
  take(copy);
  go_on_to_third();
  const auto state = recover(copy, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(state->position.generation.value, 3u);
  EXPECT_EQ(jobs_in(*state), 10u);
}

TEST_F(snapshots, of_an_emptied_generation_are_refused_as_too_old) {
  store::memory_database copy;
  take(copy);
  roll();
  go_on_to_third();
  const auto state = recover(copy, log_, {}, *key_);
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("were given up for snapshots"));
  EXPECT_TRUE(look_ahead(copy, log_, *key_)->is_too_old);
  store::memory_database empty;
  EXPECT_TRUE(look_ahead(empty, log_, *key_)->is_too_old);
  EXPECT_FALSE(look_ahead(database_, log_, *key_)->is_too_old);
}

}  // namespace
}  // namespace argosy::view
