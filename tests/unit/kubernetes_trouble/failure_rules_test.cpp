// SPDX-License-Identifier: Apache-2.0
// Goal: the rules of a cluster sort failures by what its operator names, and the first that holds
// counts.
// Method: a table of rules, tried on one failed pod.
#include "runtime/backends/kubernetes/trouble/failure_rules.hpp"

#include <gtest/gtest.h>

namespace argosy::backends {
namespace {

pattern words(const std::string& text) {
  return *pattern::make(text);
}

struct failure_rules : ::testing::Test {
  failure_rules() {
    pod.status_reason = "Evicted";
    pod.ended = {{"fetch", true, 0, 0, "Completed", "", 0},
                 {"main", false, 74, 0, "Error", "CUDA error 999", 0},
                 {"side", false, 137, 9, "OOMKilled", "", 0}};
    events.push_back({"jobs", "p", {}, true, "FailedMount", "volume 'data' is not there"});
  }
  bool holds(failure_rule rule) const {
    rule.category = "x";
    return find_rule({rule}, outcome, &pod, events) != nullptr;
  }

  model::run_outcome outcome{74, 0, "Error", "container 'main' exited with code 74"};
  pod_view pod;
  std::vector<pod_event> events;
};

TEST_F(failure_rules, look_at_exit_codes_of_one_container_or_of_any) {
  EXPECT_TRUE(holds({.category = {}, .exit_codes_in = {1, 74}}));
  EXPECT_TRUE(holds({.category = {}, .exit_codes_in = {0}}));
  EXPECT_FALSE(holds({.category = {}, .exit_codes_in = {1}}));
  EXPECT_TRUE(holds({.category = {}, .container_name = "main", .exit_codes_in = {74}}));
  EXPECT_FALSE(holds({.category = {}, .container_name = "side", .exit_codes_in = {74}}));
  EXPECT_TRUE(holds({.category = {}, .exit_codes_not_in = {74}})) << "'side' has another one";
  EXPECT_FALSE(holds({.category = {}, .container_name = "main", .exit_codes_not_in = {74}}));
  EXPECT_FALSE(holds({.category = {}, .container_name = "fetch", .exit_codes_not_in = {74}}))
      << "it has not failed";
}

TEST_F(failure_rules, a_name_alone_means_that_the_container_failed) {
  EXPECT_TRUE(holds({.category = {}, .container_name = "main"}));
  EXPECT_FALSE(holds({.category = {}, .container_name = "fetch"}));
  EXPECT_FALSE(holds({.category = {}, .container_name = "other"}));
}

TEST_F(failure_rules, look_at_messages_and_events_by_expressions) {
  EXPECT_TRUE(holds({.category = {}, .termination_message = words("CUDA error [0-9]+")}));
  EXPECT_FALSE(
      holds({.category = {}, .container_name = "side", .termination_message = words("CUDA")}));
  EXPECT_TRUE(holds({.category = {}, .pod_error = words("code 7.$")}));
  EXPECT_FALSE(holds({.category = {}, .pod_error = words("code 8.$")}));
  EXPECT_TRUE(holds({.category = {}, .pod_event = words("volume .* not there")}));
  EXPECT_FALSE(holds({.category = {}, .pod_event = words("image")}));
}

TEST_F(failure_rules, look_at_the_reasons_of_run_pod_and_containers) {
  for (const auto* reason : {"Error", "Evicted", "OOMKilled"})
    EXPECT_TRUE(holds({.category = {}, .reasons = {"Other", reason}})) << reason;
  EXPECT_FALSE(holds({.category = {}, .reasons = {"DeadlineExceeded"}}));
}

TEST_F(failure_rules, need_all_that_they_name) {
  EXPECT_FALSE(holds({.category = {}, .exit_codes_in = {74}, .reasons = {"DeadlineExceeded"}}));
  EXPECT_TRUE(holds({.category = {}, .exit_codes_in = {74}, .reasons = {"Evicted"}}));
}

TEST_F(failure_rules, the_first_that_holds_counts) {
  const std::vector<failure_rule> rules = {
      {.category = "a", .exit_codes_in = {1}},
      {.category = "b", .subcategory = "c", .exit_codes_in = {74}},
      {.category = "d"}};
  const auto* found = find_rule(rules, outcome, &pod, events);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(category_of(*found), "b/c");
  found = find_rule(rules, {std::nullopt, 0, "SubmissionRefused", "no"}, nullptr, {});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->category, "d") << "without a pod there is no container";
}

}  // namespace
}  // namespace argosy::backends
