// SPDX-License-Identifier: Apache-2.0
// Goal: a process that must not lead changes nothing in the log, and what it says beforehand is
// what recovery finds. Method: signed histories of which the log or the store loses something, and
// a gate that notes what it is asked and refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "messages/view/recovery/log_rest.hpp"
#include "tests/unit/recovery/generations_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::ElementsAre;

class claim_gates : public generations {
 protected:
  /// Recovers with a gate that refuses this step, and compares the log before and after.
  void expect_refused(claim_step refused, store::database& with) {
    const auto before = contents();
    asked_.clear();
    const auto state = recover(with, log_, {}, *key_, [&](const auto& at, bool, auto step) {
      asked_.push_back(step);
      end_ = at;
      return step == refused ? result<void>{fail(ec::unavailable, "not you")} : result<void>{};
    });
    ASSERT_FALSE(state);
    EXPECT_EQ(state.error().detail, "not you");
    EXPECT_EQ(contents(), before);
  }

  std::string contents() {
    std::string out;
    const auto all = log_.generations().value();
    for (const auto generation : all) {
      log_.choose(generation, {0});
      out += to_string(generation) + ":";
      const auto read = log_.read({1}, 100, 1u << 20, std::chrono::milliseconds{0});
      if (!read) continue;
      for (const auto& record : *read) out += to_string(record.position) + record.data + ",";
    }
    log_.choose({1}, {0});
    return out;
  }

  bool would_change_log() {
    const auto found = look_ahead(database_, log_, *key_);
    EXPECT_TRUE(found);
    EXPECT_EQ(found->refusal, "");
    return found->changes_log;
  }

  std::vector<claim_step> asked_;
  view_position end_;
};

TEST_F(claim_gates, stand_before_each_change_of_the_log) {
  const std::vector<std::function<void()>> faults{
      [&] { append_unapplied(decided(submitted(50))), log_.lose_tail(1); },
      [&] { log_.lose_tail(3); },
      [&] { trim_tail(8), log_.lose_tail(5); },
      [&] {
        log_.remove();
        EXPECT_TRUE(log_.create());
      },
      [&] { log_.remove(); },
  };
  for (const auto& fault : faults) {
    fault();
    EXPECT_TRUE(would_change_log());
    expect_refused(claim_step::change_log, database_);
    EXPECT_THAT(asked_, ElementsAre(claim_step::change_log));
  }
}

TEST_F(claim_gates, stand_before_the_first_log) {
  log_.remove();
  store::memory_database empty;
  const auto found = look_ahead(empty, log_, *key_);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->changes_log);
  expect_refused(claim_step::change_log, empty);
}

TEST_F(claim_gates, judge_a_store_that_has_applied_the_log) {
  EXPECT_FALSE(would_change_log());
  store::memory_database empty;
  const auto found = look_ahead(empty, log_, *key_);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->changes_log);
  EXPECT_EQ(found->end.value, 10u);
  const auto rest = look_at_rest(empty, log_, {}, log_.info().value(), *key_);
  ASSERT_TRUE(rest);
  for (int times = 0; times < 2; ++times) {
    expect_refused(claim_step::claim, empty);
    EXPECT_THAT(asked_, ElementsAre(claim_step::claim));
    EXPECT_EQ(end_.holder, "me") << "the log says who led last";
    EXPECT_EQ(end_.position.value, 10u);
  }
  EXPECT_EQ(rest->end.holder, end_.holder) << "the same is known without applying it";
  EXPECT_EQ(rest->end.position, end_.position);
  EXPECT_EQ(rest->end.epoch, end_.epoch);
}

}  // namespace
}  // namespace argosy::view
