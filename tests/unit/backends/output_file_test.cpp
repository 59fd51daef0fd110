// SPDX-License-Identifier: Apache-2.0
// Goal: the beginning and the end of a run's output are kept within the limit, also when the disk
// was full for a while, and whoever reads learns what is missing. Method: text goes through a pipe;
// the limit of the process for the size of files stands for a full disk.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "bins/argosy-shim/output_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::backends {
namespace {

class kept_run_output : public ::testing::Test {
 protected:
  ~kept_run_output() override { limit_files(RLIM_INFINITY); }

  static void limit_files(rlim_t size) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = size;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  static void print(shim::output_file& to, std::string_view text,
                    model::output_stream of = model::output_stream::out) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(text.size(), 4096))) {
      const auto piece = text.substr(0, 4096);
      ASSERT_EQ(::write(ends[1], piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
      ASSERT_TRUE(to.pump(ends[0], of));
    }
    ::close(ends[0]);
    ::close(ends[1]);
  }
  /// All that is kept, with the lines about what is missing.
  std::string all(const shim::output_file& of) const {
    std::string out;
    std::uint64_t offset = 0;
    for (int i = 0; i < 10'000; ++i) {
      const auto got =
          read_output(temp.path(), offset, 1'000, static_cast<std::uint64_t>(of.written()));
      if (!got) return got.error().detail;
      out += got->data;
      offset = got->next_offset;
      if (got->end) break;
    }
    return out;
  }
  /// What of all() is of stderr, read in pieces of this size.
  std::string errors(const shim::output_file& of, std::uint32_t step) const {
    std::string out;
    for (std::uint64_t offset = 0; offset < static_cast<std::uint64_t>(of.written());) {
      const auto got =
          read_output(temp.path(), offset, step, static_cast<std::uint64_t>(of.written()));
      if (!got || got->next_offset == offset) return out + "[cannot be read]";
      model::for_each_turn(got->data, got->turns, [&](auto stream, std::string_view text) {
        if (stream == model::output_stream::err) out += text;
      });
      offset = got->next_offset;
    }
    return out;
  }
  std::uint64_t stored() const {
    std::uint64_t sum = 0;
    for (const auto& part : output_parts(temp.path())) sum += part.size;
    return sum;
  }

  testing::temp_folder temp;
};

TEST_F(kept_run_output, is_whole_within_the_limit) {
  shim::output_file file{temp.path(), 20};
  print(file, "0123456789");
  EXPECT_EQ(all(file), "0123456789");
  EXPECT_EQ(file.note(), "");
}

TEST_F(kept_run_output, has_its_beginning_and_its_end) {
  shim::output_file file{temp.path(), 16'000};
  print(file, "first\n" + std::string(100'000, 'x') + "\nlast\n");
  const auto kept = all(file);
  EXPECT_TRUE(kept.starts_with("first\nxxx"));
  EXPECT_TRUE(kept.ends_with("xxx\nlast\n"));
  EXPECT_NE(kept.find(" bytes of output were not kept here]\n"), std::string::npos);
  EXPECT_LE(stored(), 16'000u);
  EXPECT_GT(stored(), 12'000u);
  EXPECT_EQ(file.note(), std::to_string(100'012 - stored()) +
                             " bytes of output were dropped: the limit is 16000 bytes");
}

TEST_F(kept_run_output, of_a_tiny_limit_is_bounded) {
  for (const std::int64_t limit : {0, 1, 2, 3, 7}) {
    testing::temp_folder own;
    shim::output_file file{own.path(), limit};
    print(file, std::string(1'000, 'x'));
    std::uint64_t sum = 0;
    for (const auto& part : output_parts(own.path())) sum += part.size;
    EXPECT_LE(sum, static_cast<std::uint64_t>(limit));
    EXPECT_NE(file.note(), "");
  }
}

TEST_F(kept_run_output, goes_on_when_the_disk_has_room_again) {
  shim::output_file file{temp.path(), 100'000};
  print(file, "before\n");
  limit_files(0);
  print(file, "lost on a full disk\n");
  limit_files(RLIM_INFINITY);
  print(file, "after\n");
  EXPECT_EQ(all(file), "before\n\n[20 bytes of output were not kept here]\nafter\n");
  EXPECT_EQ(file.note().find("20 bytes of output were dropped: "), 0u) << file.note();
}

TEST_F(kept_run_output, is_told_apart_by_stream_in_each_of_its_parts) {
  shim::output_file file{temp.path(), 16'000};
  for (int i = 0; i < 10'000; ++i) {
    print(file, "out\n");
    print(file, "ERROR\n", model::output_stream::err);
  }
  for (const std::uint32_t step : {7u, 1'000u, 100'000u}) {
    const auto kept = errors(file, step);
    EXPECT_TRUE(kept.starts_with("ERROR\nERROR\n")) << kept.substr(0, 100);
    EXPECT_TRUE(kept.ends_with("ERROR\n"));
    EXPECT_EQ(kept.find("out"), std::string::npos);
  }
  for (const auto& each : std::filesystem::directory_iterator{temp.path()})
    if (const auto name = each.path().filename().string(); name.starts_with("turns."))
      EXPECT_TRUE(std::filesystem::exists(temp.path() / ("output" + name.substr(5)))) << name;
}

TEST_F(kept_run_output, of_one_stream_has_no_turns) {
  shim::output_file file{temp.path(), 100};
  print(file, "out\n");
  EXPECT_FALSE(std::filesystem::exists(temp.path() / turns_name(0)));
  EXPECT_EQ(errors(file, 100), "");
}

TEST_F(kept_run_output, is_whole_when_only_its_turns_find_no_room) {
  shim::output_file file{temp.path(), 100'000};
  // Nothing can be made under this name.
  std::filesystem::create_directory(temp.path() / turns_name(0));
  print(file, "one\n");
  print(file, "two\n", model::output_stream::err);
  EXPECT_EQ(all(file), "one\ntwo\n");
  EXPECT_EQ(errors(file, 100), "");
  std::filesystem::remove(temp.path() / turns_name(0));
  print(file, "three\n", model::output_stream::err);
  EXPECT_EQ(errors(file, 100), "three\n");
  EXPECT_EQ(file.note(), "");
}

TEST_F(kept_run_output, that_is_missing_at_the_end_is_told) {
  shim::output_file file{temp.path(), 100'000};
  print(file, "before\n");
  limit_files(0);
  print(file, "lost on a full disk\n");
  limit_files(RLIM_INFINITY);
  EXPECT_EQ(all(file), "before\n\n[20 bytes of output were not kept here]\n");
}

}  // namespace
}  // namespace argosy::backends
