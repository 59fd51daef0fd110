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
  load.set_full(true);
  EXPECT_EQ(load.admit().error().code, ec::out_of_space);
  EXPECT_TRUE(load.full());
  load.set_full(false);
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

TEST(log_load, keeps_what_it_is_told_of_the_log) {
  log_load load{100};
  load.add(7);
  load.set_position(5);
  load.set_room({10, 20});
  EXPECT_EQ(load.waiting_bytes(), 7u);
  EXPECT_EQ(load.position(), 5u);
  EXPECT_EQ(load.room().bytes, 10u);
  EXPECT_EQ(load.room().bytes_max, 20u);
}

}  // namespace
}  // namespace argosy::eventlog
