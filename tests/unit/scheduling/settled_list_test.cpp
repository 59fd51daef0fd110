// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/settled_list.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace argosy::scheduling {
namespace {

/// A list of numbers in ascending order beside a plain model of it, and what settling looks at.
struct watched_list {
  settled_list<int> list;
  std::set<int> alive;
  std::size_t questions = 0;
  std::size_t comparisons = 0;

  void add(int value) {
    list.add(value);
    alive.insert(value);
  }
  void kill(int value) {
    list.one_died();
    alive.erase(value);
  }
  void settle() {
    questions = 0;
    comparisons = 0;
    list.settle(
        [&](int value) {
          ++questions;
          return alive.count(value) != 0;
        },
        [&](int a, int b) {
          ++comparisons;
          return a < b;
        });
  }
  [[nodiscard]] std::vector<int> listed() const { return {list.begin(), list.end()}; }
  [[nodiscard]] std::vector<int> expected() const { return {alive.begin(), alive.end()}; }
};

TEST(settled_list, has_what_is_alive_in_order_after_any_batch) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    watched_list world;
    int next = 0;
    for (int batch = 0; batch < 200; ++batch) {
      const auto added = random() % 20;
      for (unsigned i = 0; i < added; ++i) {
        // Each number is used once, as a slot is until the list is settled.
        const int where = random() % 3 == 0 ? -1 : 1;
        world.add(where * ++next);
      }
      const auto died = random() % 25;
      for (unsigned i = 0; i < died && !world.alive.empty(); ++i) {
        auto victim = world.alive.begin();
        if (random() % 2 == 0)
          std::advance(victim, static_cast<int>(random() % world.alive.size()));
        world.kill(*victim);
      }
      world.settle();
      ASSERT_EQ(world.listed(), world.expected()) << "seed " << seed << ", batch " << batch;
      ASSERT_EQ(world.list.size(), world.alive.size());
      ASSERT_EQ(world.list.empty(), world.alive.empty());
      if (!world.list.empty()) {
        ASSERT_EQ(world.list[0], *world.alive.begin());
        ASSERT_EQ(world.list.data(), &world.list[0]);
      }
    }
  }
}

TEST(settled_list, looks_at_few_entries_when_those_in_front_leave_and_others_come) {
  watched_list world;
  for (int i = 0; i < 100'000; ++i) world.add(2 * i);
  world.settle();
  for (int i = 0; i < 100; ++i) world.kill(2 * i);
  for (int i = 0; i < 10; ++i) world.add(50'001 + 2 * i);
  world.settle();
  EXPECT_EQ(world.listed(), world.expected());
  EXPECT_LE(world.questions, 200U);
  EXPECT_LE(world.comparisons, 10U * 17 + 40);
}

TEST(settled_list, looks_at_nothing_when_entries_come_at_the_end_only) {
  watched_list world;
  for (int i = 0; i < 1'000; ++i) world.add(i);
  world.settle();
  world.add(1'000);
  world.settle();
  EXPECT_EQ(world.questions, 0U);
  EXPECT_LE(world.comparisons, 2U);
  EXPECT_EQ(world.listed(), world.expected());
}

TEST(settled_list, forgets_an_entry_that_died_before_it_was_in_order) {
  watched_list world;
  world.add(3);
  world.add(1);
  world.kill(3);
  world.settle();
  EXPECT_EQ(world.listed(), std::vector<int>{1});
}

}  // namespace
}  // namespace argosy::scheduling
