// SPDX-License-Identifier: Apache-2.0
// Goal: an operator is told when backups are not made any more, also when this control plane took
// over and none was ever made here. Method: times by hand.
#include "bins/argosyd/upkeep/backup_age.hpp"

#include <gmock/gmock.h>

#include "tests/support/temp_folder.hpp"

namespace argosy::argosyd {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t day = 86'400'000'000'000;

TEST(backup_age, is_told_from_eight_days_on) {
  EXPECT_FALSE(backup_concern(100 * day, 1 * day, 108 * day - 1));
  const auto old = backup_concern(100 * day, 1 * day, 108 * day);
  ASSERT_TRUE(old);
  EXPECT_EQ(old->kind, "backup");
  EXPECT_THAT(old->text, HasSubstr("8 days old"));
}

TEST(backup_age, is_that_of_the_data_directory_if_there_was_no_backup) {
  EXPECT_FALSE(backup_concern(0, 100 * day, 108 * day - 1));
  const auto none = backup_concern(0, 100 * day, 109 * day);
  ASSERT_TRUE(none);
  EXPECT_THAT(none->text, HasSubstr("no argosyd backup was ever made"));
  EXPECT_THAT(none->text, HasSubstr("9 days old"));
  EXPECT_FALSE(backup_concern(0, 0, 100 * day)) << "not known, or not expected";
}

TEST(backup_age, begins_when_the_directory_was_made) {
  const testing::temp_folder temp;
  const auto made = made_at_ns(temp.path());
  EXPECT_TRUE(made == 0 || made > 20'000 * day) << made << ", not each file system knows it";
  EXPECT_EQ(made_at_ns(temp.path() / "none"), 0);
}

}  // namespace
}  // namespace argosy::argosyd
