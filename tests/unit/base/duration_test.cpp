// SPDX-License-Identifier: Apache-2.0
// Goal: durations are read as people type them, and nothing else is. Method: examples of each unit
// and of what is close to a duration.
#include "runtime/base/duration.hpp"

#include <gtest/gtest.h>

namespace argosy {
namespace {

using namespace std::chrono_literals;

TEST(duration, is_a_number_with_a_unit_or_seconds) {
  EXPECT_EQ(*parse_duration("30"), 30s);
  EXPECT_EQ(*parse_duration("500ms"), 500ms);
  EXPECT_EQ(*parse_duration("1.5m"), 90s);
  EXPECT_EQ(*parse_duration("2h"), 2h);
  EXPECT_EQ(*parse_duration("0"), 0s);
  for (const auto* bad : {"", "s", "-1s", "5 s", "1y", "nan", "inf", "1e9d", "1000000000d", "1e3"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(duration, is_at_most_a_thousand_days) {
  EXPECT_EQ(*parse_duration("1000d"), 24h * 1000);
  for (const auto* const long_one : {"1001d", "86400001", "99999999999999999999999999h"})
    EXPECT_NE(parse_duration(long_one).error().detail.find("is longer than 1000d"),
              std::string::npos)
        << long_one;
}

}  // namespace
}  // namespace argosy
