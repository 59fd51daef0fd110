// SPDX-License-Identifier: Apache-2.0
// Goal: an agent tells in one sentence which of its rights is missing, also if nothing has failed
// yet without it.
// Method: an API server in memory that is asked for rights, and a clock that is set by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "runtime/backends/kubernetes/link/rights_watch.hpp"
#include "tests/unit/kubernetes_trouble/link_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct rights_of_agent : kubernetes_link {};

TEST_F(rights_of_agent, that_are_taken_away_are_told_of_within_ten_seconds) {
  open();
  for (const auto* right : {"list nodes", "watch nodes", "get pods", "list pods", "watch pods",
                            "delete pods", "create pods"}) {
    kube->missing_rights = {right};
    pass_slowly(4s);
    EXPECT_EQ(backend->trouble().why, "") << "a role that is replaced is missing for a moment";
    pass_slowly(5s);
    EXPECT_THAT(backend->trouble().why, StartsWith("the API server https://fake:6443 ")) << right;
    EXPECT_THAT(backend->trouble().why,
                HasSubstr(std::string{"denies the agent rights that it needs: "} + right))
        << right;
    EXPECT_THAT(backend->trouble().why, HasSubstr("config/KUBERNETES.md"));
    kube->missing_rights = {};
    pass_slowly(5s);
    EXPECT_EQ(backend->trouble().why, "") << right;
  }
}

TEST_F(rights_of_agent, that_are_missing_for_a_moment_alone_are_not_told_of) {
  open();
  for (int i = 0; i < 20; ++i) {
    kube->missing_rights = {"delete pods"};
    pass_slowly(3s);
    kube->missing_rights = {};
    pass_slowly(5s);
    EXPECT_EQ(backend->trouble().why, "");
  }
}

TEST_F(rights_of_agent, to_one_namespace_of_two_that_are_missing_leave_the_other) {
  config.rules.namespaces = {"jobs", "more"};
  open();
  kube->missing_rights = {"delete pods more"};
  pass_slowly(20s);
  EXPECT_EQ(backend->trouble().why, "");
  EXPECT_THAT(backend->trouble().lacks,
              HasSubstr("makes use: delete pods in namespace 'more', so"));
  kube->missing_rights = {"delete pods"};
  pass_slowly(10s);
  EXPECT_EQ(backend->trouble().lacks, "") << "it is told as what keeps runs from being begun";
  EXPECT_THAT(backend->trouble().why,
              HasSubstr("delete pods in namespace 'jobs'; delete pods in namespace 'more'"));
}

TEST_F(rights_of_agent, without_which_runs_go_on_are_told_of_and_leave_the_cluster_its_jobs) {
  open();
  const auto run = start(1);
  set_status(run, running);
  take_phases();
  kube->missing_rights = {"get pods/log"};
  pass_slowly(4s);
  EXPECT_EQ(backend->trouble().lacks, "") << "a role that is replaced is missing for a moment";
  pass_slowly(5s);
  EXPECT_EQ(backend->trouble().lacks,
            "the API server https://fake:6443 denies the agent rights of which it makes use: get "
            "pods/log in namespace 'jobs', so that no output of jobs is read or kept; give them to "
            "its user, as the table of rights in config/KUBERNETES.md has them");
  EXPECT_EQ(backend->trouble().why, "") << "it takes jobs";
  set_status(start(2), succeeded);
  EXPECT_THAT(take_phases(), Contains(run_phase::succeeded));
  kube->missing_rights = {};
  pass_slowly(5s);
  EXPECT_EQ(backend->trouble().lacks, "");
}

TEST_F(rights_of_agent, that_are_missing_together_are_told_together) {
  open();
  std::size_t changes = 0;
  backend->on_nodes_changed([&changes] { ++changes; });
  kube->missing_rights = {"list events", "watch events", "get persistentvolumeclaims"};
  pass_slowly(20s);
  EXPECT_THAT(backend->trouble().lacks,
              HasSubstr("get persistentvolumeclaims in namespace 'jobs'; list and watch events in "
                        "namespace 'jobs', so that jobs are tried on nodes that do not reach their "
                        "volumes, and nobody is told why pods wait; give"));
  EXPECT_EQ(changes, 1U);
}

TEST_F(rights_of_agent, to_services_are_asked_for_before_a_run_has_some) {
  open();
  kube->missing_rights = {"delete services", "watch ingresses.networking.k8s.io"};
  pass_slowly(10s);
  EXPECT_THAT(
      backend->trouble().lacks,
      HasSubstr("delete services in namespace 'jobs'; watch ingresses.networking.k8s.io in "
                "namespace 'jobs', so that services of jobs are refused or stay behind, and "
                "ingresses of jobs are refused or stay behind; give"));
  kube->missing_rights.clear();
  pass_slowly(10s);
  EXPECT_EQ(backend->trouble().lacks, "");
}

/// Many an agent goes without some right for ever.
TEST_F(rights_of_agent, that_stay_missing_are_asked_for_as_seldom_as_others_once_they_are_told) {
  std::vector<needed_right> rights;
  rights.push_back({"get", "pods", "jobs"});
  rights_watch watch;
  watch.add(rights, true);
  std::vector<boot_time> asked;
  for (boot_time now{}; now < 13s; now += 1s)
    for (const auto& each : watch.tick(now)) {
      watch.answered(each, kube::answer{201, R"({"status":{"resourceRules":[]}})"}, now);
      asked.push_back(now);
    }
  EXPECT_EQ(asked, (std::vector<boot_time>{0s, 2s, 4s, 8s, 12s}));
}

TEST_F(rights_of_agent, to_many_namespaces_are_asked_for_in_turn) {
  std::vector<needed_right> rights;
  for (int i = 0; i < 70; ++i) rights.push_back({"get", "pods", "n" + std::to_string(i)});
  rights_watch watch;
  watch.add(rights, true);
  std::set<std::string> asked;
  boot_time now{};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(watch.are_known());
    const auto due = watch.tick(now);
    EXPECT_EQ(due.size(), i < 2 ? rights_watch::batch_max : 70 - 2 * rights_watch::batch_max);
    EXPECT_TRUE(watch.tick(now).empty()) << "these are not answered";
    for (const auto& each : due) {
      watch.answered(each, kube::answer{201, R"({"status":{"resourceRules":[]}})"}, now);
      asked.insert(each.name_space);
    }
  }
  EXPECT_EQ(asked.size(), rights.size());
  EXPECT_TRUE(watch.are_known()) << "at first they are asked for without a pause";
  EXPECT_TRUE(watch.tick(now).empty());
  EXPECT_FALSE(watch.tick(now + 5s).empty());
}

TEST_F(rights_of_agent, are_all_asked_for_however_slow_the_answers_are) {
  std::vector<needed_right> rights;
  for (int i = 0; i < 70; ++i) rights.push_back({"get", "pods", "n" + std::to_string(i)});
  rights_watch watch;
  watch.add(rights, true);
  boot_time now{};
  for (int i = 0; i < 9; ++i) {
    const auto due = watch.tick(now);
    now += 5s;
    for (const auto& each : due) watch.answered(each, kube::answer{404, ""}, now);
  }
  EXPECT_TRUE(watch.are_known());
}

TEST_F(rights_of_agent, are_not_asked_for_one_by_one_where_the_server_is_busy) {
  std::vector<needed_right> rights;
  rights.push_back({"get", "pods", "jobs"});
  rights_watch watch;
  watch.add(rights, true);
  for (const auto& each : watch.tick(0s))
    watch.answered(each, kube::answer{201, R"({"status":{"resourceRules":[]}})"}, 0s);
  for (const auto& each : watch.tick(2s)) watch.answered(each, kube::answer{429, ""}, 2s);
  const auto next = watch.tick(6s);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].verb, "") << "it is asked for the rules again";
}

TEST_F(rights_of_agent, to_fifty_namespaces_are_told_of_within_ten_seconds) {
  config.rules.namespaces.clear();
  for (int i = 0; i < 50; ++i) config.rules.namespaces.push_back("n" + std::to_string(i));
  open();
  kube->missing_rights = {"get pods/log n41"};
  pass_slowly(10s);
  EXPECT_THAT(backend->trouble().lacks, HasSubstr("get pods/log in namespace 'n41', so"));
}

TEST_F(rights_of_agent, that_are_all_there_are_asked_for_less_than_once_a_second) {
  config.rules.namespaces = {"jobs", "more", "team"};
  open();
  pass_slowly(20s);
  kube->rules_told = kube->reviews = 0;
  pass_slowly(120s);
  EXPECT_LT(kube->rules_told + kube->reviews, 120U);
  EXPECT_GT(kube->rules_told, 0U);
  EXPECT_GT(kube->reviews, 0U) << "no rules of a namespace hold for certain in the whole cluster";
}

TEST_F(rights_of_agent, where_rules_are_not_whole_are_asked_for_one_by_one_when_these_change) {
  kube->rules_are_whole = false;
  open();
  pass_slowly(20s);
  kube->reviews = 0;
  pass_slowly(30s);
  EXPECT_LT(kube->reviews, 30U);
  kube->missing_rights = {"get pods/log"};
  pass_slowly(10s);
  EXPECT_THAT(backend->trouble().lacks, HasSubstr("get pods/log in namespace 'jobs', so"));
  kube->missing_rights = {};
  pass_slowly(5s);
  EXPECT_EQ(backend->trouble().lacks, "");
}

TEST_F(rights_of_agent, without_rules_are_asked_for_one_by_one) {
  kube->tells_rules = false;
  open();
  kube->missing_rights = {"delete pods"};
  pass_slowly(10s);
  EXPECT_THAT(backend->trouble().why, HasSubstr("delete pods in namespace 'jobs'"));
  EXPECT_EQ(kube->rules_told, 1U) << "it is asked again after a while";
  kube->missing_rights = {};
  pass_slowly(5s);
  EXPECT_EQ(backend->trouble().why, "");
}

TEST(rules_of_agent, allow_what_rbac_allows_by_them) {
  const auto told = read_rules(kube::answer{201, R"({"status":{"resourceRules":[
    {"verbs":["get"],"apiGroups":[""],"resources":["pods","*/log"]},
    {"verbs":["*"],"apiGroups":["networking.k8s.io"],"resources":["*"]},
    {"verbs":["get"],"apiGroups":["*"],"resources":["namespaces"],"resourceNames":["kube-system"]}],
    "nonResourceRules":[],"incomplete":false}})"});
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->are_whole);
  EXPECT_TRUE(allow(*told, {"get", "pods", "jobs"}));
  EXPECT_FALSE(allow(*told, {"delete", "pods", "jobs"}));
  EXPECT_TRUE(allow(*told, {"get", "pods/log", "jobs"}));
  EXPECT_FALSE(allow(*told, {"get", "services", "jobs"}));
  EXPECT_TRUE(allow(*told, {"watch", "ingresses.networking.k8s.io", "jobs"}));
  EXPECT_FALSE(allow(*told, {"watch", "ingresses.extensions", "jobs"}));
  EXPECT_TRUE(allow(*told, {"get", "namespaces", "", "kube-system"}));
  EXPECT_FALSE(allow(*told, {"get", "namespaces", "", "jobs"}));
  EXPECT_FALSE(allow(*told, {"get", "namespaces"}));
  const auto part = read_rules(kube::answer{201, R"({"status":{"resourceRules":[],
    "incomplete":true,"evaluationError":"webhook does not tell"}})"});
  ASSERT_TRUE(part);
  EXPECT_FALSE(part->are_whole);
  EXPECT_FALSE(read_rules(kube::answer{404, "{}"}));
  EXPECT_FALSE(read_rules(kube::answer{201, "[]"}));
}

}  // namespace
}  // namespace argosy::backends
