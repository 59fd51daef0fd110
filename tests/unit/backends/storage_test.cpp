// SPDX-License-Identifier: Apache-2.0
// Goal: runs are ended for what they store exactly if they store more than they may, or if the disk
// lacks room and their end gives some back; and what they store is counted as du does.
// Method: the policy on made-up runs; the count on folders in a temporary folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/backends/process/folder_use.hpp"
#include "runtime/backends/process/storage_policy.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

storing_run storing(std::uint8_t id, std::int64_t bytes_max, storage_use used) {
  storing_run out;
  out.run.job.bytes[0] = id;
  out.run.number = 1;
  out.bytes_max = bytes_max;
  out.used = used;
  return out;
}

/// A disk with 100 bytes and 10 files in reserve.
disk_room room(std::int64_t bytes, std::int64_t files) {
  return {{bytes, files}, {100, 10}};
}

TEST(storage_policy, ends_what_stores_more_than_it_may) {
  const auto ended = runs_over_limit(
      {storing(1, 50, {51, 1}), storing(2, 50, {50, 1}), storing(3, 0, {5000, 1})}, 0);
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0].run.job.bytes[0], 1);
  EXPECT_EQ(ended[0].reason, "StorageExceeded");
  EXPECT_THAT(ended[0].message, HasSubstr("the 50 bytes of its ephemeral-storage"));
}

TEST(storage_policy, ends_what_has_more_files_than_it_may) {
  const auto ended = runs_over_limit({storing(1, 0, {1, 7}), storing(2, 0, {1, 8})}, 7);
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0].run.job.bytes[0], 2);
  EXPECT_THAT(ended[0].message, HasSubstr("process.filesMax"));
}

TEST(storage_policy, ends_what_hides_files_from_the_count) {
  auto run = storing(1, 50, {1, 1});
  run.too_deep = true;
  EXPECT_THAT(runs_over_limit({run}, 0), SizeIs(1));
}

TEST(storage_policy, ends_no_run_twice) {
  auto run = storing(1, 50, {51, 1});
  run.ending = true;
  EXPECT_THAT(runs_over_limit({run}, 0), IsEmpty());
}

TEST(storage_policy, ends_the_run_that_uses_most_of_what_the_disk_lacks) {
  const std::vector runs{storing(1, 500, {40, 3}), storing(2, 500, {60, 1})};
  EXPECT_FALSE(run_to_end_for_room(runs, room(100, 10)));
  const auto for_bytes = run_to_end_for_room(runs, room(99, 10));
  ASSERT_TRUE(for_bytes);
  EXPECT_EQ(for_bytes->run.job.bytes[0], 2);
  EXPECT_EQ(for_bytes->reason, "Lost");
  EXPECT_THAT(for_bytes->message, HasSubstr("process.diskReserve"));
  const auto for_files = run_to_end_for_room(runs, room(100, 9));
  ASSERT_TRUE(for_files);
  EXPECT_EQ(for_files->run.job.bytes[0], 1);
}

TEST(storage_policy, ends_one_run_at_a_time_for_room) {
  std::vector runs{storing(1, 500, {40, 1}), storing(2, 500, {60, 1})};
  runs[0].ending = true;
  EXPECT_FALSE(run_to_end_for_room(runs, room(0, 10)));
}

TEST(storage_policy, ends_no_run_that_did_not_fill_the_disk) {
  EXPECT_FALSE(run_to_end_for_room({storing(1, 500, {5, 1})}, room(0, 10)));
  EXPECT_TRUE(run_to_end_for_room({storing(1, 500, {6, 1})}, room(0, 10)));
  EXPECT_FALSE(run_to_end_for_room({storing(1, 500, {0, 1})}, room(99, 10)));
  EXPECT_FALSE(run_to_end_for_room({}, room(0, 10)));
}

struct folder_count : ::testing::Test {
  void write(const fs::path& name, std::size_t bytes) {
    std::ofstream{dir / name} << std::string(bytes, 'x') << std::flush;
  }
  folder_use count(const storage_use& enough = {}) { return use_of_folder(dir, enough, cancelled); }

  testing::temp_folder temp;
  fs::path dir = temp.path();
  std::atomic<bool> cancelled = false;
};

TEST_F(folder_count, takes_blocks_of_files_and_folders) {
  fs::create_directories(dir / "a" / "b");
  write("a/b/large", 100'000);
  write("small", 1);
  const auto found = count();
  EXPECT_EQ(found.used.files, 4);
  EXPECT_GE(found.used.bytes, 100'000);
  EXPECT_LT(found.used.bytes, 200'000);
}

TEST_F(folder_count, takes_a_file_with_two_names_once) {
  write("one", 100'000);
  const auto before = count();
  fs::create_hard_link(dir / "one", dir / "two");
  EXPECT_EQ(count().used, before.used);
}

TEST_F(folder_count, follows_no_links) {
  testing::temp_folder other;
  std::ofstream{fs::path{other.path()} / "large"} << std::string(1'000'000, 'x') << std::flush;
  fs::create_directory_symlink(other.path(), dir / "link");
  fs::create_directory_symlink(dir, dir / "loop");
  EXPECT_EQ(count().used.files, 2);
  EXPECT_LT(count().used.bytes, 1'000'000);
}

TEST_F(folder_count, takes_no_holes) {
  write("sparse", 1);
  fs::resize_file(dir / "sparse", 1 << 30);
  EXPECT_LT(count().used.bytes, 1'000'000);
}

TEST_F(folder_count, stops_when_it_has_enough) {
  for (int i = 0; i < 50; ++i) write(std::to_string(i), 10'000);
  EXPECT_EQ(count({0, 7}).used.files, 8);
  const auto bytes = count({25'000, 0}).used.bytes;
  EXPECT_GT(bytes, 25'000);
  EXPECT_LT(bytes, 100'000);
  cancelled = true;
  EXPECT_EQ(count().used, storage_use{});
}

TEST_F(folder_count, says_when_folders_are_nested_too_deep) {
  auto deep = dir;
  for (std::size_t i = 0; i + 1 < folder_depth_max; ++i) fs::create_directory(deep /= "d");
  EXPECT_FALSE(count().too_deep);
  fs::create_directory(deep / "d");
  EXPECT_TRUE(count().too_deep);
}

TEST_F(folder_count, is_nothing_where_there_is_no_folder) {
  EXPECT_EQ(use_of_folder(dir / "none", {}, cancelled).used, storage_use{});
}

}  // namespace
}  // namespace argosy::backends
