// SPDX-License-Identifier: Apache-2.0
// Goal: the last spans outlive a process that ends in any way. Method: a flight file that is opened
// again.
#include <gtest/gtest.h>

#include <fstream>

#include "runtime/trace/export/flight_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::trace {

namespace {

finished_span numbered(std::uint64_t number) {
  finished_span out;
  out.trace = {number, number};
  out.span = number;
  out.name = "message";
  out.actor = "argosy.queue";
  out.process = "argosyd";
  out.start_nanos = static_cast<std::int64_t>(number);
  return out;
}

}  // namespace

TEST(flight_file, keeps_the_newest_spans_for_the_next_process) {
  const testing::temp_folder folder;
  const auto path = folder.path() / "flight.ring";
  {
    const auto file = flight_file::open(path);
    ASSERT_TRUE(file) << file.error().detail;
    std::vector<finished_span> spans;
    for (std::uint64_t i = 1; i <= flight_file::spans_max + 10; ++i) spans.push_back(numbered(i));
    (*file)->add(spans);
  }
  const auto file = flight_file::open(path);
  ASSERT_TRUE(file) << file.error().detail;
  const auto kept = (*file)->spans();
  ASSERT_EQ(kept.size(), flight_file::spans_max);
  EXPECT_EQ(kept.front(), numbered(11));
  EXPECT_EQ(kept.back(), numbered(flight_file::spans_max + 10));
  (*file)->clear();
  EXPECT_TRUE((*file)->spans().empty());
}

TEST(flight_file, takes_a_file_of_something_else_for_an_empty_one) {
  const testing::temp_folder folder;
  const auto path = folder.path() / "flight.ring";
  std::ofstream{path} << std::string(10'000, 'x');
  const auto file = flight_file::open(path);
  ASSERT_TRUE(file) << file.error().detail;
  EXPECT_TRUE((*file)->spans().empty());
  auto long_one = numbered(1);
  long_one.name = std::string(500, 'n');
  (*file)->add({long_one});
  EXPECT_EQ((*file)->spans().at(0).name, std::string(47, 'n'));
  EXPECT_FALSE(flight_file::open(folder.path() / "absent" / "flight.ring"));
}

}  // namespace argosy::trace
