// SPDX-License-Identifier: Apache-2.0
// Goal: a log gets one key for good, which nobody else can read. Method: files in a folder.
#include "bins/argosyd/log_key_file.hpp"

#include <gtest/gtest.h>

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
