// SPDX-License-Identifier: Apache-2.0
// Goal: one process at a time has a data directory, and whoever is refused learns who has it.
// Method: a forked holder, which is then killed.
#include "runtime/store/data_dir.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/support/signals.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::store {
namespace {

unsigned mode_of(const std::filesystem::path& path) {
  struct stat found {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0);
  return found.st_mode & 0777;
}

TEST(data_dir, creates_private_folders) {
  const testing::temp_folder temp;
  const auto made = data_dir::open(temp.path() / "a" / "b" / "");
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  EXPECT_EQ(made->path(), temp.path() / "a" / "b");
  EXPECT_EQ(mode_of(made->path()), 0700u);
  const auto inner = made->folder("store");
  ASSERT_TRUE(inner.has_value());
  EXPECT_EQ(mode_of(*inner), 0700u);
  EXPECT_TRUE(made->folder("store").has_value());
}

TEST(data_dir, of_another_user_is_refused_and_names_that_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const testing::temp_folder temp;
  const auto path = temp.path() / "data";
  std::filesystem::create_directory(path);
  ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  const auto refused = data_dir::open(path);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().detail.find("runuser -u nobody"), std::string::npos)
      << refused.error().detail;
}

TEST(data_dir, a_second_process_is_told_who_has_it_until_that_one_dies) {
  const testing::temp_folder temp;
  const auto path = temp.path() / "data";
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const auto holder = ::fork();
  if (holder == 0) {
    const auto held = data_dir::open(path);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char signal = 0;
  ASSERT_EQ(::read(ready[0], &signal, 1), 1);
  const auto refused = data_dir::open(path);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ec::conflict);
  EXPECT_NE(refused.error().detail.find(path.string()), std::string::npos);
  EXPECT_NE(refused.error().detail.find("process " + std::to_string(holder)), std::string::npos)
      << refused.error().detail;
  testing::send_signal(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  EXPECT_TRUE(data_dir::open(path).has_value());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(data_dir, says_whether_it_is_in_use_and_makes_nothing) {
  const testing::temp_folder temp;
  EXPECT_FALSE(data_dir::is_in_use(temp.path() / "absent"));
  EXPECT_FALSE(std::filesystem::exists(temp.path() / "absent"));
  auto made = data_dir::open(temp.path() / "used");
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(data_dir::is_in_use(made->path()));
  made = data_dir::open(temp.path() / "other");
  EXPECT_FALSE(data_dir::is_in_use(temp.path() / "used"));
}

TEST(data_dir, moves_its_lock) {
  const testing::temp_folder temp;
  auto first = data_dir::open(temp.path() / "d");
  ASSERT_TRUE(first.has_value());
  {
    const data_dir second{std::move(*first)};
    EXPECT_EQ(data_dir::open(temp.path() / "d").error().code, ec::conflict);
  }
  EXPECT_TRUE(data_dir::open(temp.path() / "d").has_value());
}

TEST(data_dir, refuses_what_is_no_folder_or_open_to_others) {
  const testing::temp_folder temp;
  std::ofstream{temp.path() / "file"} << "x";
  EXPECT_EQ(data_dir::open(temp.path() / "file").error().code, ec::invalid_argument);
  EXPECT_EQ(data_dir::open("").error().code, ec::invalid_argument);
  const auto shared = temp.path() / "shared";
  std::filesystem::create_directory(shared);
  ASSERT_EQ(::chmod(shared.c_str(), 0777), 0);
  const auto refused = data_dir::open(shared);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ec::denied);
  EXPECT_EQ(mode_of(shared), 0777u);
}

}  // namespace
}  // namespace argosy::store
