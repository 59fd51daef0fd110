// SPDX-License-Identifier: Apache-2.0
// Goal: the log file follows its name, and a full disk costs lines but neither the process nor the
// knowledge that lines are missing. Method: the file is renamed and removed; /dev/full is a full
// disk.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/logging/line_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::logging {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream in{path};
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

std::string lost_line(std::uint64_t lost) {
  return std::to_string(lost) + " are missing";
}

class log_file : public ::testing::Test {
 protected:
  testing::temp_folder temp;
  std::filesystem::path path = temp.path() / "log";
};

TEST_F(log_file, that_is_a_named_pipe_waits_for_no_reader) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto refused = line_file::open(path.string(), lost_line);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail.find("named pipe that nobody reads"), std::string::npos);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  auto file = line_file::open(path.string(), lost_line);
  ASSERT_TRUE(file);
  for (int i = 0; i < 2'000; ++i) file->write(std::string(99, 'x'));
  std::string taken(1u << 20, ' ');
  taken.resize(static_cast<std::size_t>(::read(reader, taken.data(), taken.size())));
  EXPECT_LT(taken.size(), 200'000U);
  file->write("then");
  taken.resize(1u << 12);
  taken.resize(static_cast<std::size_t>(::read(reader, taken.data(), taken.size())));
  EXPECT_NE(taken.find(" are missing\nthen\n"), std::string::npos) << taken;
  ::close(reader);
}

TEST_F(log_file, stays_in_use_while_a_pipe_that_nobody_reads_has_its_name) {
  auto file = line_file::open(path.string(), lost_line);
  ASSERT_TRUE(file);
  std::filesystem::rename(path, temp.path() / "log.1");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto followed = file->follow_name();
  ASSERT_FALSE(followed);
  EXPECT_NE(followed.error().detail.find("named pipe that nobody reads"), std::string::npos);
  file->write("one");
  EXPECT_EQ(content(temp.path() / "log.1"), "one\n");
}

TEST_F(log_file, is_opened_anew_with_the_next_line_after_it_was_renamed) {
  auto file = line_file::open(path.string(), lost_line);
  ASSERT_TRUE(file);
  file->write("one");
  std::filesystem::rename(path, temp.path() / "log.1");
  file->write("two");
  EXPECT_EQ(content(temp.path() / "log.1"), "one\n");
  EXPECT_EQ(content(path), "two\n");
}

TEST_F(log_file, is_made_at_once_when_its_name_is_followed) {
  auto file = line_file::open(path.string(), lost_line);
  ASSERT_TRUE(file);
  std::filesystem::remove(path);
  EXPECT_TRUE(file->follow_name());
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(log_file, stays_in_use_while_its_name_cannot_be_opened) {
  const auto folder = temp.path() / "folder";
  std::filesystem::create_directory(folder);
  auto file = line_file::open((folder / "log").string(), lost_line);
  ASSERT_TRUE(file);
  std::filesystem::rename(folder, temp.path() / "moved");
  file->write("kept");
  EXPECT_EQ(content(temp.path() / "moved" / "log"), "kept\n");
}

TEST_F(log_file, says_how_many_lines_a_removed_folder_has_cost) {
  const auto folder = temp.path() / "folder";
  std::filesystem::create_directory(folder);
  auto file = line_file::open((folder / "log").string(), lost_line);
  ASSERT_TRUE(file);
  file->write("before");
  std::filesystem::remove_all(folder);
  file->write("one");
  file->write("two");
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(file->follow_name());
  file->write("three");
  EXPECT_EQ(content(folder / "log"), "2 are missing\nthree\n");
}

TEST_F(log_file, says_how_many_lines_a_full_disk_has_cost) {
  std::filesystem::create_symlink("/dev/full", path);
  auto file = line_file::open(path.string(), lost_line);
  ASSERT_TRUE(file);
  file->write("one");
  file->write("two");
  std::filesystem::remove(path);
  file->write("three");
  EXPECT_EQ(content(path), "2 are missing\nthree\n");
}

TEST_F(log_file, that_cannot_be_opened_is_an_error) {
  EXPECT_FALSE(line_file::open((temp.path() / "no" / "log").string(), lost_line));
}

}  // namespace
}  // namespace argosy::logging
