// SPDX-License-Identifier: Apache-2.0
// Goal: every report of an agent is taken once and in order, and acknowledged when all up to it are
// committed. Method: sequences in order.
#include "runtime/ledger/cluster/report_window.hpp"

#include <gtest/gtest.h>

namespace argosy::ledger {
namespace {

/// Takes these sequences and forwards them.
void forward(report_window& window, std::initializer_list<std::uint64_t> sequences) {
  for (const auto sequence : sequences) {
    EXPECT_EQ(window.take(sequence), report_place::next);
    window.forwarded(sequence);
  }
}

TEST(report_window, begins_where_the_outbox_begins) {
  report_window window;
  EXPECT_EQ(window.take(41), report_place::next);
  EXPECT_EQ(window.committed(), 41U) << "it goes to no QUEUE, so that nothing is awaited";
  EXPECT_EQ(window.take(43), report_place::behind_a_gap);
  EXPECT_EQ(window.take(41), report_place::taken_before);
  window.reset();
  EXPECT_EQ(window.take(7), report_place::next);
  EXPECT_EQ(window.committed(), 7U);
}

TEST(report_window, acknowledges_up_to_the_first_report_that_is_not_committed) {
  report_window window;
  forward(window, {1, 2, 3});
  EXPECT_FALSE(window.has_news());
  window.commit({2, 3});
  EXPECT_FALSE(window.has_news()) << "the first is still under way";
  window.commit({1});
  EXPECT_TRUE(window.has_news());
  EXPECT_EQ(window.acknowledge(), 3U);
  EXPECT_FALSE(window.has_news()) << "it is told once";
}

TEST(report_window, awaits_a_lost_report_and_all_behind_it_again) {
  report_window window;
  forward(window, {1, 2, 3});
  window.commit({1});
  window.lose({2});
  EXPECT_EQ(window.received(), 1U);
  forward(window, {2, 3});
  window.commit({2, 3});
  EXPECT_EQ(window.acknowledge(), 3U);
  window.lose({2});
  EXPECT_EQ(window.received(), 3U) << "what is committed cannot be lost any more";
}

}  // namespace
}  // namespace argosy::ledger
