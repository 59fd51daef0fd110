// SPDX-License-Identifier: Apache-2.0
// Goal: nobody is sent more than his rate, whatever the sizes, and nobody pays for another. Method:
// plain calls with times of our own.
#include "runtime/border/answer_rate_core.hpp"

#include <gtest/gtest.h>

namespace argosy::border {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t second_worth = 1'000;
constexpr answer_rate small{second_worth, seconds{4}};

TEST(answer_rate_core, lets_the_first_seconds_go_at_once_and_then_a_rate) {
  answer_rate_core rate{small};
  EXPECT_EQ(rate.wait("mal", seconds{10}), seconds{0});
  rate.sent("mal", 4 * second_worth, seconds{10});
  EXPECT_EQ(rate.wait("mal", seconds{10}), seconds{0});
  rate.sent("mal", second_worth, seconds{10});
  EXPECT_EQ(rate.wait("mal", seconds{10}), seconds{1});
  EXPECT_EQ(rate.wait("ann", seconds{10}), seconds{0}) << "she was sent nothing";
  EXPECT_EQ(rate.wait("mal", milliseconds{10'500}), milliseconds{500});
  EXPECT_EQ(rate.wait("mal", seconds{11}), seconds{0});
}

TEST(answer_rate_core, gives_no_more_over_time_whatever_the_sizes) {
  for (const std::uint64_t size : {1U, 7U, 999U, 50'000U}) {
    answer_rate_core rate{small};
    std::uint64_t all = 0;
    for (milliseconds now{0}; now < seconds{100}; now += milliseconds{1})
      for (; rate.wait("mal", now) == seconds{0}; all += size) rate.sent("mal", size, now);
    EXPECT_LE(all, 104 * second_worth + size) << size;
    EXPECT_GE(all, 99 * second_worth) << size;
  }
}

TEST(answer_rate_core, saves_nothing_up_and_forgets_who_has_paid) {
  answer_rate_core rate{small};
  for (int i = 0; i < 1'000; ++i) rate.sent("at " + std::to_string(i), second_worth, seconds{10});
  EXPECT_EQ(rate.callers(), 1'000u);
  rate.sent("mal", 6 * second_worth, seconds{1'000});
  EXPECT_EQ(rate.callers(), 1u);
  EXPECT_EQ(rate.wait("mal", seconds{1'000}), seconds{2}) << "a long silence saves nothing up";
}

}  // namespace
}  // namespace argosy::border
