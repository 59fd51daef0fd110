// SPDX-License-Identifier: Apache-2.0
// Goal: whoever follows a log has in its own store what the leader committed and nothing more, and
// leads from there as if it had recovered at once. Method: a history in a log in memory, which a
// second store follows piece by piece, over roll-overs and kills, and which is compared with the
// store of the leader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "messages/view/recovery/recovery.hpp"
#include "runtime/store/in_memory.hpp"
#include "runtime/store/scan.hpp"
#include "tests/unit/recovery/roll_over_fixture.hpp"

namespace argosy::view {
namespace {

using ::testing::HasSubstr;

struct following : roll_over {
  following() { begin_following(); }

  /// As after a start of the process.
  void begin_following() {
    follower = std::make_unique<recovery>(second_, log_, state_rules{}, *key_);
  }
  /// Follows until all is applied that the leader has committed, or this is not possible.
  result<bool> follow(std::uint32_t generation, std::uint64_t committed) {
    auto done = follower->follow({generation}, {committed});
    for (int tries = 0; done && !*done && tries < 20; ++tries)
      done = follower->follow({generation}, {committed});
    log_.choose(writer_.end().generation, writer_.end().generation_base);
    return done;
  }
  result<bool> follow() {
    const auto end = stored_position();
    return follow(end.generation.value, end.position.value);
  }
  /// The leader goes on behind a record that is not its own.
  void step_over_foreign() {
    const auto end = writer_.end().position;
    const auto id = "strange." + to_string(end);
    const auto at = log_.append(end, id, "strange");
    ASSERT_TRUE(at) << at.error().detail;
    auto txn = database_.begin_write();
    ASSERT_TRUE(write_tail(**txn, {*at, 1, id, "strange"}));
    ASSERT_TRUE((*txn)->commit());
    writer_.step_over();
  }
  view_position followed() {
    auto txn = second_.begin_read();
    return view::read_position(**txn)->value_or(view_position{});
  }
  static std::string rows_of(store::database& database) {
    std::string out;
    auto txn = database.begin_read();
    for (std::size_t i = 0; i < store::table_names.size(); ++i) {
      const auto table = static_cast<store::table>(i);
      if (table == store::table::meta) continue;
      EXPECT_TRUE(store::scan(**txn, table, {}, [&](const store::entry& entry) {
        out += std::string{store::table_names[i]} + " " + std::string{entry.key} + " " +
               (table == store::table::tail ? std::string{} : std::string{entry.value}) + "\n";
        return true;
      }));
    }
    return out;
  }
  void expect_same() {
    EXPECT_EQ(rows_of(second_), rows_of(database_));
    EXPECT_EQ(followed().position, stored_position().position);
    EXPECT_EQ(followed().hash, stored_position().hash);
  }

  store::memory_database second_;
  std::unique_ptr<recovery> follower;
};

TEST_F(following, goes_as_far_as_the_leader_has_committed_and_no_further) {
  for (const std::uint64_t end : {3, 4, 10}) {
    const auto done = follow(1, end);
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_TRUE(*done);
    EXPECT_EQ(followed().position.value, end);
  }
  expect_same();
  ASSERT_TRUE(append_unapplied(decided(submitted(50))));
  ASSERT_TRUE(follow());
  EXPECT_EQ(followed().position.value, 10u);
}

TEST_F(following, waits_for_what_the_log_does_not_have_yet) {
  const auto done = follow(1, 12);
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_FALSE(*done);
  EXPECT_EQ(followed().position.value, 10u);
}

TEST_F(following, goes_on_in_the_next_generation) {
  ASSERT_TRUE(follow());
  roll();
  append(decided(submitted(50)));
  roll();
  const auto done = follow();
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_TRUE(*done);
  EXPECT_EQ(followed().generation.value, 3u);
  expect_same();
}

TEST_F(following, goes_on_where_the_generation_that_it_has_was_emptied) {
  seal();
  ASSERT_TRUE(follow());
  begin();
  ASSERT_TRUE(log_.empty({1}));
  begin_following();
  const auto done = follow();
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_TRUE(*done);
  EXPECT_EQ(followed().generation.value, 2u);
  expect_same();
}

TEST_F(following, ends_with_the_state_of_a_recovery_at_once) {
  ASSERT_TRUE(follow());
  ASSERT_TRUE(append_unapplied(decided(submitted(50))));
  log_.choose({1}, {0});
  const auto state = follower->finish();
  ASSERT_TRUE(state) << state.error().detail;
  store::memory_database third;
  const auto at_once = recover(third, log_, {}, *key_);
  ASSERT_TRUE(at_once) << at_once.error().detail;
  EXPECT_EQ(jobs_in(*state), 9u);
  EXPECT_EQ(state->live_jobs, at_once->live_jobs);
  EXPECT_EQ(state->position.position, at_once->position.position);
  EXPECT_EQ(state->last_round, at_once->last_round);
  EXPECT_EQ(rows_of(second_), rows_of(third));
}

TEST_F(following, ends_behind_the_log_only_if_the_gate_lets_it) {
  ASSERT_TRUE(follow());
  log_.lose_tail(2);
  const auto refused =
      follower->finish([](const view_position&, bool, claim_step step) -> result<void> {
        if (step != claim_step::change_log) return {};
        return fail(ec::unavailable, "another one had more");
      });
  ASSERT_FALSE(refused);
  EXPECT_EQ(log_.last_position().value().value, 8u) << "it has given nothing back";
}

TEST_F(following, stops_at_a_log_that_is_not_of_its_store) {
  ASSERT_TRUE(follow());
  const auto rows = rows_of(second_);
  log_.lose_tail(2);
  begin_following();
  auto shorter = follow(1, 12);
  ASSERT_FALSE(shorter);
  EXPECT_EQ(shorter.error().code, ec::conflict);
  for (const auto* id : {"a", "b", "c"})
    ASSERT_TRUE(log_.append(log_.last_position().value(), id, "strange"));
  begin_following();
  const auto other = follow(1, 12);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().detail, HasSubstr("do not belong together"));
  EXPECT_EQ(rows_of(second_), rows);
}

TEST_F(following, gives_up_the_reading_of_its_store_when_the_process_ends) {
  ASSERT_TRUE(follow());
  begin_following();
  append(decided(submitted(50)));
  const auto ended = follower->follow({1}, {11}, [] { return true; });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ec::cancelled);
}

TEST_F(following, has_the_rows_of_the_leader_in_every_order_of_events) {
  std::mt19937_64 random{7};
  int job = 100;
  for (int step = 0; step < 400; ++step) {
    switch (random() % 8) {
      case 0:
        roll();
        break;
      case 1:
        begin_following();
        break;
      case 2:
      case 3: {
        const auto done = follow();
        ASSERT_TRUE(done) << done.error().detail;
        ASSERT_TRUE(*done);
        expect_same();
        follower->forget_changes();
        break;
      }
      case 4:
        step_over_foreign();
        append(decided(submitted(++job)));
        break;
      default:
        append(decided(submitted(++job)));
    }
  }
}

}  // namespace
}  // namespace argosy::view
