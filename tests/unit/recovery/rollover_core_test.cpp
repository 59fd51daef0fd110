// SPDX-License-Identifier: Apache-2.0
// Goal: the log rolls over when it is due, and no generation is emptied that the older of two
// snapshots does not cover, whatever was interrupted. Method: what is there, and the next step.
#include "runtime/eventlog/rollover_core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace argosy::eventlog {
namespace {

using enum rollover_action;

constexpr std::int64_t hour_ns = 3'600'000'000'000;

generation_facts generation(std::uint32_t number, std::uint64_t bytes, std::uint64_t records = 10) {
  return {{number}, 0, records, bytes, 1'000'000, false};
}

generation_facts emptied(std::uint32_t number) {
  return {{number}, 0, 0, 0, 1, true};
}

snapshot_mark snapshot(std::uint32_t number, std::uint64_t position) {
  return {{number}, {position}, std::to_string(number) + "-" + std::to_string(position)};
}

constexpr rollover_rules by_bytes{.bytes_max = 1'000};
constexpr rollover_rules by_age{.age_max = std::chrono::hours{24}};

rollover_step next(const rollover_state& seen, const rollover_rules& rules = by_bytes,
                   std::int64_t now_ns = 0) {
  return next_step(rules, seen, now_ns);
}

TEST(rollover, is_due_by_size) {
  EXPECT_EQ(next({{generation(1, 999)}, {}}).action, nothing);
  EXPECT_EQ(next({{generation(1, 1'000)}, {}}), (rollover_step{roll_over, {1}}));
}

TEST(rollover, is_due_by_age) {
  EXPECT_EQ(next({{generation(1, 5'000)}, {}}, by_age, 23 * hour_ns).action, nothing);
  EXPECT_EQ(next({{generation(1, 5)}, {}}, by_age, 24 * hour_ns), (rollover_step{roll_over, {1}}));
}

TEST(rollover, never_comes_when_it_is_switched_off) {
  const rollover_state seen{{generation(1, 1'000'000), generation(2, 1'000'000)}, {}};
  EXPECT_EQ(next(seen, {}, 1'000 * hour_ns).action, nothing);
}

TEST(rollover, comes_at_half_of_the_room_that_older_generations_leave) {
  auto little = generation(1, 400);
  little.bytes_max = 800;
  EXPECT_EQ(next({{little}, {}}).action, roll_over);
  EXPECT_EQ(next({{little}, {}}, by_age).action, nothing);
}

TEST(rollover, does_not_end_a_generation_that_has_only_begun) {
  EXPECT_EQ(next({{generation(1, 5'000, 1)}, {}}, by_age, 48 * hour_ns).action, nothing);
}

TEST(rollover, of_no_log_is_nothing) {
  EXPECT_EQ(next({}).action, nothing);
  EXPECT_EQ(next({{generation(1, 0, 0)}, {}}).action, nothing);
}

TEST(rollover, takes_an_empty_log_that_a_crash_left_for_none) {
  EXPECT_EQ(next({{generation(1, 2'000), generation(2, 0, 0)}, {}}),
            (rollover_step{roll_over, {1}}));
}

TEST(rollover, makes_a_snapshot_of_each_generation_before_the_next_begins) {
  const std::vector<generation_facts> two{generation(1, 1'000), generation(2, 5'000)};
  EXPECT_EQ(next({two, {}}), (rollover_step{make_snapshot, {2}}));
  EXPECT_EQ(next({two, {snapshot(1, 9)}}), (rollover_step{make_snapshot, {2}}))
      << "it ends before the generation begins";
  EXPECT_EQ(next({two, {snapshot(2, 11)}}), (rollover_step{roll_over, {2}}));
}

TEST(rollover, empties_only_what_the_older_of_two_snapshots_covers) {
  const std::vector<generation_facts> three{generation(1, 1'000), generation(2, 1'000),
                                            generation(3, 10)};
  EXPECT_EQ(next({three, {snapshot(3, 30)}}).action, nothing) << "there is only one";
  EXPECT_EQ(next({three, {snapshot(1, 9), snapshot(3, 30)}}).action, nothing);
  EXPECT_EQ(next({three, {snapshot(2, 20), snapshot(3, 30)}}), (rollover_step{empty, {1}}));
  EXPECT_EQ(next({{emptied(1), three[1], three[2]}, {snapshot(2, 20), snapshot(3, 30)}}).action,
            nothing)
      << "the newest may be damaged";
}

TEST(rollover, empties_before_the_next_generation_begins) {
  const std::vector<generation_facts> three{generation(1, 1'000), generation(2, 1'000),
                                            generation(3, 5'000)};
  EXPECT_EQ(next({three, {snapshot(2, 20), snapshot(3, 30)}}).action, empty);
}

TEST(rollover, empties_one_of_which_some_records_are_left) {
  auto partly = generation(1, 10, 1);
  EXPECT_EQ(
      next({{partly, generation(2, 10), generation(3, 10)}, {snapshot(2, 20), snapshot(3, 30)}}),
      (rollover_step{empty, {1}}));
}

TEST(rollover, does_not_count_snapshots_of_generations_that_the_log_does_not_have) {
  // An operator has restored an older backup and given up what came after it.
  const std::vector<generation_facts> two{generation(1, 1'000), generation(2, 10)};
  EXPECT_EQ(next({two, {snapshot(4, 40), snapshot(5, 50)}}), (rollover_step{make_snapshot, {2}}));
  EXPECT_EQ(next({two, {snapshot(2, 20), snapshot(4, 40), snapshot(5, 50)}}).action, nothing)
      << "what is written must stay, and so must what the next snapshot is to cover";
}

TEST(rollover, keeps_two_snapshots) {
  const std::vector<generation_facts> three{generation(1, 1'000), generation(2, 1'000),
                                            generation(3, 10)};
  EXPECT_EQ(next({three, {snapshot(1, 5), snapshot(2, 20), snapshot(3, 30)}}),
            (rollover_step{drop_snapshot, {1}}));
}

}  // namespace
}  // namespace argosy::eventlog
