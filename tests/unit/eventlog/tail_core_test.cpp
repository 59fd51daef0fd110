// SPDX-License-Identifier: Apache-2.0
// Goal: no batch leaves the tail before the log has certainly written it to its disk, and the tail
// does not grow without end. Method: batches are added and committed while time passes by hand.
#include "runtime/eventlog/tail_core.hpp"

#include <gtest/gtest.h>

namespace argosy::eventlog {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t mebi = 1 << 20;

struct batch_tail : ::testing::Test {
  void add(std::uint64_t position, std::uint64_t bytes = 100) {
    core.add({position}, bytes, now);
    core.committed({position}, now);
  }
  std::size_t trim() {
    const auto count = core.due(now);
    core.drop(count);
    return count;
  }

  boot_time now = 50s;
  tail_core core{{10min, 4min, 8 * mebi, 32 * mebi}};
};

TEST_F(batch_tail, keeps_batches_for_their_time) {
  add(1);
  now += 1min;
  add(2);
  add(3);
  now += 9min - 1ns;
  EXPECT_EQ(trim(), 0U);
  now += 1ns;
  EXPECT_EQ(trim(), 1U);
  EXPECT_EQ(core.position(0).value, 2U);
  EXPECT_EQ(core.bytes(), 200U);
}

TEST_F(batch_tail, always_keeps_the_newest_batch) {
  add(1);
  add(2);
  now += 24h;
  EXPECT_EQ(trim(), 1U);
  EXPECT_EQ(core.position(0).value, 2U);
  EXPECT_EQ(trim(), 0U);
}

TEST_F(batch_tail, above_its_size_keeps_what_the_log_may_not_have_on_its_disk) {
  for (std::uint64_t position = 1; position <= 60; ++position) {
    add(position, mebi);
    now += 1s;
  }
  EXPECT_EQ(trim(), 0U) << "all of it is young";
  EXPECT_TRUE(core.full());
  now += 3min;
  EXPECT_EQ(trim(), 1U) << "one batch is four minutes old";
  now += 10s;
  EXPECT_EQ(trim(), 10U);
}

TEST_F(batch_tail, above_its_size_goes_down_to_that_size) {
  for (std::uint64_t position = 1; position <= 20; ++position) add(position, mebi);
  EXPECT_FALSE(core.full());
  now += 4min;
  EXPECT_EQ(trim(), 12U);
  EXPECT_EQ(core.bytes(), 8 * mebi);
  now += 6min;
  EXPECT_EQ(trim(), 7U);
}

TEST_F(batch_tail, counts_from_the_commit) {
  core.add({1}, 100, now);
  now += 1h;  // The log was away.
  core.committed({1}, now);
  add(2);
  now += 10min - 1ns;
  EXPECT_EQ(trim(), 0U);
  now += 1ns;
  EXPECT_EQ(trim(), 1U);
}

TEST_F(batch_tail, replaces_what_stood_at_a_position) {
  add(1);
  core.add({2}, 500, now);
  core.add({2}, 70, now);
  EXPECT_EQ(core.size(), 2U);
  EXPECT_EQ(core.bytes(), 170U);
}

TEST(tail_rules, leave_most_of_the_store_to_the_view) {
  const auto large = tail_rules_for(std::uint64_t{64} << 30);
  EXPECT_EQ(large.bytes_limit, std::uint64_t{16} << 30);
  EXPECT_EQ(large.bytes_max, std::uint64_t{1} << 30);
  const auto small = tail_rules_for(800 * mebi);
  EXPECT_EQ(small.bytes_limit, 200 * mebi);
  EXPECT_EQ(small.bytes_max, 100 * mebi);
  EXPECT_GE(small.synced_after, 2 * std::chrono::minutes{2}) << "twice what NATS takes";
}

}  // namespace
}  // namespace argosy::eventlog
