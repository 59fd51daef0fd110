// SPDX-License-Identifier: Apache-2.0
// Goal: a part that hangs is named once for each message. Method: readings by hand.
#include <gtest/gtest.h>

#include "runtime/trace/stuck_watch.hpp"

namespace argosy::trace {

namespace {

using namespace std::chrono_literals;

actor_reading busy(std::uint64_t id, std::chrono::nanoseconds since, std::uint64_t handled = 0) {
  actor_reading out;
  out.type = "argosy.queue";
  out.id = id;
  out.message = "place";
  out.depth = 3;
  out.busy_nanos = since.count();
  out.handled = handled;
  return out;
}

}  // namespace

TEST(stuck_watch, tells_of_a_part_once_for_each_message) {
  stuck_watch watch{30s};
  EXPECT_TRUE(watch.look({busy(1, 29s)}).empty());
  ASSERT_EQ(watch.look({busy(1, 31s), busy(2, 1s)}).size(), 1u);
  EXPECT_TRUE(watch.look({busy(1, 32s)}).empty());
  EXPECT_EQ(watch.look({busy(1, 33s, 1)}).size(), 1u) << "it hangs at the next message";
}

TEST(stuck_watch, names_the_part_and_the_message) {
  const actor_readings readings{busy(1, 31s), busy(7, 40s), busy(2, 1s)};
  const auto* longest = longest_at_work(readings, 30s);
  ASSERT_NE(longest, nullptr);
  EXPECT_EQ(stuck_text(*longest),
            "the queue (id 7) has been at 'place' for 40.0 s, and 2 messages wait behind it");
  EXPECT_EQ(longest_at_work(readings, 50s), nullptr);
}

}  // namespace argosy::trace
