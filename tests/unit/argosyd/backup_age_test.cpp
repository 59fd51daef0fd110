// SPDX-License-Identifier: Apache-2.0
// Goal: an operator is told when backups are not made any more, also when this control plane took
// over and none was ever made here. Method: times by hand, and a file system without birth times.
#include "bins/argosyd/upkeep/backup_age.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

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
  std::filesystem::create_directory(temp.path() / "data");
  std::filesystem::create_directory(temp.path() / "data" / "store");
  EXPECT_GT(made_at_ns(temp.path() / "data"), 20'000 * day);
  EXPECT_EQ(made_at_ns(temp.path() / "none"), 0);
}

/// Tries it on a file system in memory that this process alone sees; 0: it was so.
int look_without_birth_times(const std::filesystem::path& data) {
  std::filesystem::create_directory(data);
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", data.c_str(), "ramfs", 0, nullptr) != 0)
    return 2;
  if (made_at_ns(data) != 0) return 3;
  std::filesystem::create_directory(data / "store");
  std::filesystem::create_directory(data / "snapshots");
  const timespec then{20'001 * 86'400, 5};
  const std::array both{then, then};
  if (::utimensat(AT_FDCWD, (data / "store").c_str(), both.data(), 0) != 0) return 4;
  return made_at_ns(data) == 20'001 * day + 5 ? 0 : 1;
}

TEST(backup_age, is_that_of_the_oldest_thing_where_no_file_system_knows_when_it_was_made) {
  const testing::temp_folder temp;
  const auto data = temp.path() / "data";
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(look_without_birth_times(data));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
    GTEST_SKIP() << "this process may not mount a file system without such times";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace argosy::argosyd
