// SPDX-License-Identifier: Apache-2.0
// Goal: whoever floods a subscription loses his own frames and nobody else's. Method: plain calls.
#include "runtime/bus/nats/crowd_core.hpp"

#include <gtest/gtest.h>

namespace argosy::bus {
namespace {

using std::chrono::milliseconds;

using amount = crowd_core::amount;

constexpr std::size_t small = 100;
constexpr amount crowd_of_small{crowd_core::crowded_from.frames, 0};
constexpr amount crowd_of_large{3, crowd_core::crowded_from.bytes};
constexpr amount room{crowd_core::crowded_from.frames - 1, crowd_core::crowded_from.bytes - 1};

TEST(crowd_core, takes_all_while_it_is_not_crowded) {
  crowd_core crowd;
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(crowd.takes("mal", 8u << 20, room, milliseconds{0}));
}

TEST(crowd_core, leaves_out_who_sends_most_and_nobody_else) {
  for (const auto& waiting : {crowd_of_small, crowd_of_large}) {
    crowd_core crowd;
    std::size_t taken = 0;
    for (int i = 0; i < 10'000; ++i)
      taken += crowd.takes("mal", small, waiting, milliseconds{1'000}) ? 1 : 0;
    EXPECT_EQ(taken, crowd_core::taken_of_each.frames);
    EXPECT_TRUE(crowd.takes("ann", small, waiting, milliseconds{1'000}));
    EXPECT_TRUE(crowd.takes("mal", small, room, milliseconds{1'000})) << "there is room again";
    EXPECT_FALSE(crowd.takes("mal", small, waiting, milliseconds{1'099}));
    EXPECT_TRUE(crowd.takes("mal", small, waiting, milliseconds{1'100})) << "in the next period";
  }
}

TEST(crowd_core, takes_one_large_frame_of_everybody_in_a_period) {
  crowd_core crowd;
  for (const auto* who : {"mal", "ann"})
    EXPECT_TRUE(crowd.takes(who, 8u << 20, crowd_of_large, milliseconds{0}));
  for (const auto* who : {"mal", "ann"})
    EXPECT_FALSE(crowd.takes(who, small, crowd_of_large, milliseconds{99}));
  for (const auto* who : {"mal", "ann"})
    EXPECT_TRUE(crowd.takes(who, 8u << 20, crowd_of_large, milliseconds{100}));
}

}  // namespace
}  // namespace argosy::bus
