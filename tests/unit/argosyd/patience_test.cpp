// SPDX-License-Identifier: Apache-2.0
// Goal: who waits for a server tries often at first and rarely later, and says at once and then
// ever more rarely that he waits. Method: failures at times that the test makes up.
#include "bins/argosyd/patience.hpp"

#include <gtest/gtest.h>

namespace argosy::argosyd {
namespace {

using namespace std::chrono_literals;

TEST(patience, pauses_grow_up_to_their_limit) {
  patience waiting;
  auto last = 0ms;
  for (int i = 0; i < 10; ++i) {
    const auto pause = waiting.failed(0ms).pause;
    EXPECT_TRUE(pause == 2 * last || last == 0ms || pause == patience::pause_max);
    EXPECT_LE(pause, patience::pause_max);
    last = pause;
  }
  EXPECT_EQ(last, patience::pause_max);
}

TEST(patience, tells_at_once_and_then_ever_more_rarely) {
  patience waiting;
  std::vector<std::chrono::seconds> told;
  for (auto at = 0s; at < 1h; at += 1s)
    if (waiting.failed(at).tell) told.push_back(at);
  ASSERT_GT(told.size(), 5u);
  EXPECT_EQ(told[0], 0s);
  EXPECT_EQ(told[1], 10s);
  EXPECT_EQ(told[2], 20s);
  EXPECT_EQ(told[3], 40s);
  EXPECT_LE(told.size(), 20u);
  EXPECT_LE(told.back() - told[told.size() - 2], patience::silence_max);
}

}  // namespace
}  // namespace argosy::argosyd
