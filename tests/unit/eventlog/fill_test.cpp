// SPDX-License-Identifier: Apache-2.0
// Goal: operators hear of each mark that a log or store passes once, seldom again while it lasts,
// and when it is over. Method: fills and times that the test makes up.
#include "runtime/eventlog/fill.hpp"

#include <gtest/gtest.h>

namespace argosy::eventlog {
namespace {

using namespace std::chrono_literals;
using word = fill_watch::word;

TEST(fill, without_a_limit_reaches_no_mark) {
  EXPECT_FALSE((fill{1'000, 0}.reaches(warn_percent)));
}

TEST(fill, reaches_its_marks_exactly) {
  EXPECT_FALSE((fill{849, 1'000}.reaches(85)));
  EXPECT_TRUE((fill{850, 1'000}.reaches(85)));
  EXPECT_TRUE((fill{UINT64_MAX, UINT64_MAX}.reaches(85)));
  EXPECT_FALSE((fill{UINT64_MAX / 2, UINT64_MAX}.reaches(85)));
}

TEST(fill, counts_the_end_of_a_large_disk_and_all_of_a_small_one) {
  constexpr std::uint64_t mib = 1u << 20;
  EXPECT_EQ(disk_fill(0, 0).bytes_max, 0u) << "an unknown disk reaches no mark";
  EXPECT_FALSE(disk_fill(1'000'000 * mib, 2'000'000 * mib).reaches(1));
  EXPECT_FALSE(disk_fill(700 * mib, 2'000'000 * mib).reaches(warn_percent));
  EXPECT_TRUE(disk_fill(600 * mib, 2'000'000 * mib).reaches(warn_percent));
  EXPECT_FALSE(disk_fill(320 * mib, 2'000'000 * mib).reaches(shed_percent));
  EXPECT_TRUE(disk_fill(300 * mib, 2'000'000 * mib).reaches(shed_percent));
  EXPECT_FALSE(disk_fill(13 * mib, 40 * mib).reaches(warn_percent));
  EXPECT_TRUE(disk_fill(6 * mib, 40 * mib).reaches(shed_percent));
  EXPECT_TRUE(disk_fill(0, 40 * mib).reaches(100));
}

TEST(fill_watch, tells_each_mark_once_and_seldom_again) {
  fill_watch watch;
  boot_time now{1'000s};
  EXPECT_EQ(watch.look({69, 100}, now), word::nothing);
  EXPECT_EQ(watch.look({70, 100}, now), word::warn);
  EXPECT_EQ(watch.look({84, 100}, now + 1min), word::nothing);
  EXPECT_EQ(watch.look({85, 100}, now + 2min), word::shed);
  EXPECT_EQ(watch.look({99, 100}, now + 3min), word::nothing);
  EXPECT_EQ(watch.look({99, 100}, now + 12min), word::shed);
}

TEST(fill_watch, tells_when_new_commands_are_taken_again) {
  fill_watch watch;
  boot_time now{1'000s};
  EXPECT_EQ(watch.look({90, 100}, now), word::shed);
  EXPECT_EQ(watch.look({90, 200}, now), word::relieved);
  EXPECT_EQ(watch.look({90, 200}, now), word::nothing);
  EXPECT_EQ(watch.look({90, 100}, now), word::shed);
  EXPECT_EQ(watch.look({80, 100}, now), word::relieved);
  EXPECT_EQ(watch.look({80, 100}, now + 10min), word::warn);
}

}  // namespace
}  // namespace argosy::eventlog
