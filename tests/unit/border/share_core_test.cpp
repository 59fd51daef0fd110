// SPDX-License-Identifier: Apache-2.0
// Goal: nobody can take so much of what callers share that another gets nothing, and what is given
// back is there again. Method: the pure core and its queue, and places of the shares that any
// thread may take.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/border/fair_queue_core.hpp"
#include "runtime/border/share_core.hpp"
#include "runtime/border/shares.hpp"

namespace argosy::border {

using answer = share_core::answer;

/// Takes as much as the core gives, and returns how many places that were.
std::uint64_t take_all(share_core& from, const std::string& who, std::uint64_t bytes = 0) {
  std::uint64_t out = 0;
  while (from.take(who, bytes) == answer::taken) ++out;
  return out;
}

TEST(share_core, gives_one_caller_his_whole_share_and_no_more) {
  share_core core{twice(256, 1'000)};
  EXPECT_EQ(take_all(core, "greedy"), 256U);
  EXPECT_EQ(core.take("greedy"), answer::own_share_full);
  EXPECT_EQ(core.take("other"), answer::taken);
}

TEST(share_core, leaves_room_to_the_next_caller_however_many_are_greedy) {
  share_core core{twice(256, 1'000)};
  for (int i = 0; i < 100; ++i) {
    const auto who = "greedy " + std::to_string(i);
    EXPECT_GE(take_all(core, who), 1U) << who;
  }
  EXPECT_LE(core.places(), 768U);
  EXPECT_EQ(core.take("late"), answer::taken);
}

TEST(share_core, refuses_whoever_has_most_first_when_little_is_left) {
  share_core core{{10, 12}};
  EXPECT_EQ(take_all(core, "greedy"), 6U) << "half of all, though he may have ten";
  EXPECT_EQ(core.take("greedy"), answer::all_full);
  EXPECT_EQ(core.take("modest"), answer::taken);
  EXPECT_EQ(core.take("modest"), answer::taken);
  EXPECT_EQ(core.take("greedy"), answer::all_full);
}

TEST(share_core, counts_bytes_as_well_as_places) {
  share_core core{{100, 200, 10, 20}};
  EXPECT_EQ(take_all(core, "greedy", 4), 2U);
  EXPECT_EQ(core.take("greedy", 4), answer::own_share_full);
  EXPECT_EQ(core.take("greedy", 2), answer::taken);
  EXPECT_EQ(core.take("other", 10), answer::taken) << "what is left goes to who has nothing";
  EXPECT_EQ(core.take("third", 10), answer::taken) << "from the reserve";
  EXPECT_EQ(core.take("third", 1), answer::own_share_full);
  EXPECT_EQ(core.take("fourth", 1), answer::all_full);
}

TEST(share_core, takes_what_comes_alone_whatever_its_size) {
  share_core core{{2, 4, 10, 20}};
  EXPECT_EQ(core.take("a", 1'000), answer::taken);
  EXPECT_EQ(core.take("b", 1), answer::all_full);
  core.give_back("a", 1'000);
  EXPECT_EQ(core.take("b", 1), answer::taken);
}

TEST(share_core, knows_only_callers_who_have_something) {
  share_core core{{2, 4}};
  EXPECT_EQ(take_all(core, "a"), 2U);
  core.give_back("a");
  EXPECT_EQ(core.places_of("a"), 1U);
  core.give_back("a");
  EXPECT_EQ(core.places_of("a"), 0U);
  EXPECT_EQ(core.places(), 0U);
  EXPECT_EQ(take_all(core, "a"), 2U);
}

TEST(shares, give_a_place_back_with_its_last_copy) {
  const auto all = std::make_shared<shares>(share_limits{1, 2});
  auto first = all->take("a");
  ASSERT_TRUE(first.held);
  const auto refused = all->take("a");
  EXPECT_FALSE(refused.held);
  EXPECT_EQ(refused.answer, answer::own_share_full);
  auto copy = first.held;
  first.held.reset();
  EXPECT_EQ(all->places_of("a"), 1U);
  copy.reset();
  EXPECT_EQ(all->places(), 0U);
  EXPECT_TRUE(all->take("a").held);
}

TEST(fair_queue_core, lets_callers_take_turns) {
  fair_queue_core<std::string> queue;
  for (const auto* item : {"a1", "a2", "a3", "a4"}) queue.push("a", item);
  queue.push("b", "b1");
  queue.push("c", "c1");
  queue.push("b", "b2");
  std::vector<std::string> order;
  while (!queue.empty()) {
    order.push_back(queue.pop());
    // Whoever comes in between waits for one turn of each of the others.
    if (order.size() == 2) queue.push("d", "d1");
  }
  EXPECT_EQ(order, (std::vector<std::string>{"a1", "b1", "c1", "a2", "b2", "d1", "a3", "a4"}));
  EXPECT_EQ(queue.size(), 0U);
}

}  // namespace argosy::border
