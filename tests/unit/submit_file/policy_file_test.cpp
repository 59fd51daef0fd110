// SPDX-License-Identifier: Apache-2.0
// Goal: files of retry policies are read as armadactl writes them, and mistakes are told with their
// place. Method: texts.
#include <gmock/gmock.h>

#include "messages/submit_file/job_file.hpp"

namespace argosy::submit_file {
namespace {

using ::testing::HasSubstr;

TEST(policy_file, has_policies_with_actions_in_any_spelling) {
  const auto policies = read_policies(R"(
apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: twice
retryLimit: 2
defaultAction: Fail
rules:
  - action: Retry
    onCategory: oom
    onSubcategory: "137"
    mutate: {affinity: {avoidSameNode: true}, resources: {memory: {factor: 1.5}}}
  - action: RETRY_ACTION_FAIL
    onCategory: user_error
---
kind: RetryPolicy
name: never
defaultAction: fail
)",
                                      "p.yaml");
  ASSERT_TRUE(policies) << policies.error().detail;
  ASSERT_EQ(policies->size(), 2U);
  const model::retry_policy twice{"twice",
                                  2,
                                  model::retry_action::fail,
                                  {{model::retry_action::retry, "oom", "137", true, {{1.5, {}}}},
                                   {model::retry_action::fail, "user_error"}}};
  EXPECT_EQ(policies->at(0), twice);
  EXPECT_EQ(policies->at(1).otherwise, model::retry_action::fail);
}

TEST(policy_file, tells_the_place) {
  const auto refused = [](const std::string& text) {
    const auto policies = read_policies(text, "p.yaml");
    return policies ? "accepted" : policies.error().detail;
  };
  EXPECT_THAT(refused("name: p\n"), HasSubstr("p.yaml:1:1: no kind"));
  EXPECT_THAT(refused("kind: Queue\n"), HasSubstr("p.yaml:1:7: kind 'Queue' is not RetryPolicy"));
  EXPECT_THAT(refused("kind: RetryPolicy\nname: p\ndefaultAction: perhaps\n"),
              HasSubstr("p.yaml:3:16: 'defaultAction': 'perhaps' is not one of"));
  EXPECT_THAT(refused("kind: RetryPolicy\nname: p\n"), HasSubstr("p.yaml:1:1: default_action"));
  EXPECT_THAT(refused("kind: RetryPolicy\nname: P\ndefaultAction: Fail\n"),
              HasSubstr("p.yaml:1:1"));
}

}  // namespace
}  // namespace argosy::submit_file
