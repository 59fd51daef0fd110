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

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct kubernetes_contact : attached_fixture {
  /// Makes a backend, and returns its trouble once `span` has passed.
  std::string trouble_of_a_new_backend(std::chrono::seconds span = 0s) {
    auto made = make_kubernetes_backend(config, kube, [](const auto&) {});
    EXPECT_TRUE(made);
    backend = std::move(*made);
    backend->advance();
    for (auto left = span; left > 0s; left -= 1s) pass(1s);
    return backend->trouble().why;
  }
};

TEST_F(kubernetes_contact, an_agent_that_may_not_list_says_so_and_goes_on_when_it_may) {
  kube->refuse_lists = error{ec::denied, "nodes is forbidden"};
  EXPECT_EQ(trouble_of_a_new_backend(),
            "the API server https://fake:6443 does not list nodes and pods for the agent: nodes is "
            "forbidden; give its user the rights, as the table of rights in config/KUBERNETES.md "
            "has them");
  EXPECT_EQ(backend->trouble().since_ns, to_nanos(clock.wall()));
  EXPECT_FALSE(backend->is_ready());
  kube->refuse_lists.reset();
  kube->list_again();
  pass(3s);
  EXPECT_TRUE(backend->is_ready());
  EXPECT_EQ(backend->trouble().why, "");
}

TEST_F(kubernetes_contact, a_cluster_that_does_not_answer_can_be_waited_for) {
  kube->refuse_lists = error{ec::unreachable, "nobody is there"};
  config.address_place = "the file 'f'";
  EXPECT_EQ(trouble_of_a_new_backend(),
            "the API server https://fake:6443 has not told of its nodes and pods yet; its address "
            "stands in the file 'f'")
      << "it is asked just now";
  int told = 0;
  backend->on_nodes_changed([&] { ++told; });
  pass(3s);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(backend->trouble().why,
            "the API server https://fake:6443 does not list nodes and pods for the agent: nobody "
            "is there; its address stands in the file 'f'");
  EXPECT_TRUE(backend->nodes().empty());
  EXPECT_FALSE(backend->is_ready());
  kube->refuse_lists.reset();
  kube->list_again();
  pass(3s);
  EXPECT_TRUE(backend->is_ready());
  EXPECT_EQ(backend->trouble().why, "");
  EXPECT_GE(told, 2);
  EXPECT_EQ(backend->nodes().size(), 1U);
  EXPECT_TRUE(backend->adopt({}));
}

TEST_F(kubernetes_contact, a_cluster_that_is_away_at_first_is_away_as_one_that_goes_later) {
  kube->refuse_lists = error{ec::unreachable, "nobody is there"};
  kube->cut = true;
  config.address_place = "the file 'f'";
  EXPECT_THAT(trouble_of_a_new_backend(10s),
              AllOf(HasSubstr("does not answer (no route)"), HasSubstr("the file 'f'")));
  kube->refuse_lists.reset();
  kube->cut = false;
  kube->list_again();
  for (int i = 0; i < 5; ++i) pass(1s);
  EXPECT_TRUE(backend->is_ready());
  EXPECT_EQ(backend->trouble().why, "");
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
  config.rules.namespaces = {"jobs", "more"};
  config.rules.count_other_pods = true;
  const auto why = trouble_of_a_new_backend();
  for (const auto* each :
       {"/api/v1/nodes is", "/namespaces/jobs/pods?", "/namespaces/more/pods?", "; /api/v1/pods?"})
    EXPECT_THAT(why, HasSubstr(each));
}

TEST_F(kubernetes_contact, each_verb_that_is_missing_is_named) {
  kube->missing_rights = {"watch nodes", "create pods", "delete pods"};
  config.rules.namespaces = {"jobs", "more"};
  EXPECT_EQ(trouble_of_a_new_backend(),
            "the API server https://fake:6443 denies the agent rights that it needs: watch nodes; "
            "delete and create pods in namespace 'jobs'; delete and create pods in namespace "
            "'more'; give them to its user, as the table of rights in config/KUBERNETES.md has "
            "them");
  EXPECT_FALSE(backend->is_ready());
  kube->missing_rights = {};
  pass(3s);
  EXPECT_TRUE(backend->is_ready());
}

TEST_F(kubernetes_contact, rights_that_are_missing_in_many_namespaces_fit_into_the_sentence) {
  kube->missing_rights = {"create pods"};
  config.rules.namespaces.clear();
  for (int i = 0; i < 100; ++i) config.rules.namespaces.push_back("team-" + std::to_string(i));
  const auto why = trouble_of_a_new_backend();
  EXPECT_THAT(why, HasSubstr("create pods in namespace 'team-0'"));
  EXPECT_THAT(why, HasSubstr("config/KUBERNETES.md"));
  EXPECT_LT(why.size(), 1000U) << "the control plane takes no longer one";
}

TEST_F(kubernetes_contact, what_the_owners_of_jobs_do_takes_no_right_of_the_agent) {
  kube->missing_rights = {"create pods"};
  config.rules.impersonate_users = true;
  EXPECT_EQ(trouble_of_a_new_backend(), "");
  EXPECT_TRUE(backend->is_ready());
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
