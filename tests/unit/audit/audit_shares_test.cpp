// SPDX-License-Identifier: Apache-2.0
// Goal: nobody can push out of the audit trail what others did. Method: floods, and random trails
// beside a plain search for the record that has to leave.
#include "runtime/ledger/audit_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace argosy::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using trail = std::map<std::uint64_t, std::uint64_t>;  ///< Callers by the number of their record.

/// The rule itself: the oldest record of who has most, and of two the one whose oldest is older.
std::uint64_t next_to_leave(const trail& all) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const auto& [number, caller] : all) ++counts[caller];
  std::uint64_t most = 0;
  for (const auto& [caller, count] : counts) most = std::max(most, count);
  for (const auto& [number, caller] : all)
    if (counts[caller] == most) return number;
  return 0;
}

TEST(audit_shares, let_the_oldest_of_who_has_most_leave_first) {
  audit_shares all;
  for (std::uint64_t number = 1; number <= 6; ++number) all.add(number, number <= 2 ? 7 : 8);
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(all.last(), 6u);
  EXPECT_THAT(all.take_surplus(6, 100), IsEmpty());
  EXPECT_THAT(all.take_surplus(2, 100), ElementsAre(3, 4, 1, 5));
  EXPECT_EQ(all.size(), 2u);
}

TEST(audit_shares, take_no_more_than_there_is_room_for) {
  audit_shares all;
  for (std::uint64_t number = 1; number <= 10; ++number) all.add(number, 1);
  EXPECT_THAT(all.take_surplus(1, 3), ElementsAre(1, 2, 3));
  EXPECT_EQ(all.size(), 7u);
}

TEST(audit_shares, keep_who_has_less_than_his_share_through_any_flood) {
  std::mt19937_64 random{11};
  for (int round = 0; round < 50; ++round) {
    const auto most = 20 + random() % 200;
    const auto callers = 2 + random() % 8;
    audit_shares all;
    std::uint64_t number = 0;
    // Everybody but caller 0 has less than his share.
    std::vector<std::uint64_t> quiet;
    for (std::uint64_t caller = 1; caller < callers; ++caller)
      for (auto left = random() % (most / callers); left > 0; --left) {
        all.add(++number, caller);
        quiet.push_back(number);
      }
    for (int flood = 0; flood < 2'000; ++flood) {
      all.add(++number, 0);
      for (const auto gone : all.take_surplus(most, 100))
        ASSERT_FALSE(std::ranges::binary_search(quiet, gone)) << gone;
      ASSERT_LE(all.size(), most);
    }
  }
}

TEST(audit_shares, agree_with_the_rule_and_with_themselves_after_a_restart) {
  std::mt19937_64 random{3};
  for (int round = 0; round < 60; ++round) {
    const auto most = 1 + random() % 40;
    audit_shares all;
    trail plain;
    std::uint64_t number = 0;
    for (int step = 0; step < 300; ++step) {
      number += 1 + random() % 2;
      const auto caller = random() % (1 + random() % 6);
      all.add(number, caller);
      plain.emplace(number, caller);
      if (random() % 20 == 0) {
        const auto below = number - random() % 60 % number;
        all.forget_below(below);
        plain.erase(plain.begin(), plain.lower_bound(below));
      }
      if (random() % 10 == 0) {
        audit_shares again;
        for (const auto& [known, who] : plain) again.add(known, who);
        all = again;
      }
      for (const auto gone : all.take_surplus(most, 1'000)) {
        ASSERT_EQ(gone, next_to_leave(plain));
        plain.erase(gone);
      }
      ASSERT_EQ(all.size(), plain.size());
      ASSERT_LE(all.size(), most);
    }
  }
}

TEST(audit_shares, count_those_whom_nobody_knows_as_one) {
  model::call_recorded ann;
  ann.user = "ann";
  ann.method = "Submit.CancelJobs";
  ann.proof = "basic";
  auto bob = ann;
  bob.user = "bob";
  EXPECT_NE(audit_caller_of(ann), audit_caller_of(bob));
  ann.method = bob.method = "log-in";
  EXPECT_EQ(audit_caller_of(ann), audit_caller_of(bob));
  ann.method = "Submit.CancelJobs";
  ann.proof = "anonymous";
  EXPECT_EQ(audit_caller_of(ann), audit_caller_of(bob));
}

}  // namespace
}  // namespace argosy::ledger
