// SPDX-License-Identifier: Apache-2.0
// Goal: whatever the API server answers, a run has one pod, its end is told once, and a run whose
// end is not known is not told as ended.
// Method: an API server in memory that fails as planned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/affinity.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

kube::answer problem(int status, const std::string& message) {
  return {status, json{{"kind", "Status"}, {"message", message}, {"code", status}}.dump()};
}

struct kubernetes_faults : kubernetes_fixture {
  void answer(const std::string& verb, int status, const std::string& message = {}) {
    kube->faults.push_back({verb, problem(status, message)});
  }
};

TEST_F(kubernetes_faults, a_pod_that_is_there_already_is_the_runs_own) {
  open();
  kube->faults.push_back({"POST", fail(ec::timeout, "no answer"), true});
  start(1);
  take_phases();
  pass(1s);
  EXPECT_EQ(kube->pods.size(), 1U);
  set_status(run_of(1), succeeded);
  EXPECT_EQ(take_phases().back(), run_phase::succeeded);
}

TEST_F(kubernetes_faults, a_create_of_which_no_watch_tells_is_found_by_the_clash) {
  open();
  kube->faults.push_back({"POST", fail(ec::timeout, "no answer"), true});
  const auto followers = std::exchange(kube->followers, {});
  start(1);
  EXPECT_THAT(take_phases(), IsEmpty());
  kube->followers = followers;
  pass(1s);
  EXPECT_EQ(kube->count("POST"), 2U);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending));
}

TEST_F(kubernetes_faults, a_pod_of_somebody_else_with_that_name_is_left_alone) {
  open();
  auto foreign = manifest(run_of(1));
  foreign["metadata"]["labels"] = {{"app", "x"}};
  kube->add_pod(foreign);
  start(1);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_THAT(last.outcome.message, HasSubstr("not of this run"));
  EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused) << "no node has chosen its name";
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_faults, a_service_account_that_is_still_to_come_is_waited_for) {
  open();
  answer("POST", 403,
         "pods \"p\" is forbidden: error looking up service account jobs/mine: serviceaccount not "
         "found");
  start(1);
  EXPECT_THAT(take_phases(), IsEmpty());
  pass(1s);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending));
}

TEST_F(kubernetes_faults, a_service_account_that_never_comes_may_be_in_another_cluster) {
  open();
  for (int i = 0; i < 20; ++i)
    answer("POST", 403,
           "pods \"p\" is forbidden: error looking up service account jobs/mine: serviceaccount "
           "\"mine\" not found");
  start(1);
  for (int i = 0; i < 80; ++i) pass(1s);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
  EXPECT_EQ(last.outcome.reach, model::outside_of("east"));
}

TEST_F(kubernetes_faults, what_does_not_pass_refuses_the_run_in_the_end) {
  open();
  for (int i = 0; i < 20; ++i) answer("POST", 429, "too many requests");
  start(1);
  for (int i = 0; i < 80; ++i) pass(1s);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused) << "no fault of its node";
  EXPECT_EQ(last.outcome.message, "too many requests");
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("does not take the pod for now: too many")));
  EXPECT_EQ(kube->count("DELETE"), 0U) << "429 has no effect";
}

TEST_F(kubernetes_faults, a_pod_that_is_refused_for_good_fails_the_run_with_the_servers_words) {
  open();
  answer("POST", 422, "Pod is invalid: spec.containers[0].image: Required value");
  start(1);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.reason, model::reason_submission_refused);
  EXPECT_THAT(last.outcome.message, HasSubstr("Required value"));
  answer("POST", 403, "pods is forbidden: User \"agent\" cannot create resource \"pods\"");
  start(2);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused)) << "no fault of the job";
  EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
}

TEST_F(kubernetes_faults, a_pod_that_admission_refuses_may_be_taken_by_another_cluster) {
  open();
  std::uint8_t serial = 0;
  for (const auto& [status, words] : std::vector<std::pair<int, std::string>>{
           {403, "admission webhook \"w\" denied the request: no"},
           {400, "admission webhook \"w\" denied the request: no"},
           {403, "pods \"p\" is forbidden: violates PodSecurity \"restricted:latest\": host"},
           {403, "pods \"p\" is forbidden: maximum cpu usage per Container is 1"},
           {422, "pods \"p\" is forbidden: ValidatingAdmissionPolicy 'v' denied request: no"}}) {
    answer("POST", status, words.c_str());
    start(++serial);
    EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused)) << words;
    EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
    EXPECT_EQ(last.outcome.category, model::refusal_by_admission);
    EXPECT_EQ(last.outcome.message, words);
  }
  config.rules.trouble.fatal_submission_errors = {*pattern::make("webhook .* denied")};
  open();
  answer("POST", 403, "admission webhook \"w\" denied the request: no");
  start(9);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed)) << "the operator says so";
}

TEST_F(kubernetes_faults, a_create_that_may_have_worked_is_looked_up_before_the_run_is_refused) {
  config.rules.trouble.create_wait = 0s;
  open();
  kube->faults.push_back({"POST", fail(ec::timeout, "no answer"), true});
  const auto followers = std::exchange(kube->followers, {});
  const auto run = start(1);
  kube->followers = followers;
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending)) << "it is there and goes on";
  set_status(run, running);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::running));
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_faults, a_create_that_did_not_work_refuses_the_run_once_that_is_certain) {
  config.rules.trouble.create_wait = 0s;
  open();
  kube->faults.push_back({"POST", fail(ec::timeout, "no answer"), false});
  kube->faults.push_back({"GET", fail(ec::timeout, "no answer"), false});
  start(1);
  EXPECT_THAT(take_phases(), IsEmpty());
  pass(1min);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_faults, a_run_that_is_stopped_while_its_pod_is_looked_up_leaves_no_pod) {
  config.rules.trouble.create_wait = 0s;
  open();
  kube->faults.push_back({"POST", fail(ec::timeout, "no answer"), true});
  kube->faults.push_back({"GET", fail(ec::timeout, "no answer"), false});
  const auto followers = std::exchange(kube->followers, {});
  const auto run = start(1);
  kube->followers = followers;
  stop(run);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
}

TEST_F(kubernetes_faults, a_run_that_is_stopped_before_its_pod_is_asked_for_ends_at_once) {
  open();
  answer("POST", 503, "not ready");
  answer("POST", 429, "busy");
  start(1);
  stop(run_of(1));
  EXPECT_EQ(kube->count("GET"), 1U) << "503 may have had an effect";
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
  kube->faults.clear();
  answer("POST", 429, "busy");
  start(2);
  stop(run_of(2));
  EXPECT_EQ(kube->count("GET"), 1U);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
}

TEST_F(kubernetes_faults, a_run_that_is_stopped_while_its_pod_is_made_leaves_no_pod) {
  open();
  kube->silent = true;
  const auto run = start(1);
  stop(run);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  kube->silent = false;
  kube->pods_die_at_once = true;
  auto pod = pod_of(run, {{"phase", "Pending"}});
  pod["metadata"]["uid"] = "u1";
  kube->pods[at(run)] = pod;
  kube->held.front()(kube::answer{201, pod.dump()});
  backend->advance();
  EXPECT_TRUE(kube->pods.empty());
  EXPECT_EQ(take_phases().back(), run_phase::stopped);
}

TEST_F(kubernetes_faults, a_delete_that_fails_is_sent_again) {
  open();
  const auto run = start(1);
  kube->faults.push_back({"DELETE", fail(ec::unreachable, "refused")});
  answer("DELETE", 503);
  stop(run);
  pass(1s);
  pass(2s);
  EXPECT_EQ(kube->count("DELETE"), 3U);
}

TEST_F(kubernetes_faults, a_pod_that_somebody_else_deletes_is_a_lost_run) {
  open();
  const auto run = start(1);
  set_status(run, running);
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(),
              ElementsAre(run_phase::pending, run_phase::running, run_phase::failed));
  EXPECT_EQ(last.outcome.reason, reason::lost);
}

TEST_F(kubernetes_faults, a_pod_that_is_missing_in_a_new_list_is_looked_at_first) {
  open();
  const auto run = start(1);
  start(2);
  take_phases();
  const auto hidden = kube->pods.at(at(run));
  kube->pods.erase(at(run));
  kube->list_again();
  kube->pods[at(run)] = hidden;
  backend->advance();
  EXPECT_THAT(take_phases(), IsEmpty()) << "the list was older than the pod";
  kube->remove(at(run), true);
  kube->list_again();
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.run, run);
  EXPECT_EQ(last.outcome.reason, reason::lost);
}

TEST_F(kubernetes_faults, a_pod_that_finds_no_place_is_refused_after_a_while) {
  open();
  const auto run = start(1);
  set_status(run, without_place);
  pass(5min - 1s);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  kube->pods_die_at_once = true;
  pass(1s);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending, run_phase::refused));
  EXPECT_EQ(last.outcome.reason, reason::backend_error);
  EXPECT_THAT(last.outcome.message, HasSubstr("0/1 nodes"));
}

TEST_F(kubernetes_faults, a_pod_whose_image_never_comes_fails_after_a_while) {
  open();
  const auto run = start(1);
  set_status(run, without_image);
  kube->pods_die_at_once = true;
  pass(5min);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending, run_phase::failed));
  EXPECT_EQ(last.outcome.reason, "ErrImagePull");
  EXPECT_THAT(last.outcome.message, HasSubstr("not found"));
}

TEST_F(kubernetes_faults, an_image_that_comes_in_time_is_no_fault) {
  open();
  const auto run = start(1);
  set_status(run, without_image);
  pass(4min);
  set_status(run, running);
  pass(1h);
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_faults, jobs_of_other_namespaces_and_lost_nodes_are_refused) {
  open();
  backend->start(launch_of(run_of(1), "others"));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_THAT(last.outcome.message, HasSubstr("kubernetes.namespaces"));
  EXPECT_EQ(last.outcome.category, "namespace");
  auto run = launch_of(run_of(2));
  auto order = *run.order;
  order.node = "n9";
  run.order = std::make_shared<const model::start_run>(order);
  backend->start(std::move(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.reason, reason::backend_error);
}

TEST_F(kubernetes_faults, names_that_are_no_labels_are_refused) {
  config.cluster = std::string(64, 'x');
  EXPECT_EQ(make_kubernetes_backend(config, kube, [](const auto&) {}).error().code,
            ec::invalid_argument);
}

TEST_F(kubernetes_faults, what_is_refused_to_everybody_is_given_back_at_once_with_its_kind) {
  open();
  const std::pair<const char*, const char*> told[] = {
      {"pods \"p\" is forbidden: exceeded quota: q, requested: cpu=1, used: cpu=9", "quota"},
      {"pods is forbidden: User \"agent\" cannot create resource \"pods\"", "rights"},
      {"namespaces \"jobs\" not found", "namespace"}};
  std::uint8_t serial = 0;
  for (const auto& [words, kind] : told) {
    answer("POST", kind == std::string{"namespace"} ? 404 : 403, words);
    start(++serial);
    EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused)) << kind;
    EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
    EXPECT_EQ(last.outcome.category, kind);
    EXPECT_EQ(last.outcome.message, words);
  }
  EXPECT_EQ(kube->count("POST"), 3U) << "the cluster is asked again by the control plane";
}

TEST_F(kubernetes_faults, namespaces_may_be_served_by_a_pattern) {
  config.rules.namespaces = {"team-*"};
  open();
  backend->start(launch_of(run_of(1), "team-a"));
  backend->start(launch_of(run_of(2), "jobs"));
  backend->advance();
  EXPECT_EQ(kube->count("POST"), 1U);
  EXPECT_TRUE(std::ranges::any_of(kube->followers, [](const auto& each) {
    return each.first.starts_with("/api/v1/pods?labelSelector=argosy.io%2Fcluster%3D");
  }));
}

}  // namespace
}  // namespace argosy::backends
