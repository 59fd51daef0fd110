// SPDX-License-Identifier: Apache-2.0
// Goal: an EXECUTOR that is shut down says goodbye once, in time, and not before it has reported
// what it can. Method: inputs in order.
#include "runtime/ledger/agent/departure_core.hpp"

#include <gtest/gtest.h>

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;

constexpr boot_time now{100s};

TEST(departure, of_an_executor_that_serves_never_comes) {
  departure_core core{10s};
  EXPECT_TRUE(core.is_serving());
  EXPECT_FALSE(core.say_goodbye({0, 0}, now + 1h));
  EXPECT_EQ(core.due(), boot_time::max());
}

TEST(departure, that_keeps_runs_comes_at_once) {
  departure_core core{10s};
  EXPECT_TRUE(core.begin(runs_at_shutdown::keep, now));
  EXPECT_FALSE(core.is_serving());
  EXPECT_FALSE(core.refuses_starts());
  EXPECT_EQ(core.due(), now);
  EXPECT_TRUE(core.say_goodbye({5, 5}, now));
  EXPECT_FALSE(core.say_goodbye({0, 0}, now)) << "it is said once";
  EXPECT_EQ(core.due(), boot_time::max());
}

TEST(departure, that_stops_runs_waits_for_their_ends_to_be_acknowledged) {
  departure_core core{10s};
  EXPECT_TRUE(core.begin(runs_at_shutdown::stop, now));
  EXPECT_TRUE(core.refuses_starts());
  EXPECT_FALSE(core.say_goodbye({1, 0}, now + 1s));
  EXPECT_FALSE(core.say_goodbye({0, 1}, now + 2s));
  EXPECT_TRUE(core.say_goodbye({0, 0}, now + 3s));
}

TEST(departure, that_stops_runs_does_not_wait_beyond_the_deadline) {
  departure_core core{10s};
  EXPECT_TRUE(core.begin(runs_at_shutdown::stop, now));
  EXPECT_EQ(core.due(), now + 10s);
  EXPECT_FALSE(core.say_goodbye({1, 1}, now + 10s - 1ns));
  EXPECT_TRUE(core.say_goodbye({1, 1}, now + 10s));
}

TEST(departure, waits_a_second_for_the_answer_to_a_first_hello) {
  departure_core core{10s};
  EXPECT_TRUE(core.begin(runs_at_shutdown::keep, now));
  EXPECT_FALSE(core.say_goodbye({0, 0, true}, now));
  EXPECT_EQ(core.due(), now + 1s);
  EXPECT_FALSE(core.say_goodbye({0, 0, true}, now + 1s - 1ns));
  EXPECT_TRUE(core.say_goodbye({0, 0, true}, now + 1s));
}

TEST(departure, comes_with_the_answer_to_a_first_hello) {
  departure_core core{10s};
  EXPECT_TRUE(core.begin(runs_at_shutdown::stop, now));
  EXPECT_FALSE(core.say_goodbye({1, 0, true}, now));
  EXPECT_FALSE(core.say_goodbye({1, 0, false}, now + 1ms));
  EXPECT_EQ(core.due(), now + 10s);
  EXPECT_TRUE(core.say_goodbye({0, 0, false}, now + 2ms));
}

TEST(departure, begins_once) {
  departure_core core{10s};
  EXPECT_TRUE(core.begin(runs_at_shutdown::keep, now));
  EXPECT_FALSE(core.begin(runs_at_shutdown::stop, now));
  EXPECT_FALSE(core.refuses_starts());
}

TEST(departure, that_is_abrupt_has_no_goodbye) {
  departure_core core{10s};
  core.end_abruptly();
  EXPECT_FALSE(core.is_serving());
  EXPECT_FALSE(core.begin(runs_at_shutdown::stop, now));
  EXPECT_FALSE(core.say_goodbye({0, 0}, now));
}

}  // namespace
}  // namespace argosy::ledger
