// SPDX-License-Identifier: Apache-2.0
// Goal: a gang knows when it is complete, when all of it waits again and when it is over. Method:
// members come, start, return and end in every order; signals are compared.
#include <gtest/gtest.h>

#include "runtime/ledger/gang_core.hpp"

namespace argosy::ledger {
namespace {

ulid member_id(std::uint64_t number) {
  return ulid_from_hash(1, 0, number);
}

model::gang_info info_of(std::uint32_t cardinality, std::uint32_t minimum) {
  model::gang_info info;
  info.id = "g";
  info.cardinality = cardinality;
  info.minimum_cardinality = minimum;
  return info;
}

TEST(gang_core, is_ready_with_its_last_member) {
  gang_core gang{info_of(3, 3)};
  EXPECT_EQ(gang.member(member_id(1)), gang_signal::none);
  EXPECT_EQ(gang.missing(), 2U);
  EXPECT_EQ(gang.member(member_id(1)), gang_signal::none) << "repeated";
  EXPECT_EQ(gang.member(member_id(2)), gang_signal::none);
  EXPECT_FALSE(gang.complete());
  EXPECT_EQ(gang.member(member_id(3)), gang_signal::ready);
  EXPECT_TRUE(gang.complete());
  EXPECT_EQ(gang.missing(), 0U);
}

TEST(gang_core, waits_for_another_when_one_ends_before_the_start) {
  gang_core gang{info_of(2, 2)};
  EXPECT_EQ(gang.member(member_id(1)), gang_signal::none);
  EXPECT_EQ(gang.member(member_id(2)), gang_signal::ready);
  EXPECT_EQ(gang.ended(member_id(1)), gang_signal::none);
  EXPECT_FALSE(gang.complete());
  EXPECT_EQ(gang.member(member_id(3)), gang_signal::ready);
}

TEST(gang_core, is_done_with_its_last_member) {
  gang_core gang{info_of(2, 2)};
  EXPECT_EQ(gang.member(member_id(1)), gang_signal::none);
  EXPECT_EQ(gang.ended(member_id(9)), gang_signal::none) << "a stranger";
  EXPECT_EQ(gang.ended(member_id(1)), gang_signal::done);
}

TEST(gang_core, is_ready_again_when_all_live_members_wait) {
  gang_core gang{info_of(3, 3)};
  for (std::uint64_t i = 1; i <= 3; ++i) (void)gang.member(member_id(i));
  for (std::uint64_t i = 1; i <= 3; ++i) EXPECT_EQ(gang.started(member_id(i)), gang_signal::none);
  EXPECT_EQ(gang.placed_count(), 3U);
  EXPECT_EQ(gang.started(member_id(1)), gang_signal::none) << "repeated";
  EXPECT_EQ(gang.placed_count(), 3U);
  EXPECT_EQ(gang.requeued(member_id(1)), gang_signal::none);
  EXPECT_EQ(gang.requeued(member_id(1)), gang_signal::none) << "repeated";
  EXPECT_EQ(gang.ended(member_id(2)), gang_signal::none);
  EXPECT_EQ(gang.requeued(member_id(3)), gang_signal::ready) << "the one that ended is not missed";
  EXPECT_EQ(gang.live_count(), 2U);
  EXPECT_EQ(gang.ended(member_id(1)), gang_signal::ready);
  EXPECT_EQ(gang.ended(member_id(3)), gang_signal::done);
}

TEST(gang_core, is_ready_when_the_last_placed_member_ends) {
  gang_core gang{info_of(2, 2)};
  for (std::uint64_t i = 1; i <= 2; ++i) (void)gang.member(member_id(i));
  for (std::uint64_t i = 1; i <= 2; ++i) (void)gang.started(member_id(i));
  EXPECT_EQ(gang.requeued(member_id(1)), gang_signal::none);
  EXPECT_EQ(gang.ended(member_id(2)), gang_signal::ready);
}

TEST(gang_core, follows_from_live_jobs_at_recovery) {
  gang_core waiting{info_of(2, 2)};
  waiting.restore(member_id(1), false, false);
  EXPECT_EQ(waiting.signal(), gang_signal::none);
  waiting.restore(member_id(2), false, false);
  EXPECT_EQ(waiting.signal(), gang_signal::ready);
  gang_core started{info_of(3, 3)};
  started.restore(member_id(1), true, true);
  started.restore(member_id(1), true, true);
  EXPECT_EQ(started.placed_count(), 1U);
  EXPECT_TRUE(started.complete());
  EXPECT_EQ(started.signal(), gang_signal::none);
  EXPECT_EQ(started.requeued(member_id(1)), gang_signal::ready);
  EXPECT_EQ(gang_core{info_of(2, 2)}.signal(), gang_signal::done);
}

TEST(gang_sizes, before_the_first_run_are_the_declared_ones) {
  EXPECT_EQ(gang_sizes(info_of(4, 2), 3, false), info_of(4, 2));
  EXPECT_EQ(gang_sizes(info_of(4, 0), 3, false), info_of(4, 1));
  EXPECT_EQ(gang_sizes(info_of(4, 9), 3, false), info_of(4, 4));
}

TEST(gang_sizes, afterwards_follow_the_live_members) {
  EXPECT_EQ(gang_sizes(info_of(4, 3), 2, true), info_of(2, 2));
  EXPECT_EQ(gang_sizes(info_of(4, 1), 2, true), info_of(2, 1));
}

TEST(gang_may_start, with_all_waiting_and_at_least_the_minimum_placed) {
  const auto sizes = info_of(4, 2);
  EXPECT_FALSE(gang_may_start(sizes, 3, 3)) << "incomplete";
  EXPECT_FALSE(gang_may_start(sizes, 4, 1));
  EXPECT_TRUE(gang_may_start(sizes, 4, 2));
  EXPECT_TRUE(gang_may_start(sizes, 4, 4));
  EXPECT_FALSE(gang_may_start(sizes, 4, 5));
}

}  // namespace
}  // namespace argosy::ledger
