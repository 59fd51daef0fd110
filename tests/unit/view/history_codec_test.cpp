// SPDX-License-Identifier: Apache-2.0
// Goal: recorded rounds expire after their time even if nothing else is old, and the newest stays.
// Method: rounds in the database in memory; the rule of the ledger asks what is due, as RETENTION
// does.
#include "messages/view/history_codec.hpp"

#include <gtest/gtest.h>

#include "messages/view/store_codec.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::view {
namespace {

class recorded_rounds : public ::testing::Test {
 protected:
  recorded_rounds() {
    rules_.events = std::chrono::seconds{60};
    rules_.records_max = 2;
  }

  void record(std::uint64_t number, std::int64_t time_s) {
    auto txn = database_->begin_write();
    model::round_decided round;
    round.number = number;
    ASSERT_TRUE(view::write_change(**txn, ledger::put_round{seconds(time_s), round}, {}));
    ASSERT_TRUE((*txn)->commit());
  }

  std::uint64_t count() {
    auto txn = database_->begin_read();
    return *(*txn)->count(store::table::rounds);
  }

  /// The event that RETENTION would write at this time.
  std::optional<model::event> due(std::int64_t now_s) {
    auto txn = database_->begin_read();
    const auto oldest = view::read_oldest_kept(**txn);
    EXPECT_TRUE(oldest) << oldest.error().detail;
    return ledger::expire_due(rules_, *oldest, seconds(now_s));
  }

  void expire(const model::event& event) {
    auto txn = database_->begin_write();
    ASSERT_TRUE(view::expire_history(**txn, std::get<model::history_expired>(event.payload)));
    ASSERT_TRUE((*txn)->commit());
  }

  static std::int64_t seconds(std::int64_t count) {
    return std::chrono::nanoseconds{std::chrono::seconds{count}}.count();
  }

  ledger::retention_config rules_;
  std::unique_ptr<store::database> database_ = std::make_unique<store::memory_database>();
};

TEST_F(recorded_rounds, go_after_their_time_though_nothing_else_does) {
  for (std::uint64_t i = 1; i <= 5; ++i) record(i, 100 + static_cast<std::int64_t>(i));
  EXPECT_FALSE(due(161));
  const auto first = due(162);
  ASSERT_TRUE(first);
  expire(*first);
  EXPECT_EQ(count(), 4u);
  EXPECT_FALSE(due(162));
}

TEST_F(recorded_rounds, go_in_parts_until_only_the_newest_is_left) {
  for (std::uint64_t i = 1; i <= 6; ++i) record(i, 100);
  int parts = 0;
  while (const auto event = due(1'000)) {
    ASSERT_LT(++parts, 10) << "what is due must go";
    expire(*event);
  }
  EXPECT_EQ(parts, 3);
  EXPECT_EQ(count(), 1u);
  record(7, 900);
  EXPECT_TRUE(due(1'000)) << "the old one is not the newest any more";
}

TEST_F(recorded_rounds, of_an_empty_store_are_not_due) {
  EXPECT_FALSE(due(1'000));
}

}  // namespace
}  // namespace argosy::view
