// SPDX-License-Identifier: Apache-2.0
// Goal: a log gets one key for good, which nobody else can read. Method: files in a folder.
#include "bins/argosyd/log_key_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temp_folder.hpp"

namespace argosy::argosyd {
namespace {

namespace fs = std::filesystem;

struct log_key_file : ::testing::Test {
  testing::temp_folder folder;
  const fs::path path = folder.path() / "log.key";
};

TEST_F(log_key_file, is_made_once_and_readable_by_nobody_else) {
  const auto made = open_log_key(path);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::file_size(path), codec::log_key::size);
  EXPECT_EQ(open_log_key(path)->print(), made->print());
  EXPECT_EQ(std::distance(fs::directory_iterator{folder.path()}, {}), 1) << "no draft stays";
  EXPECT_NE(open_log_key(folder.path() / "other.key")->print(), made->print());
}

TEST_F(log_key_file, that_others_may_read_is_refused) {
  ASSERT_TRUE(open_log_key(path));
  fs::permissions(path, fs::perms::group_read, fs::perm_options::add);
  const auto got = open_log_key(path);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ec::denied);
}

/// `argosyd init` gives it so to an argosyd that is not root's.
TEST_F(log_key_file, of_root_may_be_read_by_the_group_of_the_process_alone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give it away";
  ASSERT_TRUE(open_log_key(path));
  ASSERT_EQ(::chown(path.c_str(), 0, 1), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  EXPECT_FALSE(read_log_key(path)) << "the group is another one";
  ASSERT_EQ(::setegid(1), 0);
  const auto own = read_log_key(path);
  ASSERT_EQ(::chmod(path.c_str(), 0660), 0);
  const auto writable = read_log_key(path);
  ASSERT_EQ(::setegid(0), 0);
  EXPECT_TRUE(own) << own.error().detail;
  EXPECT_FALSE(writable);
}

TEST_F(log_key_file, that_is_no_key_is_refused_and_stays) {
  std::ofstream{path} << "short";
  fs::permissions(path, fs::perms::owner_all);
  const auto got = open_log_key(path);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ec::corrupt);
  EXPECT_EQ(fs::file_size(path), 5u);
}

}  // namespace
}  // namespace argosy::argosyd
