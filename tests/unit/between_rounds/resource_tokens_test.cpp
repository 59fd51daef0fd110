// SPDX-License-Identifier: Apache-2.0
// Goal: the tokens of resources limit how much starts over time, in all queues and in each. Method:
// rounds at chosen times.
#include "tests/unit/between_rounds/carry_over_fixture.hpp"

namespace argosy::scheduling {
namespace {

TEST(resource_tokens, let_a_gang_take_more_than_there_is_and_remember_the_debt) {
  stage s;
  s.conf.resource_rate = {{"cpu", 2.0}};
  s.conf.resource_burst = {{"cpu", 2.5}};
  for (int i = 0; i < 6; ++i) s.add(i % 2 == 0 ? "a" : "b");
  EXPECT_EQ(s.at(10 * second).leases.size(), 3u);  // Half a core is owed.
  const auto owes = s.at(10 * second + second / 4);
  EXPECT_TRUE(owes.leases.empty());  // All has come back, and nothing is there.
  EXPECT_EQ(owes.refusals.front().code, reason::resource_rate_limit);
  EXPECT_EQ(s.at(10 * second + second / 2).leases.size(), 1u);
  EXPECT_EQ(s.at(20 * second).leases.size(), 2u);  // These are all that are left.
  s.params.round_time_ns = 100 * second;
  s.carried.open(s.conf, s.params);
  EXPECT_TRUE(s.params.resource_tokens.empty()) << "a full bucket is not kept";
}

TEST(resource_tokens, of_a_queue_limit_that_queue_alone) {
  stage s;
  s.conf.queue_resource_rate = {{"cpu", 1.0}};
  s.conf.queue_resource_burst = {{"cpu", 2.0}};
  for (int i = 0; i < 4; ++i) s.add("a");
  s.add("b");
  const auto first = s.at(second);
  EXPECT_EQ(first.leases.size(), 3u);
  EXPECT_EQ(first.queues[0].resources_taken, (std::vector<std::int64_t>{2000, 0, 0}));
  EXPECT_EQ(first.refusals.front().code, reason::queue_resource_rate_limit);
  EXPECT_EQ(s.at(second).leases.size(), 0u);
  EXPECT_EQ(s.at(2 * second).leases.size(), 1u);
}

TEST(resource_tokens, of_a_resource_hold_only_jobs_that_request_it) {
  stage s;
  s.conf.resource_burst = {{"memory", 1.0}};
  for (int i = 0; i < 4; ++i) s.add("a");
  EXPECT_EQ(s.at(second).leases.size(), 4u);
}

TEST(resource_tokens, a_burst_without_a_rate_is_for_each_round) {
  stage s;
  s.conf.resource_burst = {{"cpu", 2.0}};
  for (int i = 0; i < 5; ++i) s.add("a");
  EXPECT_EQ(s.at(second).leases.size(), 2u);
  EXPECT_EQ(s.at(second).leases.size(), 2u);
}

TEST(resource_tokens, come_more_slowly_to_a_queue_whose_runs_fail) {
  stage s;
  s.conf.queue_resource_rate = {{"cpu", 1.0}};
  s.conf.queue_resource_burst = {{"cpu", 1.0}};
  s.carried.slow(s.conf, {{"a", 0.5}}, 0);
  for (int i = 0; i < 3; ++i) s.add("a");
  EXPECT_EQ(s.at(second).leases.size(), 1u);
  s.params.round_time_ns = 2 * second;
  s.carried.open(s.conf, s.params);
  ASSERT_EQ(s.params.queue_resource_tokens.size(), 1u);
  EXPECT_DOUBLE_EQ(s.params.queue_resource_tokens[0].second.at(0).second, 500);
}

}  // namespace
}  // namespace argosy::scheduling
