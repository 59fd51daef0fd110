// SPDX-License-Identifier: Apache-2.0
// Goal: retry policies come in over the API, outlive a restart, and decide which failed runs are
// tried again. Method: the whole control plane in virtual time, with agents that follow a script.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

struct retries : control_plane_test {
  retries() {
    rules.queue_rules.retries = {true, 5};
    start();
  }

  static api::RetryPolicy policy(const std::string& name, std::uint32_t limit = 1) {
    api::RetryPolicy out;
    out.set_name(name);
    out.set_retry_limit(limit);
    out.set_default_action(api::RETRY_ACTION_RETRY);
    return out;
  }
  ec send(const std::string& method, const google::protobuf::MessageLite& request) {
    const auto got = call(method, request);
    return got ? ec::none : got.error().code;
  }
  ec create(const api::RetryPolicy& what) {
    return send("RetryPolicyService.CreateRetryPolicy", what);
  }
  ec update(const api::RetryPolicy& what) {
    return send("RetryPolicyService.UpdateRetryPolicy", what);
  }
  ec erase(const std::string& name) {
    api::RetryPolicyDeleteRequest request;
    request.set_name(name);
    return send("RetryPolicyService.DeleteRetryPolicy", request);
  }
  ec look(const std::string& name) {
    api::RetryPolicyGetRequest request;
    request.set_name(name);
    return send("RetryPolicyService.GetRetryPolicy", request);
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    const auto all = ask<api::RetryPolicyList>("RetryPolicyService.GetRetryPolicies",
                                               api::RetryPolicyListRequest{});
    for (const auto& each : all.retry_policies()) out.push_back(each.name());
    return out;
  }
  ec set_queue(const std::string& name, const std::vector<std::string>& policies) {
    api::Queue queue;
    queue.set_name(name);
    queue.set_priority_factor(1);
    for (const auto& each : policies) queue.add_retry_policies(each);
    return send("Submit.CreateQueue", queue);
  }
  std::vector<std::string> policies_of(const std::string& name) {
    api::QueueGetRequest request;
    request.set_name(name);
    const auto queue = ask<api::Queue>("Submit.GetQueue", request);
    return {queue.retry_policies().begin(), queue.retry_policies().end()};
  }
};

TEST_F(retries, policies_are_created_replaced_listed_and_deleted) {
  EXPECT_EQ(update(policy("b")), ec::not_found);
  EXPECT_EQ(look("b"), ec::not_found);
  EXPECT_EQ(create(policy("b")), ec::none);
  EXPECT_EQ(create(policy("a")), ec::none);
  EXPECT_EQ(create(policy("a", 3)), ec::none) << "to create is to replace";
  EXPECT_EQ(update(policy("b", 2)), ec::none);
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  api::RetryPolicyGetRequest request;
  request.set_name("a");
  EXPECT_EQ(ask<api::RetryPolicy>("RetryPolicyService.GetRetryPolicy", request).retry_limit(), 3U);
  EXPECT_EQ(erase("a"), ec::none);
  EXPECT_EQ(erase("a"), ec::none) << "nothing is missing";
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(retries, what_is_no_policy_is_refused_and_changes_nothing) {
  EXPECT_EQ(create(policy("Upper")), ec::invalid_argument);
  EXPECT_EQ(create(policy("")), ec::invalid_argument);
  EXPECT_EQ(erase(""), ec::invalid_argument);
  EXPECT_EQ(look(""), ec::invalid_argument);
  auto vague = policy("p");
  vague.set_default_action(api::RETRY_ACTION_UNSPECIFIED);
  EXPECT_EQ(create(vague), ec::invalid_argument);
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(retries, queues_name_policies_that_exist_and_lose_those_that_are_deleted) {
  EXPECT_EQ(set_queue("q", {"a"}), ec::invalid_argument);
  create(policy("a"));
  create(policy("b"));
  EXPECT_EQ(set_queue("q", {"b", "a", "b"}), ec::none);
  EXPECT_THAT(policies_of("q"), ElementsAre("b", "a"));
  erase("b");
  EXPECT_THAT(policies_of("q"), ElementsAre("a"));
  pass();
  crash();
  start();
  EXPECT_THAT(policies_of("q"), ElementsAre("a"));
}

TEST_F(retries, a_failed_run_is_tried_again_on_another_node_also_after_a_restart) {
  auto rules = policy("elsewhere", 2);
  auto& rule = *rules.add_rules();
  rule.set_action(api::RETRY_ACTION_RETRY);
  rule.set_on_category("user_error");
  rule.mutable_mutate()->mutable_affinity()->set_avoid_same_node(true);
  ASSERT_EQ(create(rules), ec::none);
  pass();
  crash();
  start();
  ASSERT_EQ(set_queue("q", {"elsewhere"}), ec::none);
  const auto node = [](const std::string& name) {
    auto out = node_of(name, 4);
    out.labels = {{"kubernetes.io/hostname", name}};
    return out;
  };
  auto& agent = add_agent("c", {node("n1"), node("n2")});
  const auto id = submit("q").at(0);
  pass(2s);
  ASSERT_EQ(job(id).state(), api::RUNNING);
  const auto first = job(id).node();
  agent.end(id, model::run_phase::failed, {3, 0, "Error", "it exited with 3"});
  pass(5s);
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_NE(job(id).node(), first);
  agent.end(id, model::run_phase::failed, {3, 0, "Error", "it exited with 3"});
  pass(5s);
  EXPECT_EQ(job(id).state(), api::QUEUED) << "there is no third node";
  add_agent("d", {node("n3")});
  pass(5s);
  EXPECT_EQ(job(id).state(), api::RUNNING);
}

TEST_F(retries, follow_the_category_that_a_rule_of_the_cluster_gives) {
  auto rules = policy("drivers", 2);
  rules.set_default_action(api::RETRY_ACTION_FAIL);
  auto& rule = *rules.add_rules();
  rule.set_action(api::RETRY_ACTION_RETRY);
  rule.set_on_category("gpu");
  rule.set_on_subcategory("driver");
  ASSERT_EQ(create(rules), ec::none);
  ASSERT_EQ(set_queue("q", {"drivers"}), ec::none);
  auto& agent = add_agent("c", {node_of("n", 4)});
  const auto id = submit("q").at(0);
  pass(2s);
  agent.end(id, model::run_phase::failed, {74, 0, "Error", "no GPU", "gpu/driver"});
  pass(5s);
  ASSERT_EQ(job(id).state(), api::RUNNING) << "it is tried again";
  agent.end(id, model::run_phase::failed, {74, 0, "Error", "no GPU"});
  pass(5s);
  EXPECT_EQ(job(id).state(), api::FAILED) << "without the rule it is a mistake of the user";
}

}  // namespace argosy::tests
