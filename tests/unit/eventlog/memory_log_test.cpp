// SPDX-License-Identifier: Apache-2.0
// Goal: the log in memory keeps the contract, and its faults do what a broker's do.
// Method: the shared contract, then each hook by itself.
#include <gtest/gtest.h>

#include "runtime/eventlog/in_memory.hpp"
#include "tests/support/eventlog/log_contract.hpp"

namespace argosy::testing {
namespace {

using eventlog::memory_log;

class memory_log_under_test final : public log_under_test {
 public:
  explicit memory_log_under_test(std::uint64_t max_bytes)
      : log_(clock_, {.max_bytes = max_bytes}) {}
  eventlog::event_log& log() override { return log_; }

 private:
  manual_clock clock_;
  memory_log log_;
};

INSTANTIATE_TEST_SUITE_P(memory, log_contract,
                         ::testing::Values(log_kind{
                             "memory",
                             [](std::uint64_t max_bytes) {
                               return std::make_unique<memory_log_under_test>(max_bytes);
                             }}),
                         log_kind_name);

class memory_log_faults : public ::testing::Test {
 protected:
  manual_clock clock_;
  memory_log log_{clock_, {.never_wait = true}};
};

TEST_F(memory_log_faults, a_lost_acknowledgement_is_healed_by_repeating) {
  log_.fail_next_append({ec::timeout, "lost"}, true);
  EXPECT_EQ(log_.append({0}, "1.1", "a").error().code, ec::timeout);
  EXPECT_EQ(log_.append({0}, "1.1", "a"), model::log_position{1});
  log_.fail_next_append({ec::timeout, "lost"}, false);
  EXPECT_EQ(log_.append({1}, "1.2", "b").error().code, ec::timeout);
  EXPECT_EQ(log_.info()->last_position.value, 1u);
  EXPECT_EQ(log_.append({1}, "1.2", "b"), model::log_position{2});
}

TEST_F(memory_log_faults, a_lost_tail_uses_its_numbers_again) {
  for (std::uint64_t i = 0; i < 5; ++i)
    ASSERT_TRUE(log_.append({i}, "1." + std::to_string(i), "x").has_value());
  log_.lose_tail(2);
  EXPECT_EQ(log_.info()->last_position.value, 3u);
  EXPECT_EQ(log_.append({5}, "1.5", "x").error().code, ec::conflict);
  EXPECT_EQ(log_.read({6}, 1, 1, {}).error().code, ec::conflict);
  EXPECT_EQ(log_.append({3}, "2.0", "y"), model::log_position{4});
}

TEST_F(memory_log_faults, a_recreated_log_has_another_creation_time) {
  ASSERT_TRUE(log_.append({0}, "1.1", "x").has_value());
  const auto before = log_.info()->created_ns;
  log_.remove();
  ASSERT_TRUE(log_.create());
  EXPECT_NE(log_.info()->created_ns, before);
  EXPECT_EQ(log_.info()->last_position.value, 0u);
}

TEST_F(memory_log_faults, gaps_are_corrupt_and_damage_is_seen) {
  for (std::uint64_t i = 0; i < 3; ++i)
    ASSERT_TRUE(log_.append({i}, "1." + std::to_string(i), "x").has_value());
  log_.damage({3}, [](std::string& data) { data = "y"; });
  EXPECT_EQ(log_.get({3})->data, "y");
  log_.lose_record({2});
  EXPECT_EQ(log_.read({1}, 3, 100, {}).error().code, ec::corrupt);
  EXPECT_EQ(log_.get({2}).error().code, ec::not_found);
}

TEST_F(memory_log_faults, a_broken_log_fails_until_it_is_mended) {
  log_.set_broken(error{ec::unreachable, "down"});
  EXPECT_EQ(log_.info().error().code, ec::unreachable);
  EXPECT_EQ(log_.append({0}, "1.1", "x").error().code, ec::unreachable);
  log_.set_broken(std::nullopt);
  EXPECT_EQ(log_.append({0}, "1.1", "x"), model::log_position{1});
}

}  // namespace
}  // namespace argosy::testing
