// SPDX-License-Identifier: Apache-2.0
// Goal: so much happens at once and in a second as the rule says, and whoever waits as long as he
// is told finds his place. Method: times as arguments.
#include "runtime/base/token_bucket.hpp"

#include <gtest/gtest.h>

namespace argosy {
namespace {

using namespace std::chrono_literals;

TEST(token_bucket, lets_a_burst_through_and_then_so_many_in_a_second) {
  token_bucket bucket{{3, 2}};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(0s));
  EXPECT_FALSE(bucket.take(0s));
  const auto first = bucket.until_next();
  EXPECT_GE(first, 500ms);
  EXPECT_LT(first, 501ms);
  EXPECT_TRUE(bucket.take(first));
  EXPECT_FALSE(bucket.take(600ms));
  int through = 0;
  for (boot_time at{10s}; at < boot_time{20s}; at += 10ms) through += bucket.take(at) ? 1 : 0;
  EXPECT_NEAR(through, 3 + 20, 1);
}

TEST(token_bucket, survives_a_clock_that_stands_still_or_goes_back) {
  token_bucket bucket{{1, 1}};
  EXPECT_TRUE(bucket.take(10s));
  EXPECT_FALSE(bucket.take(5s));
  EXPECT_TRUE(bucket.take(boot_time{6s} + 1us));
}

}  // namespace
}  // namespace argosy
