// SPDX-License-Identifier: Apache-2.0
// Goal: levels of the log can be changed for a time, and the last lines are kept. Method: a log in
// a file, and loggers of names that only this test has.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/logging/levels.hpp"
#include "runtime/logging/recent_lines.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::logging {

namespace {

using namespace std::chrono_literals;

class log_levels : public ::testing::Test {
 protected:
  log_levels() {
    options wanted;
    wanted.file = (folder.path() / "log").string();
    EXPECT_TRUE(setup(wanted));
  }
  ~log_levels() override { EXPECT_TRUE(setup({})); }

  static component_level of(const std::string& name) {
    for (const auto& one : levels())
      if (one.component == name) return one;
    return {};
  }

  argosy::testing::temp_folder folder;
  logger one{"levels-one"};
  logger two{"levels-two"};
};

TEST_F(log_levels, of_one_component_change) {
  ASSERT_TRUE(set_level("levels-one", level::debug, 0s));
  EXPECT_TRUE(one.enabled(level::debug));
  EXPECT_FALSE(two.enabled(level::debug));
  EXPECT_TRUE(of("levels-one").changed);
  EXPECT_EQ(of("levels-one").left, 0s);
  EXPECT_FALSE(of("levels-two").changed);
}

TEST_F(log_levels, of_all_components_change) {
  ASSERT_TRUE(set_level("", level::error, 10min));
  EXPECT_FALSE(one.enabled(level::warning));
  EXPECT_FALSE(two.enabled(level::warning));
  EXPECT_GT(of("levels-two").left, 9min);
}

TEST_F(log_levels, are_again_what_they_were_after_the_time) {
  ASSERT_TRUE(set_level("levels-one", level::debug, 1ns));
  EXPECT_FALSE(of("levels-one").changed);
  EXPECT_FALSE(one.enabled(level::debug));
}

TEST_F(log_levels, of_an_unknown_component_are_refused) {
  const auto set = set_level("levels-none", level::debug, 0s);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ec::not_found);
  EXPECT_NE(set.error().detail.find("levels-one"), std::string::npos) << set.error().detail;
}

TEST_F(log_levels, recent_lines_are_the_last_ones) {
  options unlimited;
  unlimited.lines_per_second = 0;
  unlimited.file = (folder.path() / "log").string();
  ASSERT_TRUE(setup(unlimited));
  for (std::size_t i = 0; i < recent_lines_max + 5; ++i) one.info("a line", kv("number", i));
  one.info(std::string(3 * recent_line_bytes_max, 'x'));
  const auto lines = recent_lines();
  ASSERT_EQ(lines.size(), recent_lines_max);
  EXPECT_NE(lines.at(lines.size() - 2).find(std::to_string(recent_lines_max + 4)),
            std::string::npos);
  EXPECT_LE(lines.back().size(), recent_line_bytes_max + 4);
}

}  // namespace

}  // namespace argosy::logging
