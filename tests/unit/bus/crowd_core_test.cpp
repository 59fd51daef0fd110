// SPDX-License-Identifier: Apache-2.0
// Goal: whoever floods a subscription loses his own frames and nobody else's. Method: plain calls.
#include "runtime/bus/nats/crowd_core.hpp"

#include <gtest/gtest.h>

namespace argosy::bus {
namespace {

using std::chrono::milliseconds;

constexpr auto many = crowd_core::crowded_from;

TEST(crowd_core, takes_all_while_it_is_not_crowded) {
  crowd_core crowd;
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(crowd.takes("mal", many - 1, milliseconds{0}));
}

TEST(crowd_core, leaves_out_who_sends_most_and_nobody_else) {
  crowd_core crowd;
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) taken += crowd.takes("mal", many, milliseconds{1'000});
  EXPECT_EQ(taken, static_cast<int>(crowd_core::taken_of_each));
  EXPECT_TRUE(crowd.takes("ann", many, milliseconds{1'000}));
  EXPECT_TRUE(crowd.takes("mal", many - 1, milliseconds{1'000})) << "there is room again";
  EXPECT_FALSE(crowd.takes("mal", many, milliseconds{1'099}));
  EXPECT_TRUE(crowd.takes("mal", many, milliseconds{1'100})) << "in the next period";
}

}  // namespace
}  // namespace argosy::bus
