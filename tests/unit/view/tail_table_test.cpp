// SPDX-License-Identifier: Apache-2.0
// Goal: whoever keeps a store knows all records of the tail, also those that others have put there,
// and lets the old ones go. Method: a table in memory, and time as the test says.
#include "messages/view/tail_table.hpp"

#include <gtest/gtest.h>

#include <string>

#include "messages/view/progress.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::view {
namespace {

using namespace std::chrono_literals;

struct tail_tables : ::testing::Test {
  void write(std::uint64_t from, std::uint64_t to) {
    auto txn = database.begin_write();
    for (auto at = from; at <= to; ++at)
      ASSERT_TRUE(write_tail(**txn, {{at}, 1, std::to_string(at), std::string(100, 'x')}));
    ASSERT_TRUE((*txn)->commit());
  }
  std::uint64_t rows() {
    auto txn = database.begin_read();
    return (*txn)->count(store::table::tail).value();
  }

  store::memory_database database;
  tail_table tail{database, {.age_min = 10min}};
};

TEST_F(tail_tables, take_up_what_others_have_written_once) {
  write(5, 9);
  ASSERT_TRUE(tail.take_up(1min));
  EXPECT_EQ(tail.size(), 5u);
  write(10, 12);
  ASSERT_TRUE(tail.take_up(6min));
  EXPECT_EQ(tail.size(), 8u);
  EXPECT_EQ(tail.trim(10min).value(), 0u);
  EXPECT_EQ(tail.trim(11min).value(), 5u);
  EXPECT_EQ(rows(), 3u);
  EXPECT_EQ(tail.trim(20min).value(), 2u) << "the newest stays";
  EXPECT_EQ(rows(), 1u);
}

TEST_F(tail_tables, let_no_more_go_at_once_than_others_may_wait_for) {
  write(1, tail_table::trimmed_max + 2);
  ASSERT_TRUE(tail.take_up(0min));
  EXPECT_EQ(tail.trim(11min).value(), tail_table::trimmed_max);
  EXPECT_EQ(tail.trim(11min).value(), 1u);
}

}  // namespace
}  // namespace argosy::view
