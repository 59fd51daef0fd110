// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/settled_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace argosy::scheduling {
namespace {

/// A list of numbers in ascending order beside a plain model of it, and what settling looks at.
struct watched_list {
  settled_list<int> list;
  std::set<int> alive;
  std::size_t comparisons = 0;

  void add(int value) {
    list.add(value);
    alive.insert(value);
  }
  void kill(int value) {
    list.one_died(value);
    alive.erase(value);
  }
  void settle() {
    comparisons = 0;
    list.settle([&](int a, int b) {
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
  world.kill(100'000);
  for (int i = 0; i < 10; ++i) world.add(50'001 + 2 * i);
  world.settle();
  EXPECT_EQ(world.listed(), world.expected());
  EXPECT_LE(world.comparisons, 101U * (17 + 10) + 10U * 17 + 40);
}

TEST(settled_list, looks_at_nothing_when_entries_come_at_the_end_only) {
  watched_list world;
  for (int i = 0; i < 1'000; ++i) world.add(i);
  world.settle();
  world.add(1'000);
  world.settle();
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

TEST(settled_list, keeps_an_entry_that_left_and_came_again) {
  watched_list world;
  for (int i = 0; i < 10; ++i) world.add(i);
  world.settle();
  for (int again = 0; again < 3; ++again) {
    world.kill(4);
    world.add(4);
  }
  world.settle();
  EXPECT_EQ(world.listed(), world.expected());
  world.add(11);
  world.kill(11);
  world.add(11);
  world.settle();
  EXPECT_EQ(world.listed(), world.expected());
}

/// Entries of one rank are told apart by their numbers.
struct numbered {
  int rank = 0;
  int number = 0;

  friend bool operator==(const numbered& a, const numbered& b) { return a.number == b.number; }
};

TEST(settled_list, tells_entries_of_one_rank_apart) {
  const auto before = [](const numbered& a, const numbered& b) { return a.rank < b.rank; };
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    settled_list<numbered> list;
    std::vector<numbered> alive;
    int next = 0;
    for (int batch = 0; batch < 20; ++batch) {
      // An entry is followed by another one of its rank, which is alone alive in the end.
      for (int rank = 0; rank < 6; ++rank) {
        for (auto times = random() % 4; times > 0; --times) {
          const auto old = std::find_if(alive.begin(), alive.end(),
                                        [&](const numbered& e) { return e.rank == rank; });
          if (old != alive.end()) {
            list.one_died(*old);
            alive.erase(old);
          }
          alive.push_back({rank, random() % 3 == 0 && next > 0 ? next : ++next});
          list.add(alive.back());
        }
      }
      list.settle(before);
      std::sort(alive.begin(), alive.end(), before);
      ASSERT_EQ(list.size(), alive.size()) << "seed " << seed;
      ASSERT_TRUE(std::equal(list.begin(), list.end(), alive.begin())) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace argosy::scheduling
