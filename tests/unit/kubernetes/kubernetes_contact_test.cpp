// SPDX-License-Identifier: Apache-2.0
// Goal: an agent begins once its API server has listed what it needs, waits for one that does not
// answer, says which rights are missing, and goes on at once with a server that was away.
// Method: an API server in memory that fails as planned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/backends/kubernetes/trouble/needed_rights.hpp"
#include "tests/unit/kubernetes/attached_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct kubernetes_contact : attached_fixture {
  result<void> lists_of_a_new_backend() {
    auto made = make_kubernetes_backend(config, kube, [](const auto&) {});
    EXPECT_TRUE(made);
    backend = std::move(*made);
    return backend->await_lists(0ms);
  }
};

TEST_F(kubernetes_contact, an_agent_that_may_not_list_does_not_begin) {
  kube->refuse_lists = error{ec::denied, "nodes is forbidden"};
  const auto listed = lists_of_a_new_backend();
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ec::denied);
  EXPECT_THAT(listed.error().detail, HasSubstr("https://fake:6443"));
  EXPECT_THAT(listed.error().detail, HasSubstr("nodes is forbidden"));
}

TEST_F(kubernetes_contact, a_cluster_that_does_not_answer_can_be_waited_for) {
  kube->refuse_lists = error{ec::unreachable, "nobody is there"};
  const auto listed = lists_of_a_new_backend();
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ec::unreachable);
  EXPECT_THAT(listed.error().detail, HasSubstr("nobody is there"));
  EXPECT_TRUE(backend->nodes().empty());
  kube->refuse_lists.reset();
  kube->list_again();
  EXPECT_TRUE(backend->await_lists(0ms));
  EXPECT_EQ(backend->nodes().size(), 1U);
  EXPECT_TRUE(backend->adopt({}));
}

TEST_F(kubernetes_contact, what_nobody_answered_is_asked_at_once_when_the_server_is_back) {
  open();
  for (int i = 0; i < 4; ++i)
    kube->faults.push_back({"POST", fail(ec::unreachable, "refused"), false});
  start(1);
  pass(1s);
  pass(2s);
  pass(4s);
  EXPECT_EQ(kube->count("POST"), 4U);
  kube->answer_again();
  backend->advance();
  EXPECT_EQ(kube->count("POST"), 5U);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending));
}

TEST_F(kubernetes_contact, services_that_nobody_answered_for_are_asked_at_once_as_well) {
  open();
  for (int i = 0; i < 2; ++i) kube->faults.push_back({"POST", fail(ec::unreachable, "refused")});
  start_with_objects(1);
  EXPECT_TRUE(kube->attached.empty());
  kube->answer_again();
  backend->advance();
  EXPECT_EQ(kube->attached.size(), 2U);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending));
}

TEST_F(kubernetes_contact, what_the_server_put_off_is_not_asked_sooner_when_it_answers_others) {
  open();
  kube->faults.push_back({"POST", kube::answer{429, R"({"message":"busy"})"}});
  start(1);
  kube->answer_again();
  backend->advance();
  EXPECT_EQ(kube->count("POST"), 1U);
}

TEST_F(kubernetes_contact, all_rights_that_are_missing_are_told_at_once) {
  kube->refuse_lists = error{ec::denied, "is forbidden"};
  kube->names_what_it_refuses = true;
  config.namespaces = {"jobs", "more"};
  config.count_other_pods = true;
  const auto listed = lists_of_a_new_backend();
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ec::denied);
  for (const auto* each :
       {"/api/v1/nodes is", "/namespaces/jobs/pods?", "/namespaces/more/pods?", "; /api/v1/pods?"})
    EXPECT_THAT(listed.error().detail, HasSubstr(each));
}

TEST_F(kubernetes_contact, each_verb_that_is_missing_is_named) {
  kube->missing_rights = {"watch nodes", "create pods", "delete pods"};
  config.namespaces = {"jobs", "more"};
  const auto listed = lists_of_a_new_backend();
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ec::denied);
  EXPECT_EQ(listed.error().detail,
            "the agent lacks rights at the API server https://fake:6443: watch nodes; delete and "
            "create pods in namespace 'jobs'; delete and create pods in namespace 'more'");
}

TEST_F(kubernetes_contact, what_the_owners_of_jobs_do_takes_no_right_of_the_agent) {
  kube->missing_rights = {"create pods"};
  config.pods.impersonate = true;
  EXPECT_TRUE(lists_of_a_new_backend());
}

TEST_F(kubernetes_contact, a_server_that_does_not_know_of_rights_is_no_reason_not_to_begin) {
  EXPECT_FALSE(says_missing(fail(ec::timeout, "no answer")));
  EXPECT_FALSE(says_missing(kube::answer{404, R"({"message":"not found"})"}));
  EXPECT_FALSE(says_missing(kube::answer{201, "nonsense"}));
  EXPECT_FALSE(says_missing(kube::answer{201, R"({"status":{"allowed":true}})"}));
  EXPECT_TRUE(says_missing(kube::answer{201, R"({"status":{"allowed":false}})"}));
}

}  // namespace
}  // namespace argosy::backends
