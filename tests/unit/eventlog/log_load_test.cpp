// SPDX-License-Identifier: Apache-2.0
// Goal: new commands are refused while the log is full or does not keep up, and only then. Method:
// a load whose amounts and marks are set by hand.
#include "runtime/eventlog/log_load.hpp"

#include <gtest/gtest.h>

namespace argosy::eventlog {
namespace {

TEST(log_load, refuses_from_its_bound_on_until_enough_was_written) {
  log_load load{100};
  EXPECT_TRUE(load.admit());
  load.add(99);
  EXPECT_TRUE(load.admit());
  load.add(50);
  EXPECT_EQ(load.admit().error().code, ec::overloaded);
  EXPECT_NE(load.admit().error().detail.find("149 bytes"), std::string::npos);
  load.remove(50);
  EXPECT_TRUE(load.admit());
}

TEST(log_load, refuses_while_the_log_is_full_however_little_waits) {
  log_load load{100};
  load.intake().set_full(true);
  EXPECT_EQ(load.admit().error().code, ec::out_of_space);
  EXPECT_TRUE(load.intake().is_full());
  load.intake().set_full(false);
  EXPECT_TRUE(load.admit());
}

TEST(log_load, refuses_while_the_tail_is_full) {
  log_load load{100};
  load.set_tail_full(true);
  EXPECT_EQ(load.admit().error().code, ec::overloaded);
  EXPECT_TRUE(load.tail_full());
  load.set_tail_full(false);
  EXPECT_TRUE(load.admit());
}

TEST(log_load, misses_the_answers_of_a_log_that_is_silent_for_long) {
  using std::chrono::seconds;
  log_load load{100};
  EXPECT_TRUE(load.answers(seconds{1'000})) << "nobody has asked it";
  load.ask(seconds{1'000});
  load.ask(seconds{1'004});
  EXPECT_TRUE(load.answers(seconds{1'004}));
  const auto missed = load.answers(seconds{1'007});
  ASSERT_FALSE(missed);
  EXPECT_NE(missed.error().detail.find("for 7 s"), std::string::npos) << missed.error().detail;
  load.answered();
  EXPECT_TRUE(load.answers(seconds{1'008}));
  load.ask(seconds{1'010});
  EXPECT_TRUE(load.answers(seconds{1'011})) << "the silence begins anew";
}

TEST(log_load, accepts_in_safe_mode_only_what_brings_room) {
  log_load load{100};
  load.set_safe_mode();
  const auto refused = load.admit();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::out_of_space) << "clients do not repeat this by themselves";
  EXPECT_NE(refused.error().detail.find("--leave-safe-mode"), std::string::npos);
  EXPECT_TRUE(load.admit(command_kind::relieving));
}

TEST(log_load, refuses_what_is_new_before_the_disk_of_the_log_is_full) {
  log_load load{100};
  constexpr std::uint64_t disk = 100ull << 30;
  load.set_log_disk(1ull << 30, disk);
  EXPECT_TRUE(load.admit());
  load.set_log_disk(200u << 20, disk);
  const auto refused = load.admit();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::out_of_space);
  EXPECT_NE(refused.error().detail.find("the disk of the nats-server's log"), std::string::npos);
  EXPECT_TRUE(load.admit(command_kind::relieving));
  load.set_log_disk(50u << 20, disk);
  EXPECT_FALSE(load.fits(1'000));
  EXPECT_TRUE(load.fits(1'000, command_kind::relieving));
  load.set_log_disk(0, disk);
  EXPECT_FALSE(load.fits(1'000, command_kind::relieving));
}

TEST(log_load, refuses_what_is_new_before_others_take_the_room_of_its_account) {
  log_load load{100};
  load.set_log({100, 1'000});
  load.set_log_account(900, 5'000);
  EXPECT_TRUE(load.admit());
  EXPECT_EQ(load.log_account().bytes_max, 0u) << "all that it may take is there";
  load.set_log_account(200, 5'000);
  EXPECT_TRUE(load.admit());
  EXPECT_TRUE(load.is_filling());
  load.set_log_account(150, 5'000);
  const auto refused = load.admit();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::out_of_space);
  EXPECT_NE(refused.error().detail.find("150 of 5000 bytes"), std::string::npos);
  EXPECT_TRUE(load.admit(command_kind::relieving));
  EXPECT_TRUE(load.fits(90));
  EXPECT_FALSE(load.fits(100));
  load.set_log_account(200, 5'000);
  load.add_to_log(60);
  EXPECT_FALSE(load.admit()) << "it was written since the server was asked";
  load.set_log({10, 1'000});
  EXPECT_TRUE(load.admit()) << "the next generation has begun";
  load.set_log_account(0, 0);
  EXPECT_TRUE(load.admit()) << "the server sets no limit any more";
  EXPECT_FALSE(load.is_filling());
}

TEST(log_load, without_a_limit_of_its_own_counts_all_of_its_account) {
  log_load load{100};
  load.set_log_account(200, 1'000);
  EXPECT_TRUE(load.admit());
  load.set_log_account(150, 1'000);
  EXPECT_FALSE(load.admit());
}

TEST(log_load, keeps_what_it_is_told_of_the_log) {
  log_load load{100};
  load.add(7);
  load.set_position({5});
  load.set_log({10, 20});
  EXPECT_EQ(load.waiting_bytes(), 7u);
  EXPECT_EQ(load.position().value, 5u);
  EXPECT_EQ(load.log().bytes, 10u);
  EXPECT_EQ(load.log().bytes_max, 20u);
  load.add_to_log(5);
  EXPECT_EQ(load.log().bytes, 15u);
}

TEST(log_load, keeps_the_last_room_of_log_and_store_for_what_was_accepted) {
  log_load load{100};
  load.set_log({84, 100});
  load.set_store({84, 100});
  EXPECT_TRUE(load.admit());
  load.set_log({85, 100});
  EXPECT_EQ(load.admit().error().code, ec::out_of_space);
  EXPECT_NE(load.admit().error().detail.find("journal.logBytesMax"), std::string::npos);
  EXPECT_TRUE(load.admit(command_kind::relieving));
  load.set_log({85, 200});
  load.set_store({850, 1'000});
  EXPECT_EQ(load.admit().error().code, ec::out_of_space);
  EXPECT_NE(load.admit().error().detail.find("store.mapSize"), std::string::npos);
  EXPECT_NE(load.admit().error().detail.find("85 % of 1000 bytes"), std::string::npos);
  EXPECT_TRUE(load.admit(command_kind::relieving));
  load.intake().set_full(true);
  EXPECT_EQ(load.admit(command_kind::relieving).error().code, ec::out_of_space);
}

TEST(log_load, refuses_a_change_that_would_fill_log_or_store) {
  log_load load{10'000};
  load.set_log({800, 1'000});
  EXPECT_TRUE(load.fits(100));
  EXPECT_EQ(load.fits(200).error().code, ec::out_of_space);
  EXPECT_NE(load.fits(200).error().detail.find("journal.logBytesMax"), std::string::npos);
  load.add(100);
  EXPECT_FALSE(load.fits(100)) << "what waits counts";
  load.remove(100);
  load.set_log({0, 1'000});
  load.set_store({800, 1'000});
  EXPECT_TRUE(load.fits(20));
  EXPECT_NE(load.fits(100).error().detail.find("store.mapSize"), std::string::npos);
}

TEST(log_load, names_the_reader_that_fills_the_store) {
  log_load load{100};
  load.set_store({90, 100}, {90, 100}, 10);
  EXPECT_NE(load.admit().error().detail.find("A reader"), std::string::npos) << "80 without it";
  EXPECT_NE(load.admit().error().detail.find("10 bytes"), std::string::npos);
  load.set_store({90, 100}, {90, 100}, 2);
  EXPECT_EQ(load.admit().error().detail.find("reader"), std::string::npos) << "88 without it";
}

TEST(log_load, keeps_the_last_room_of_the_disk_for_what_was_accepted) {
  log_load load{10'000};
  load.set_disk({31, 200, {69, 100}});
  EXPECT_FALSE(load.is_filling());
  EXPECT_TRUE(load.admit());
  load.set_disk({300, 2'000, {700, 1'000}});
  EXPECT_TRUE(load.is_filling());
  EXPECT_TRUE(load.admit());
  EXPECT_TRUE(load.fits(60));
  EXPECT_EQ(load.fits(70).error().code, ec::out_of_space);
  EXPECT_NE(load.fits(70).error().detail.find("the disk"), std::string::npos);
  load.set_disk({150, 2'000, {850, 1'000}});
  EXPECT_EQ(load.admit().error().code, ec::out_of_space);
  EXPECT_NE(load.admit().error().detail.find("150 of 2000 bytes are free"), std::string::npos);
  EXPECT_TRUE(load.admit(command_kind::relieving));
  load.set_disk({2'000, 2'000, {0, 1'000}});
  EXPECT_TRUE(load.admit());
}

TEST(log_load, hands_on_a_wish_to_roll_over_once) {
  log_load load{10'000};
  EXPECT_EQ(load.take_roll_over().value, 0u);
  load.ask_to_roll_over({3});
  EXPECT_EQ(load.take_roll_over().value, 3u);
  EXPECT_EQ(load.take_roll_over().value, 0u);
}

}  // namespace
}  // namespace argosy::eventlog
