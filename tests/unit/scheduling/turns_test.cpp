// SPDX-License-Identifier: Apache-2.0
// Goal: the queue whose turn it is comes first, however queues come, go and change their ranks.
// Method: random changes, and a sorted set of the same ranks.
#include "runtime/scheduling/engine/queues/turns.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace argosy::scheduling::engine {
namespace {

TEST(turns, give_the_first_of_the_queues_that_are_there) {
  std::mt19937 random(7);
  constexpr std::uint32_t queues = 40;
  const auto any_rank = [&](std::uint32_t queue) {
    return turn_rank{static_cast<std::int32_t>(random() % 3), 0, static_cast<double>(random() % 5),
                     0, queue};
  };
  turns order(queues);
  std::map<std::uint32_t, turn_rank> ranks;
  for (std::uint32_t queue = 0; queue < queues; queue += 2) ranks.emplace(queue, any_rank(queue));
  std::vector<turn_rank> at_first;
  for (const auto& [queue, rank] : ranks) at_first.push_back(rank);
  order.assign(at_first);
  for (int step = 0; step < 20'000; ++step) {
    const auto queue = static_cast<std::uint32_t>(random() % queues);
    if (random() % 3 == 0) {
      order.remove(queue);
      ranks.erase(queue);
    } else {
      const auto rank = any_rank(queue);
      order.put(rank);
      ranks.insert_or_assign(queue, rank);
    }
    std::set<turn_rank> sorted;
    for (const auto& [number, rank] : ranks) sorted.insert(rank);
    ASSERT_EQ(order.size(), ranks.size());
    ASSERT_EQ(order.contains(queue), ranks.contains(queue));
    if (!sorted.empty()) ASSERT_EQ(order.first().queue, sorted.begin()->queue);
  }
}

TEST(turns, guests_come_last_and_the_higher_priority_first) {
  turns order(3);
  order.put({5, 0, 0.1, 0, 0, true});
  order.put({1, 0, 0.1, 0, 1});
  order.put({2, 0, 0.9, 0, 2});
  EXPECT_EQ(order.first().queue, 2u);
  order.remove(2);
  EXPECT_EQ(order.first().queue, 1u);
  order.remove(1);
  EXPECT_EQ(order.first().queue, 0u);
}

TEST(turns, what_runs_comes_first_where_all_else_is_equal) {
  turns order(2);
  order.put({.cost = 0.5, .queue = 0, .starts = true});
  order.put({.cost = 0.5, .queue = 1});
  EXPECT_EQ(order.first().queue, 1u);
}

}  // namespace
}  // namespace argosy::scheduling::engine
