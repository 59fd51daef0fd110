// SPDX-License-Identifier: Apache-2.0
// Goal: the log has a line when a concern comes, seldom while it lasts, and when it has gone.
// Method: concerns and times that the test makes up.
#include "bins/shared/concern_log.hpp"

#include <gtest/gtest.h>

namespace argosy {
namespace {

using namespace std::chrono_literals;

health::concern disk(bool bad, const std::string& text) {
  return {bad, "disk", "/data", text};
}

TEST(concern_log, tells_what_is_new_and_again_once_a_day) {
  concern_log log;
  const boot_time now{1'000s};
  EXPECT_EQ(log.look({disk(false, "a")}, now).size(), 1u);
  EXPECT_TRUE(log.look({disk(false, "b")}, now + 1min).empty()) << "only the text has changed";
  EXPECT_TRUE(log.look({disk(false, "b")}, now + 23h).empty());
  const auto again = log.look({disk(false, "c")}, now + 24h);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].what.text, "c");
  EXPECT_FALSE(again[0].gone);
}

TEST(concern_log, tells_when_it_becomes_bad_and_each_hour_then) {
  concern_log log;
  const boot_time now{1'000s};
  EXPECT_EQ(log.look({disk(false, "a")}, now).size(), 1u);
  EXPECT_EQ(log.look({disk(true, "a")}, now + 1s).size(), 1u);
  EXPECT_TRUE(log.look({disk(true, "a")}, now + 30min).empty());
  EXPECT_EQ(log.look({disk(true, "a")}, now + 61min).size(), 1u);
}

TEST(concern_log, tells_once_when_it_has_gone) {
  concern_log log;
  const boot_time now{1'000s};
  EXPECT_EQ(log.look({disk(true, "a"), {false, "reader", "1", "r"}}, now).size(), 2u);
  const auto lines = log.look({disk(true, "a")}, now + 1s);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].gone);
  EXPECT_EQ(lines[0].what.text, "r");
  EXPECT_TRUE(log.look({disk(true, "a")}, now + 2s).empty());
}

}  // namespace
}  // namespace argosy
