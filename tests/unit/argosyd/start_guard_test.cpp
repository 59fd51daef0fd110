// SPDX-License-Identifier: Apache-2.0
// Goal: argosyd goes into safe mode when it crashes again and again at one place, and never
// otherwise. Method: records, and a guard for each start over one folder.
#include <gtest/gtest.h>

#include <fstream>

#include "bins/shared/start_guard.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::argosyd {
namespace {

class start_guards : public ::testing::Test {
 protected:
  /// A start that reaches this position and goes no further. Returns what is known then.
  start_record crash(std::uint64_t position, bool leave = false) {
    start_guard guard{folder.path()};
    EXPECT_TRUE(guard.begin(leave));
    EXPECT_TRUE(guard.reach(position));
    return guard.now();
  }
  start_record settle(std::uint64_t position) {
    start_guard guard{folder.path()};
    EXPECT_TRUE(guard.begin(false));
    EXPECT_TRUE(guard.begin(false)) << "the second time nothing happens";
    EXPECT_TRUE(guard.reach(position));
    const auto out = guard.now();
    EXPECT_TRUE(guard.settle());
    EXPECT_TRUE(guard.settle());
    return out;
  }

  testing::temp_folder folder;
};

TEST_F(start_guards, ask_for_safe_mode_after_three_crashes_at_one_place) {
  EXPECT_FALSE(wants_safe_mode(crash(100)));
  EXPECT_FALSE(wants_safe_mode(crash(101)));
  EXPECT_FALSE(wants_safe_mode(crash(103)));
  EXPECT_TRUE(wants_safe_mode(crash(104)));
}

TEST_F(start_guards, count_no_start_that_was_settled) {
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(wants_safe_mode(settle(100)));
  EXPECT_FALSE(wants_safe_mode(crash(100)));
  EXPECT_FALSE(wants_safe_mode(crash(100)));
  EXPECT_FALSE(wants_safe_mode(settle(100)));
  EXPECT_EQ(crash(100).crashes, 0U) << "they are not in a row any more";
}

TEST_F(start_guards, count_no_crash_after_which_work_went_on) {
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(wants_safe_mode(crash(100 * i)));
}

TEST_F(start_guards, count_crashes_before_the_state_is_there) {
  crash(100);
  for (int i = 0; i < 3; ++i) {
    start_guard guard{folder.path()};
    EXPECT_TRUE(guard.begin(false));
    EXPECT_EQ(guard.safe_mode(), i == 2);
  }
}

TEST_F(start_guards, stay_in_safe_mode_until_an_operator_ends_it) {
  for (int i = 0; i < 4; ++i) crash(100);
  EXPECT_TRUE(wants_safe_mode(settle(100)));
  EXPECT_TRUE(wants_safe_mode(crash(5000)));
  EXPECT_EQ(crash(5000, true), (start_record{0, 5000, true}));
  EXPECT_FALSE(wants_safe_mode(crash(5000)));
}

TEST_F(start_guards, take_a_file_that_cannot_be_read_for_none) {
  for (const char* text : {"", "x", "argosyd-starts-1 3", "argosyd-starts-1 3 7 ajar\n"})
    EXPECT_EQ(parse_start_record(text), start_record{}) << text;
  const start_record record{2, 77, true};
  EXPECT_EQ(parse_start_record(print(record)), record);
  std::ofstream{folder.path() / "starts"} << "garbage";
  EXPECT_EQ(crash(7), (start_record{0, 7, true}));
}

}  // namespace
}  // namespace argosy::argosyd
