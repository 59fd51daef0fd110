// SPDX-License-Identifier: Apache-2.0
// Goal: a retry policy is taken whole or refused with the place of its fault. Method: a good policy
// of the API, changed in one place at a time.
#include "messages/codec/api/retry_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "messages/codec/api/queue_codec.hpp"

namespace argosy::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

api::RetryPolicy good_policy() {
  api::RetryPolicy out;
  out.set_name("retry-2");
  out.set_retry_limit(3);
  out.set_default_action(api::RETRY_ACTION_FAIL);
  auto& first = *out.add_rules();
  first.set_action(api::RETRY_ACTION_RETRY);
  first.set_on_category("oom");
  first.set_on_subcategory("137");
  first.mutable_mutate()->mutable_affinity()->set_avoid_same_node(true);
  first.mutable_mutate()->mutable_resources()->mutable_memory()->set_factor(1.5);
  auto& second = *out.add_rules();
  second.set_action(api::RETRY_ACTION_FAIL);
  second.set_on_category("user_error");
  second.mutable_mutate()->mutable_resources()->mutable_memory()->set_static_("64Mi");
  return out;
}

api::RetryResourceBump& memory_of(api::RetryPolicy& policy) {
  return *policy.mutable_rules(0)->mutable_mutate()->mutable_resources()->mutable_memory();
}

TEST(retry_codec, gives_back_what_it_took) {
  const auto taken = from_wire(good_policy());
  ASSERT_TRUE(taken) << taken.error().detail;
  EXPECT_EQ(taken->limit, 3U);
  ASSERT_EQ(taken->rules.size(), 2U);
  EXPECT_EQ(taken->rules[1].memory->bytes, 64 << 20);
  api::RetryPolicy back;
  to_wire(*taken, back);
  EXPECT_EQ(back.SerializeAsString(), good_policy().SerializeAsString());
  EXPECT_EQ(from_wire(back).value(), *taken);
}

struct fault {
  const char* what;
  std::function<void(api::RetryPolicy&)> make;
};

TEST(retry_codec, refuses_each_fault_with_its_place) {
  const fault faults[] = {
      {"name", [](auto& p) { p.set_name(""); }},
      {"name", [](auto& p) { p.set_name("-a"); }},
      {"name", [](auto& p) { p.set_name("a-"); }},
      {"name", [](auto& p) { p.set_name("A"); }},
      {"name", [](auto& p) { p.set_name("a.b"); }},
      {"name", [](auto& p) { p.set_name(std::string(64, 'a')); }},
      {"default_action", [](auto& p) { p.clear_default_action(); }},
      {"default_action", [](auto& p) { p.set_default_action(static_cast<api::RetryAction>(7)); }},
      {"rules[1].action", [](auto& p) { p.mutable_rules(1)->clear_action(); }},
      {"rules[1] needs on_category", [](auto& p) { p.mutable_rules(1)->clear_on_category(); }},
      {"rules[0] has a category", [](auto& p) { p.mutable_rules(0)->set_on_category("a\x1b"); }},
      {"rules[0].mutate.resources.memory needs", [](auto& p) { memory_of(p).Clear(); }},
      {"rules[0].mutate.resources.memory needs", [](auto& p) { memory_of(p).set_static_("1Gi"); }},
      {"factor must be more than 1", [](auto& p) { memory_of(p).set_factor(1); }},
      {"factor must be more than 1", [](auto& p) { memory_of(p).set_factor(-2); }},
      {"static must be more than 0",
       [](auto& p) {
         memory_of(p).Clear();
         memory_of(p).set_static_("0");
       }},
      {"memory.static: ",
       [](auto& p) {
         memory_of(p).Clear();
         memory_of(p).set_static_("much");
       }},
  };
  for (const auto& [what, make] : faults) {
    auto policy = good_policy();
    make(policy);
    const auto taken = from_wire(policy);
    ASSERT_FALSE(taken) << what;
    EXPECT_EQ(taken.error().code, ec::invalid_argument) << what;
    EXPECT_THAT(taken.error().detail, HasSubstr(what));
  }
  auto longest = good_policy();
  longest.set_name(std::string(63, 'a'));
  EXPECT_TRUE(from_wire(longest));
}

TEST(retry_codec, has_a_limit_on_all_of_a_policy) {
  auto policy = good_policy();
  for (int i = 0; i < 70; ++i) {
    auto& rule = *policy.add_rules();
    rule.set_action(api::RETRY_ACTION_RETRY);
    rule.set_on_category(std::string(1'000, 'c'));
  }
  const auto taken = from_wire(policy);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ec::invalid_argument);
  EXPECT_THAT(taken.error().detail, HasSubstr("at most 65536 are allowed"));
  while (policy.ByteSizeLong() > retry_policy_bytes_max) policy.mutable_rules()->RemoveLast();
  EXPECT_TRUE(from_wire(policy));
}

TEST(retry_codec, keeps_the_order_of_a_queues_policies_and_each_once) {
  api::Queue queue;
  queue.set_name("q");
  queue.set_priority_factor(1);
  for (const auto* name : {"b", "a", "b", "c", "a"}) queue.add_retry_policies(name);
  EXPECT_THAT(from_wire(queue).value().retry_policies, ElementsAre("b", "a", "c"));
}

}  // namespace
}  // namespace argosy::codec
