// SPDX-License-Identifier: Apache-2.0
// Goal: whatever cuts ask for and whichever of them get lost, the COORDINATOR ends up with the
// newest state of every job, and a cut at a position never hides a lease. Method: deltas are
// published by hand; one test compares random histories with a plain map.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "runtime/ledger/queue/cut_ledger.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

job_upsert job_with(std::uint64_t number, std::uint32_t priority) {
  job_upsert out;
  out.header = std::make_shared<const model::job_header>(job_named(number));
  out.priority = priority;
  return out;
}

queue_delta changed(std::uint64_t number, std::uint32_t priority) {
  return {false, {{job_with(number, priority)}, {}}};
}

queue_delta removed(std::uint64_t number) {
  return {false, {{}, {job_id(number)}}};
}

/// The priorities that a cut sets, by job.
std::map<ulid, std::uint32_t> priorities(const job_changes& changes) {
  std::map<ulid, std::uint32_t> out;
  for (const auto& job : changes.set) out[job.header->id] = job.priority;
  return out;
}

using pairs = std::map<ulid, std::uint32_t>;

TEST(cut_ledger, asks_for_one_cut_however_much_changes) {
  cut_ledger cuts;
  EXPECT_FALSE(cuts.take_notice());
  cuts.publish(changed(1, 1), {10});
  EXPECT_TRUE(cuts.take_notice());
  cuts.publish(changed(2, 1), {11});
  EXPECT_FALSE(cuts.take_notice());
  (void)cuts.cut({11});
  EXPECT_FALSE(cuts.take_notice());
  cuts.publish({true, {}}, {12});
  EXPECT_TRUE(cuts.take_notice()) << "only the settings changed";
}

TEST(cut_ledger, gives_jobs_in_the_order_of_their_ids) {
  cut_ledger cuts;
  for (const std::uint64_t number : {7u, 3u, 9u, 1u, 8u, 2u, 6u, 4u, 5u}) {
    cuts.publish(changed(number, 1), {10});
    cuts.publish(removed(100 + number), {10});
  }
  const auto all = cuts.cut({10});
  ASSERT_EQ(all->set.size(), 9u);
  EXPECT_TRUE(std::ranges::is_sorted(all->set, {}, [](const auto& job) { return job.header->id; }));
  EXPECT_TRUE(std::ranges::is_sorted(all->removed));
}

TEST(cut_ledger, gives_the_newest_state_of_each_job_once) {
  cut_ledger cuts;
  cuts.publish(changed(1, 1), {10});
  cuts.publish(changed(1, 2), {11});
  cuts.publish(changed(2, 1), {11});
  cuts.publish(removed(2), {12});
  const auto first = cuts.cut({12});
  EXPECT_EQ(priorities(*first), (pairs{{job_id(1), 2}}));
  EXPECT_THAT(first->removed, ElementsAre(job_id(2)));
  cuts.arrived();
  EXPECT_THAT(cuts.cut({12})->set, IsEmpty());
}

TEST(cut_ledger, keeps_what_is_behind_the_position_for_the_next_cut) {
  cut_ledger cuts;
  cuts.publish(changed(1, 1), {10});
  cuts.publish(changed(2, 1), {11});
  EXPECT_EQ(priorities(*cuts.cut({10})), (pairs{{job_id(1), 1}}));
  EXPECT_TRUE(cuts.take_notice());
  cuts.arrived();
  EXPECT_EQ(priorities(*cuts.cut({11})), (pairs{{job_id(2), 1}}));
}

TEST(cut_ledger, tells_which_positions_a_cut_is_of) {
  cut_ledger cuts;
  cuts.publish(changed(1, 1), {10});
  cuts.publish(changed(2, 1), {12});
  (void)cuts.cut({11});
  EXPECT_EQ(cuts.last_range().since.value, 10U);
  EXPECT_EQ(cuts.last_range().position.value, 11U);
  cuts.arrived();
  (void)cuts.cut({13});
  EXPECT_EQ(cuts.last_range().since.value, 12U);
  EXPECT_EQ(cuts.last_range().position.value, 13U);
  cuts.arrived();
  (void)cuts.cut({14});
  EXPECT_EQ(cuts.last_range().since.value, 0U) << "nothing had changed";
  cuts.arrived();
  cuts.publish({true, {}}, {15});
  (void)cuts.cut({16});
  EXPECT_EQ(cuts.last_range().since.value, 15U) << "the settings had";
}

TEST(cut_ledger, a_cut_of_a_job_that_changed_on_both_sides_is_of_the_last_commit) {
  cut_ledger cuts;
  cuts.publish(changed(1, 1), {10});
  cuts.publish(changed(1, 2), {14});
  (void)cuts.cut({12});
  EXPECT_EQ(cuts.last_range().since.value, 10U);
  EXPECT_EQ(cuts.last_range().position.value, 14U);
}

TEST(cut_ledger, what_a_gang_reports_is_no_event) {
  cut_ledger cuts;
  cuts.publish(changed(1, 1), {10});
  (void)cuts.cut({11});
  cuts.arrived();
  cuts.publish_report(changed(1, 2), {10});
  EXPECT_EQ(priorities(*cuts.cut({12})), (pairs{{job_id(1), 2}}));
  EXPECT_EQ(cuts.last_range().since.value, 0U);
}

TEST(cut_ledger, a_cut_that_was_lost_counts_with_the_next_one) {
  cut_ledger cuts;
  cuts.publish(changed(1, 1), {10});
  (void)cuts.cut({11});
  cuts.publish(changed(2, 1), {12});
  (void)cuts.cut({13});
  EXPECT_EQ(cuts.last_range().since.value, 10U);
}

TEST(cut_ledger, gives_everything_when_a_job_changed_on_both_sides_of_the_position) {
  cut_ledger cuts;
  cuts.publish(changed(1, 1), {10});
  cuts.publish(changed(1, 2), {12});
  cuts.publish(changed(2, 7), {12});
  EXPECT_EQ(priorities(*cuts.cut({11})), (pairs{{job_id(1), 2}, {job_id(2), 7}}));
}

TEST(cut_ledger, hands_a_lost_cut_out_again_under_what_came_since) {
  cut_ledger cuts;
  cuts.publish(changed(1, 1), {10});
  cuts.publish(changed(2, 1), {10});
  cuts.publish(removed(3), {10});
  (void)cuts.cut({10});
  cuts.publish(changed(2, 5), {20});
  const auto again = cuts.cut({10});
  EXPECT_EQ(priorities(*again), (pairs{{job_id(1), 1}, {job_id(2), 5}}))
      << "a change behind the position of a job that the lost cut held must not stay hidden";
  EXPECT_THAT(again->removed, ElementsAre(job_id(3)));
  cuts.arrived();
  EXPECT_THAT(cuts.cut({30})->set, IsEmpty());
}

TEST(cut_ledger, brings_every_history_to_the_newest_state) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
    cut_ledger cuts;
    pairs truth, told;
    std::uint64_t position = 1;
    const auto take = [&](std::uint64_t at, bool lost) {
      const auto out = cuts.cut({at});
      if (lost) return;
      for (const auto& id : out->removed) told.erase(id);
      for (const auto& [id, priority] : priorities(*out)) told[id] = priority;
      cuts.arrived();
    };
    for (int step = 0; step < 60; ++step) {
      const auto job = 1 + below(5);
      if (below(3) == 0) {
        take(position - below(3) % position, below(2) == 0);
      } else if (below(4) == 0) {
        cuts.publish(removed(job), {++position});
        truth.erase(job_id(job));
      } else {
        truth[job_id(job)] = below(100);
        cuts.publish(changed(job, truth[job_id(job)]), {++position});
      }
    }
    take(position, false);
    EXPECT_EQ(told, truth);
  }
}

}  // namespace
}  // namespace argosy::ledger
