// SPDX-License-Identifier: Apache-2.0
// Goal: a gang knows when it is complete, when all of it waits again, and what its queue has to be
// told. Method: members come, start, return and end in every order; reports are compared.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

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

class gang_life : public ::testing::Test {
 protected:
  void declare(std::uint32_t cardinality, std::uint32_t minimum) {
    declared = std::make_shared<const model::gang_info>(info_of(cardinality, minimum));
    gang.emplace(declared);
  }
  static std::vector<ulid> ids(const std::vector<std::uint64_t>& numbers) {
    std::vector<ulid> out;
    for (const auto number : numbers) out.push_back(member_id(number));
    return out;
  }
  /// Each of these functions returns the report that its change brings.
  std::optional<gang_report> join(const std::vector<std::uint64_t>& members) {
    return tell({declared, ids(members), {}, {}, {}, false});
  }
  std::optional<gang_report> start(const std::vector<std::uint64_t>& members) {
    return tell({declared, {}, ids(members), {}, {}, false});
  }
  std::optional<gang_report> requeue(const std::vector<std::uint64_t>& members) {
    return tell({declared, {}, {}, ids(members), {}, false});
  }
  std::optional<gang_report> end(const std::vector<std::uint64_t>& members) {
    return tell({declared, {}, {}, {}, ids(members), false});
  }
  std::optional<gang_report> tell(const gang_changed& what) {
    gang->change(what);
    return gang->take_report();
  }

  std::shared_ptr<const model::gang_info> declared;
  std::optional<gang_core> gang;
};

TEST_F(gang_life, opens_with_the_last_member) {
  declare(3, 3);
  EXPECT_FALSE(join({1}));
  EXPECT_EQ(gang->missing(), 2U);
  EXPECT_FALSE(join({1, 2})) << "member 1 is repeated";
  EXPECT_FALSE(gang->complete());
  const auto report = join({3});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->open);
  EXPECT_EQ(report->members, ids({1, 2, 3}));
  EXPECT_EQ(*report->sizes, info_of(3, 3));
  EXPECT_EQ(gang->missing(), 0U);
  EXPECT_FALSE(gang->take_report()) << "the QUEUE has heard of it";
}

TEST_F(gang_life, waits_for_another_member_when_one_ends_before_the_start) {
  declare(2, 2);
  EXPECT_TRUE(join({1, 2})->open);
  EXPECT_FALSE(end({1}));
  EXPECT_FALSE(gang->complete());
  EXPECT_EQ(join({3})->members, ids({2, 3}));
}

TEST_F(gang_life, says_nothing_of_strangers_and_when_nobody_is_left) {
  declare(2, 2);
  EXPECT_FALSE(join({1}));
  EXPECT_FALSE(end({9}));
  EXPECT_EQ(gang->live_count(), 1U);
  EXPECT_FALSE(end({1}));
  EXPECT_EQ(gang->live_count(), 0U);
}

TEST_F(gang_life, opens_again_when_all_live_members_wait) {
  declare(3, 2);
  EXPECT_TRUE(join({1, 2, 3})->open);
  EXPECT_FALSE(start({1, 2, 3}));
  EXPECT_EQ(gang->placed_count(), 3U);
  EXPECT_FALSE(start({1})) << "repeated";
  EXPECT_EQ(gang->placed_count(), 3U);
  EXPECT_FALSE(requeue({1, 1})) << "two still have runs";
  const auto smaller = end({2});
  ASSERT_TRUE(smaller) << "the sizes follow the live members";
  EXPECT_FALSE(smaller->open);
  EXPECT_EQ(*smaller->sizes, info_of(2, 2));
  const auto again = requeue({3});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->open);
  EXPECT_EQ(again->members, ids({1, 3})) << "the one that ended is not missed";
  EXPECT_EQ(*end({1})->sizes, info_of(1, 1));
}

TEST_F(gang_life, opens_when_the_last_placed_member_ends) {
  declare(2, 2);
  (void)join({1, 2});
  (void)start({1, 2});
  EXPECT_FALSE(requeue({1}));
  const auto report = end({2});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->open);
  EXPECT_EQ(report->members, ids({1}));
}

TEST_F(gang_life, reports_again_though_it_opened_and_closed_and_opened_at_once) {
  declare(1, 1);
  EXPECT_TRUE(join({1})->open);
  const auto report = tell({declared, {}, ids({1}), ids({1}), {}, false});
  ASSERT_TRUE(report) << "the QUEUE closes a gang whenever a member changes";
  EXPECT_TRUE(report->open);
}

TEST_F(gang_life, follows_from_live_jobs_at_recovery) {
  declare(2, 2);
  gang->restore({member_id(1), false, false});
  EXPECT_FALSE(gang->take_report());
  gang->restore({member_id(2), false, false});
  EXPECT_TRUE(gang->take_report()->open);
  declare(3, 3);
  gang->restore({member_id(1), true, true});
  gang->restore({member_id(1), true, true});
  EXPECT_EQ(gang->placed_count(), 1U);
  EXPECT_TRUE(gang->complete());
  EXPECT_FALSE(gang->take_report()->open) << "only the sizes are news";
  EXPECT_TRUE(requeue({1})->open);
  declare(2, 2);
  EXPECT_FALSE(gang->take_report());
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
