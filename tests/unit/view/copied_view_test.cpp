// SPDX-License-Identifier: Apache-2.0
// Goal: a store that was restored from a backup takes what its log has beyond it, and does not go
// on without that log unless an operator says so. Method: a table of decisions, and a marked copy
// whose log is lost in several ways.
#include "messages/view/recovery/log_state.hpp"
#include "tests/unit/recovery/recovery_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::HasSubstr;

TEST(log_decision, asks_before_a_copy_goes_on_without_what_its_log_had) {
  using enum log_match;
  const auto plan = [](log_match own) { return decide(false, own, later_log::none, false, true); };
  EXPECT_EQ(plan(continues), log_plan::go_on);
  for (const auto own : {absent, behind, repairable, contradicts, of_others})
    EXPECT_EQ(plan(own), log_plan::refuse);
  EXPECT_EQ(decide(false, absent, later_log::continues, false, true), log_plan::follow);
}

struct copied_view : view_recovery {
  copied_view() { write_history(10); }
  void mark_copy() {
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_copy_mark(**txn, {1}));
    ASSERT_TRUE((*txn)->commit());
  }
  bool is_copy() {
    auto txn = database_.begin_read();
    return read_copy_mark(**txn)->has_value();
  }
  static void expect_begun_anew(const result<recovered_state>& state) {
    ASSERT_TRUE(state) << state.error().detail;
    EXPECT_EQ(state->begun_generation.value, 2u);
    EXPECT_EQ(jobs_in(*state), 8u);
  }
};

TEST_F(copied_view, a_copy_without_its_log_goes_on_only_when_loss_is_accepted) {
  mark_copy();
  log_.remove();
  auto state = recovered();
  ASSERT_FALSE(state);
  EXPECT_THAT(state.error().detail, HasSubstr("restored from the backup of 1970-01-01"));
  EXPECT_THAT(state.error().detail, HasSubstr("argosyd recover"));
  expect_begun_anew(accepting_loss());
  EXPECT_FALSE(is_copy());
  EXPECT_TRUE(recovered());
}

TEST_F(copied_view, a_copy_whose_log_was_set_back_goes_on_only_when_loss_is_accepted) {
  mark_copy();
  log_.lose_tail(2);
  ASSERT_FALSE(recovered());
  expect_begun_anew(accepting_loss());
}

TEST_F(copied_view, a_copy_takes_what_its_log_has_beyond_it_and_is_none_any_more) {
  mark_copy();
  const auto older = database_.clone();
  append(decided(submitted(50)));
  const auto state = recover(*older, log_, {}, *key_);
  ASSERT_TRUE(state) << state.error().detail;
  EXPECT_EQ(jobs_in(*state), 9u);
  log_.remove();
  const auto again = recover(*older, log_, {}, *key_);
  ASSERT_TRUE(again) << "it is no copy now: " << again.error().detail;
  EXPECT_EQ(again->begun_generation.value, 2u);
}

}  // namespace
}  // namespace argosy::view
