// SPDX-License-Identifier: Apache-2.0
// Goal: items of streams let what is waited for go first, and are not held up for ever. Method:
// threads meet at the right of way, and a latch tells how far they have come.
#include "runtime/bus/nats/right_of_way.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

namespace argosy::bus {
namespace {

TEST(right_of_way, is_given_until_those_who_had_begun_are_through) {
  right_of_way way;
  way.give_way();
  std::optional<right_of_way::pass> first{std::in_place, way};
  std::promise<void> comes;
  std::atomic<bool> is_through{false};
  std::thread items{[&] {
    comes.set_value();
    way.give_way();
    is_through = true;
  }};
  comes.get_future().wait();
  EXPECT_FALSE(is_through);
  first.reset();
  items.join();
  EXPECT_TRUE(is_through);
}

TEST(right_of_way, of_those_who_come_later_holds_nobody_up) {
  right_of_way way;
  std::atomic<bool> stop{false};
  // There is always somebody who goes first, and each of them comes to an end.
  std::thread others{[&] {
    std::optional<right_of_way::pass> one{std::in_place, way};
    std::optional<right_of_way::pass> other;
    while (!stop) {
      other.emplace(way);
      one.emplace(way);
    }
  }};
  for (int i = 0; i < 100; ++i) way.give_way();
  stop = true;
  others.join();
}

}  // namespace
}  // namespace argosy::bus
