// SPDX-License-Identifier: Apache-2.0
// Goal: the first rule that fits a failure decides whether it is tried again, within all limits.
// Method: policies and failures written down by hand.
#include "runtime/ledger/retry/retry_core.hpp"

#include <gtest/gtest.h>

namespace argosy::ledger {
namespace {

using model::retry_action;
using model::retry_policy;

retry_policy some_policy() {
  return {"p",
          2,
          retry_action::retry,
          {{retry_action::retry, "error", "7"}, {retry_action::fail, "error"}}};
}

const retry_settings on{true, 5};

bool is_retried(const retry_policy& policy, const failed_run& run) {
  return decide_retry(&policy, run, on).retry;
}

TEST(retry_core, the_first_rule_that_fits_decides_and_else_the_default) {
  auto policy = some_policy();
  EXPECT_TRUE(is_retried(policy, {{"error", "7"}}));
  EXPECT_EQ(decide_retry(&policy, {{"error", "7"}}, on).rule, 0U);
  EXPECT_FALSE(is_retried(policy, {{"error", "8"}}));
  EXPECT_EQ(decide_retry(&policy, {{"error", ""}}, on).rule, 1U);
  EXPECT_TRUE(is_retried(policy, {{"oom", "7"}}));
  EXPECT_FALSE(decide_retry(&policy, {{"oom", "7"}}, on).rule);
  policy.otherwise = retry_action::fail;
  EXPECT_FALSE(is_retried(policy, {{"oom", "7"}}));
}

TEST(retry_core, counts_retries_up_to_the_policys_and_the_common_limit) {
  const auto policy = some_policy();
  EXPECT_TRUE(is_retried(policy, {{"oom", ""}, 1}));
  EXPECT_FALSE(is_retried(policy, {{"oom", ""}, 2}));
  EXPECT_FALSE(decide_retry(&policy, {{"oom", ""}, 1}, {true, 1}).retry);
  EXPECT_FALSE(decide_retry(&policy, {{"oom", ""}}, {true, 0}).retry) << "0 is a kill switch";
}

TEST(retry_core, leaves_gangs_fail_fast_jobs_and_queues_without_policy_alone) {
  const auto policy = some_policy();
  EXPECT_FALSE(is_retried(policy, {{"oom", ""}, 0, true}));
  EXPECT_FALSE(is_retried(policy, {{"oom", ""}, 0, false, true}));
  EXPECT_FALSE(decide_retry(nullptr, {{"oom", ""}}, on).retry);
}

TEST(retry_core, is_off_unless_switched_on) {
  const auto policy = some_policy();
  EXPECT_FALSE(decide_retry(&policy, {{"oom", ""}}, {}).retry);
  EXPECT_EQ(decide_retry(&policy, {{"oom", ""}}, {}).why, "retry policies are off");
}

}  // namespace
}  // namespace argosy::ledger
