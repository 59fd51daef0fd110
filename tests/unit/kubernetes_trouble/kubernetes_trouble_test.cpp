// SPDX-License-Identifier: Apache-2.0
// Goal: while a run waits, its user learns once what it waits for, and how it ends says why.
// Method: an API server in memory; the test plays scheduler, kubelet, nodes and time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/affinity.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct kubernetes_trouble : kubernetes_fixture {
  /// Starts a run whose pod runs on n1.
  model::run_key start_on_node(std::uint8_t serial) {
    const auto run = start(serial);
    kube->pods.at(at(run))["spec"]["nodeName"] = "n1";
    set_status(run, running);
    take_phases();
    return run;
  }
};

TEST_F(kubernetes_trouble, what_a_run_waits_for_is_told_once_with_its_time) {
  open();
  const auto run = start(1);
  set_status(run, without_image);
  EXPECT_THAT(take_notes(), IsEmpty()) << "that may pass";
  pass(10s);
  EXPECT_EQ(last.phase, run_phase::pending);
  EXPECT_THAT(take_notes(),
              ElementsAre(AllOf(StartsWith("at "),
                                HasSubstr(" UTC: container 'main' waits with reason ErrImagePull: "
                                          "not found. If that lasts 5m, the run fails"))));
  set_status(run, R"({"phase":"Pending","containerStatuses":[{"name":"main","state":{"waiting":{
    "reason":"ImagePullBackOff","message":"Back-off"}}}]})");
  pass(1min);
  EXPECT_THAT(take_notes(), IsEmpty()) << "it waits for the same";
  set_status(run, R"({"phase":"Pending","containerStatuses":[{"name":"main","state":{"waiting":{
    "reason":"ContainerCreating"}}}]})");
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("its images can be pulled now")));
  set_status(run, running);
  EXPECT_THAT(take_notes(), IsEmpty()) << "that it runs is told by its phase";
}

TEST_F(kubernetes_trouble, what_a_cluster_does_not_have_may_be_in_another) {
  open();
  const auto without = [&](std::uint8_t serial, const char* status, const char* event = nullptr) {
    const auto run = start(serial);
    set_status(run, status);
    for (int i = 0; i < 6; ++i) {
      if (event != nullptr) kube->add_event(at(run), "Warning", "FailedMount", event);
      pass(1min);
    }
    if (kube->pods.contains(at(run))) kube->remove(at(run));
    backend->advance();
    EXPECT_EQ(take_phases().back(), run_phase::failed);
    return last.outcome;
  };
  const auto claim = without(1, R"({"phase":"Pending","conditions":[{"type":"PodScheduled",
    "status":"False","reason":"Unschedulable",
    "message":"0/1 nodes are available: persistentvolumeclaim \"x\" not found."}]})");
  EXPECT_EQ(claim.reason, model::reason_cannot_begin);
  EXPECT_EQ(claim.reach, model::outside_of("east"));
  const auto image = without(2, without_image);
  EXPECT_EQ(image.reason, "ErrImagePull");
  EXPECT_EQ(image.reach, model::outside_of("east"));
  constexpr const char* making = R"({"phase":"Pending","startTime":"2026-11-22T10:00:00Z",
    "containerStatuses":[{"name":"main","state":{"waiting":{"reason":"ContainerCreating"}}}]})";
  EXPECT_EQ(without(3, making, "volume \"v\" : secret \"x\" not found").reach,
            model::outside_of("east"));
  EXPECT_EQ(without(4, R"({"phase":"Pending","containerStatuses":[{"name":"main","state":{
    "waiting":{"reason":"InvalidImageName","message":"no"}}}]})")
                .reach,
            model::affinity_terms{})
      << "it is as wrong everywhere";
}

TEST_F(kubernetes_trouble, a_pod_of_which_nothing_is_wrong_gives_no_note) {
  open();
  const auto run = start(1);
  set_status(run, R"({"phase":"Pending","startTime":"2026-11-22T10:00:00Z","containerStatuses":[{
    "name":"main","state":{"waiting":{"reason":"ContainerCreating"}}}]})");
  pass(59min);
  set_status(run, running);
  pass(1h);
  set_status(run, succeeded);
  EXPECT_THAT(take_notes(), IsEmpty());
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_trouble, an_event_of_kubernetes_says_why_containers_are_not_made) {
  open();
  const auto run = start(1);
  set_status(run, R"({"phase":"Pending","startTime":"2026-11-22T10:00:00Z","containerStatuses":[{
    "name":"main","state":{"waiting":{"reason":"ContainerCreating"}}}]})");
  kube->add_event(at(run), "Warning", "FailedMount", "no secret; no volume");
  pass(10s);
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("FailedMount: no secret, no volume")))
      << "a semicolon would divide the note";
}

TEST_F(kubernetes_trouble, a_rule_on_events_ends_a_run_at_once) {
  config.rules.trouble.event_checks = {
      {{*pattern::make("cannot mount"), false, 0s, check_action::fail}, event_type::warning}};
  open();
  const auto run = start(1);
  kube->pods_die_at_once = true;
  kube->add_event(at(run), "Warning", "FailedMount", "cannot mount volume");
  backend->advance();
  EXPECT_EQ(take_phases().back(), run_phase::failed);
  EXPECT_EQ(last.outcome.reason, "FailedMount");
  EXPECT_THAT(last.outcome.message, HasSubstr("cannot mount volume"));
}

TEST_F(kubernetes_trouble, normal_events_are_followed_only_for_a_rule_that_looks_at_them) {
  const auto path = [this] {
    std::string out;
    for (const auto& [each, to] : kube->followers)
      if (each.find("/events?") != std::string::npos) out = each;
    return out;
  };
  open();
  EXPECT_THAT(path(), HasSubstr("/namespaces/jobs/events?fieldSelector="));
  EXPECT_THAT(path(), HasSubstr("type%21%3DNormal"));
  backend.reset();
  config.rules.trouble.event_checks = {
      {{*pattern::make("x"), false, 0s, check_action::fail}, event_type::normal}};
  open();
  EXPECT_THAT(path(), ::testing::Not(HasSubstr("Normal")));
  backend.reset();
  config.rules.trouble.follow_events = false;
  open();
  EXPECT_EQ(path(), "");
}

TEST_F(kubernetes_trouble, a_run_on_a_silent_node_is_told_of_and_kept) {
  open();
  const auto run = start_on_node(1);
  kube->set_ready("n1", "Unknown", "Kubelet stopped posting node status.");
  backend->advance();
  EXPECT_THAT(take_notes(), IsEmpty()) << "that may pass";
  pass(10s);
  EXPECT_EQ(last.phase, run_phase::running);
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("node 'n1' has fallen silent")));
  pass(10h);
  EXPECT_THAT(take_phases(), IsEmpty()) << "its pod may be alive";
  EXPECT_EQ(kube->count("DELETE"), 0U);
  kube->set_ready("n1", "True", "");
  backend->advance();
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("its node looks after the pod again")));
  set_status(run, succeeded);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::succeeded));
}

TEST_F(kubernetes_trouble, a_node_that_is_gone_takes_its_runs_when_their_pods_go) {
  open();
  const auto run = start_on_node(1);
  kube->remove_node("n1");
  backend->advance();
  pass(10s);
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("node 'n1' is not in Kubernetes any more")));
  set_status(run, R"({"phase":"Running","conditions":[{"type":"DisruptionTarget","status":"True",
    "reason":"DeletionByPodGC","message":"node not found"}]})");
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.reason, pod_reason::node_gone);
  EXPECT_THAT(last.outcome.message, HasSubstr("its node is gone"));
}

TEST_F(kubernetes_trouble, a_pod_that_does_not_end_is_told_of) {
  open();
  const auto run = start_on_node(1);
  stop(run);
  pass(50s);
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("is still there 50s later")));
  EXPECT_EQ(kube->count("DELETE"), 2U);
  pass(1h);
  EXPECT_THAT(take_notes(), IsEmpty());
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
}

TEST_F(kubernetes_trouble, a_pod_that_somebody_deletes_fails_its_run) {
  open();
  const auto run = start_on_node(1);
  auto& pod = kube->pods.at(at(run));
  pod["metadata"]["deletionTimestamp"] = "2026-11-22T10:00:00Z";
  set_status(run, running);
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("somebody has deleted its pod")));
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.reason, model::reason_deleted);
}

TEST_F(kubernetes_trouble, a_pod_past_its_deadline_is_ended_by_the_agent) {
  open();
  const auto run = start(1);
  kube->pods.at(at(run))["spec"]["activeDeadlineSeconds"] = 60;
  set_status(run, running);
  pass(60s + 20s + 29s);
  EXPECT_EQ(kube->count("DELETE"), 0U) << "its kubelet has that long";
  pass(1s);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  set_status(run, failed_3);
  EXPECT_EQ(take_phases().back(), run_phase::failed);
  EXPECT_EQ(last.outcome.reason, "DeadlineExceeded");
  EXPECT_EQ(last.outcome.exit_code, 3);
}

TEST_F(kubernetes_trouble, a_rule_of_the_cluster_gives_a_failure_its_category_and_a_hint) {
  config.rules.trouble.failure_rules = {{.category = "gpu",
                                         .subcategory = "driver",
                                         .hint = "Ask for node type b",
                                         .exit_codes_in = {3}}};
  open();
  const auto run = start(1);
  set_status(run, failed_3);
  take_phases();
  EXPECT_EQ(last.outcome.category, "gpu/driver");
  EXPECT_EQ(last.outcome.message, "container 'main' exited with code 3. Ask for node type b");
  set_status(start(2), succeeded);
  take_phases();
  EXPECT_EQ(last.outcome.category, "");
}

TEST_F(kubernetes_trouble, a_clock_that_is_an_hour_ahead_gives_no_new_pod_back) {
  open();
  const auto run = start(1);
  set_status(run, R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
    "reason":"Unschedulable","lastTransitionTime":"1970-01-01T00:00:01Z"}]})");
  pass(4min);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  pass(1min);
  EXPECT_EQ(kube->count("DELETE"), 1U);
}

TEST_F(kubernetes_trouble, a_conflict_about_a_quota_is_no_pod_of_that_name) {
  open();
  kube->faults.push_back(
      {"POST",
       kube::answer{409, R"({"message":"Operation cannot be fulfilled on resourcequotas"})"}});
  start(1);
  EXPECT_EQ(kube->count("GET"), 0U);
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("does not take the pod for now")));
  EXPECT_EQ(last.phase, run_phase::accepted);
  pass(1s);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending));
}

TEST_F(kubernetes_trouble, a_claim_that_is_not_there_ends_its_run_with_one_sentence) {
  open();
  const auto run = start(1);
  set_status(run, R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
    "reason":"Unschedulable",
    "message":"0/54 nodes are available: persistentvolumeclaim \"x\" not found."}]})");
  kube->pods_die_at_once = true;
  pass(5min);
  EXPECT_EQ(take_phases().back(), run_phase::failed);
  EXPECT_EQ(last.outcome.reason, model::reason_cannot_begin);
}

}  // namespace
}  // namespace argosy::backends
