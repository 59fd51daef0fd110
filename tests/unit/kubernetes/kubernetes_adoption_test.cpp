// SPDX-License-Identifier: Apache-2.0
// Goal: a new agent finds the pods of the one before, tells what became of each run, and leaves no
// pod of its own that nobody knows.
// Method: an API server in memory that has pods already; a folder for what the agent keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/backends/kubernetes/run_marks.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::HasSubstr;

struct kubernetes_adoption : kubernetes_fixture {
  kubernetes_adoption() {
    folder = std::filesystem::temp_directory_path() /
             ("argosy-kube-" + std::to_string(::getpid()) + "-" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder);
    config.state_dir = folder;
  }
  ~kubernetes_adoption() override {
    backend.reset();
    std::filesystem::remove_all(folder);
  }

  std::filesystem::path folder;
};

TEST_F(kubernetes_adoption, each_known_run_has_one_event) {
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  kube->add_pod(pod_of(run_of(2), json::parse(failed_3)));
  kube->add_pod(pod_of(run_of(3), {{"phase", "Pending"}}));
  const auto found = open({run_of(1), run_of(2), run_of(3), run_of(4)});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].phase, run_phase::running);
  EXPECT_EQ(found[1].phase, run_phase::failed);
  EXPECT_EQ(found[1].outcome.exit_code, 3);
  EXPECT_EQ(found[2].phase, run_phase::pending);
  ASSERT_EQ(events.size(), 1U) << "it was looked for";
  EXPECT_EQ(events[0].run, run_of(4));
  EXPECT_EQ(events[0].phase, run_phase::failed);
  EXPECT_EQ(events[0].outcome.reason, reason::lost);
  set_status(run_of(1), succeeded);
  EXPECT_EQ(take_phases().back(), run_phase::succeeded);
}

TEST_F(kubernetes_adoption, a_run_whose_pod_was_never_asked_for_is_refused_and_may_run_again) {
  open();
  start(1);
  backend.reset();
  kube->pods.clear();
  events.clear();
  const auto found = open({run_of(1), run_of(2)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].run, run_of(2));
  EXPECT_EQ(found[0].phase, run_phase::refused);
  EXPECT_EQ(found[0].outcome.reason, reason::not_started);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].phase, run_phase::failed) << "it may have done its work";
  EXPECT_EQ(events[0].outcome.reason, reason::lost);
}

TEST_F(kubernetes_adoption, a_run_that_was_told_of_is_never_taken_for_one_that_did_not_begin) {
  open();
  backend.reset();
  model::recorded_run told{run_of(1)};
  told.began = true;
  EXPECT_TRUE(open({told}).empty());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].outcome.reason, reason::lost);
}

/// What a record says of a run may be nothing, as that of an older agent does.
struct unlisted_pods : kubernetes_fixture, ::testing::WithParamInterface<int> {
  unlisted_pods() {
    if (GetParam() > 0) record.name_space = "jobs";
    if (GetParam() > 1) record.pod_uid = "u-own";
  }
  json own(const char* status) const {
    auto out = pod_of(run_of(1), json::parse(status));
    out["metadata"]["uid"] = "u-own";
    return out;
  }
  model::recorded_run record{run_of(1)};
};

TEST_P(unlisted_pods, without_the_labels_of_an_agent_are_those_of_its_runs_nevertheless) {
  for (const auto& namespaces : {std::vector<std::string>{"jobs"}, {"jobs", "team"}, {}})
    for (const char* label :
         {"argosy.io/cluster", "argosy.io/run", "argosy.io/control-plane", ""}) {
      config.rules.namespaces = namespaces;
      kube->pods.clear();
      kube->requests.clear();
      events.clear();
      auto pod = own(running);
      pod["metadata"]["labels"].erase("argosy.io/cluster");
      if (*label == '\0')
        pod["metadata"].erase("labels");
      else
        pod["metadata"]["labels"].erase(label);
      kube->add_pod(pod);
      EXPECT_TRUE(open({record}).empty());
      EXPECT_EQ(take_phases(), std::vector{run_phase::running}) << label;
      pass(1min);
      EXPECT_TRUE(take_phases().empty());
      EXPECT_EQ(kube->count("DELETE"), 0U);
      kube->pods[at(run_of(1))]["status"] = json::parse(failed_3);
      pass(10s);
      EXPECT_EQ(take_phases(), std::vector{run_phase::failed}) << label;
      EXPECT_EQ(last.outcome.exit_code, 3);
    }
}

TEST_P(unlisted_pods, of_runs_that_an_agent_is_told_of_are_found) {
  auto pod = own(running);
  pod["metadata"].erase("labels");
  kube->add_pod(pod);
  open();
  for (const auto& run : {run_of(1), run_of(2)}) {
    auto sought = launch_of(run);
    sought.find = true;
    backend->start(sought);
    backend->advance();
  }
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].phase, run_phase::running);
  EXPECT_EQ(events[1].phase, run_phase::failed);
  EXPECT_EQ(events[1].outcome.reason, reason::lost);
  EXPECT_EQ(kube->count("POST"), 0U);
}

TEST_F(kubernetes_adoption, a_stranger_that_an_agent_is_told_of_is_told_to_have_ended) {
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  open();
  renew(30s);
  renew(60s);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  auto sought = launch_of(run_of(1));
  sought.find = true;
  backend->start(sought);
  backend->advance();
  kube->remove(at(run_of(1)));
  backend->advance();
  EXPECT_EQ(take_phases().back(), run_phase::stopped);
}

TEST_P(unlisted_pods, are_stopped_where_they_are_once_they_can_be_looked_for) {
  config.rules.namespaces = {"jobs", "team"};
  auto pod = own(running);
  pod["metadata"].erase("labels");
  kube->add_pod(pod);
  kube->silent = true;
  open({record});
  stop(run_of(1));
  EXPECT_TRUE(take_phases().empty()) << "it may run";
  kube->silent = false;
  for (auto& each : std::exchange(kube->held, {})) each(fail(ec::timeout, "no answer"));
  backend->advance();
  kube->pods_die_at_once = true;
  pass(1min);
  EXPECT_TRUE(kube->pods.empty());
  pass(1min);
  EXPECT_EQ(take_phases(), std::vector{run_phase::stopped});
}

TEST_P(unlisted_pods, of_another_control_plane_are_not_those_of_the_run) {
  auto pod = own(running);
  pod["metadata"]["uid"] = "u-other";
  pod["metadata"]["labels"]["argosy.io/cluster"] = "west";
  pod["metadata"]["labels"]["argosy.io/control-plane"] = "cp9";
  kube->add_pod(pod);
  open({record});
  EXPECT_EQ(take_phases(), std::vector{run_phase::failed});
  EXPECT_EQ(last.outcome.reason, reason::lost);
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

INSTANTIATE_TEST_SUITE_P(all, unlisted_pods, ::testing::Values(0, 1, 2));

TEST_F(kubernetes_adoption, another_pod_of_the_name_of_a_run_is_not_its_pod) {
  config.rules.namespaces = {"another", "jobs"};
  auto elsewhere = pod_of(run_of(1), json::parse(succeeded));
  elsewhere["metadata"]["namespace"] = "another";
  elsewhere["metadata"]["creationTimestamp"] = "2026-11-18T10:00:00Z";
  auto own = pod_of(run_of(1), json::parse(running));
  own["metadata"]["creationTimestamp"] = "2026-11-18T11:00:00Z";
  own["metadata"]["uid"] = "u-own";
  kube->add_pod(elsewhere);
  kube->add_pod(own);
  model::recorded_run by_place{run_of(1)};
  by_place.name_space = "jobs";
  auto by_uid = by_place;
  by_uid.pod_uid = "u-own";
  for (const auto& record : {by_place, by_uid}) {
    const auto found = open({record});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].phase, run_phase::running);
    EXPECT_EQ(found[0].pod.uid, "u-own");
  }
  // The list of all namespaces has the one, and not the other.
  kube->remove(at(run_of(1)), true);
  events.clear();
  kube->list_again();
  backend->advance();
  EXPECT_EQ(take_phases(), std::vector{run_phase::failed});
  own["metadata"]["uid"] = "u-new";
  kube->add_pod(own);
  EXPECT_TRUE(open({by_uid}).empty());
  EXPECT_EQ(take_phases(), std::vector{run_phase::failed}) << "it was made anew by somebody";
  EXPECT_EQ(last.outcome.reason, reason::lost);
}

TEST_F(kubernetes_adoption, a_run_whose_name_was_used_before_it_was_ordered_is_given_back) {
  config.rules.namespaces = {"another", "jobs"};
  auto early = pod_of(run_of(1), json::parse(succeeded));
  early["metadata"]["namespace"] = "another";
  kube->add_pod(early);
  open();
  start(1);
  EXPECT_EQ(take_phases(), std::vector{run_phase::refused});
  EXPECT_THAT(last.outcome.message, HasSubstr("is in namespace 'another'"));
}

TEST_F(kubernetes_adoption, a_pod_that_somebody_makes_anew_is_not_that_of_the_run) {
  open();
  const auto run = start(1);
  set_status(run, running);
  take_phases();
  auto again = kube->pods.at(at(run));
  kube->remove(at(run), true);
  again["metadata"]["uid"] = "u-new";
  again["status"] = json::parse(succeeded);
  kube->add_pod(again);
  backend->advance();
  EXPECT_EQ(take_phases(), std::vector{run_phase::failed});
  EXPECT_EQ(last.outcome.reason, reason::lost);
}

TEST_F(kubernetes_adoption, pods_that_nobody_knows_are_deleted) {
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  open();
  renew(30s, 10s);
  EXPECT_EQ(kube->count("DELETE"), 0U) << "another agent may have been asked for it since";
  EXPECT_TRUE(backend->has_strangers());
  renew(60s, 10s);
  EXPECT_THAT(kube->last("DELETE"), HasSubstr(name_of(run_of(1))));
  EXPECT_TRUE(events.empty());
  EXPECT_TRUE(backend->has_strangers()) << "it may still be alive";
  kube->remove(at(run_of(1)));
  backend->advance();
  EXPECT_FALSE(backend->has_strangers());
}

TEST_F(kubernetes_adoption, pods_of_a_successor_are_left_alone_by_an_agent_that_hears_no_more) {
  open();
  renew(30s, 10s);
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  backend->advance();
  pass(1h);
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_adoption, a_pod_whose_run_is_ordered_after_all_goes_on) {
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  open();
  start(1);
  renew(30s, 10s);
  renew(60s, 10s);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  EXPECT_FALSE(backend->has_strangers());
}

TEST_F(kubernetes_adoption, an_unknown_pod_that_has_ended_is_kept_for_its_output) {
  kube->add_pod(pod_of(run_of(1), json::parse(succeeded)));
  open();
  EXPECT_EQ(kube->count("DELETE"), 0U);
  pass(10min);
  EXPECT_TRUE(kube->pods.empty());
}

TEST_F(kubernetes_adoption, pods_of_another_control_plane_or_agent_are_left_alone) {
  auto foreign = pod_of(run_of(1), json::parse(running));
  foreign["metadata"]["labels"]["argosy.io/control-plane"] = "cp2";
  kube->add_pod(foreign);
  auto west = pod_of(run_of(2), json::parse(running));
  west["metadata"]["labels"]["argosy.io/cluster"] = "west";
  kube->add_pod(west);
  open();
  pass(1h);
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_adoption, an_agent_without_a_control_plane_waits_until_it_has_one) {
  config.control_plane.clear();
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  open();
  EXPECT_EQ(kube->count("DELETE"), 0U);
  start(2);
  renew(30s, 10s);
  renew(60s, 10s);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  EXPECT_THAT(kube->last("DELETE"), HasSubstr(name_of(run_of(1))));
}

TEST_F(kubernetes_adoption, the_lease_is_kept_across_a_restart_of_the_agent) {
  open();
  renew(30s, 10s);
  start(1);
  backend.reset();
  open({run_of(1)});
  pass(30s);
  EXPECT_EQ(kube->count("DELETE"), 0U) << "pods outlive the lease";
  start(2);
  EXPECT_EQ(kube->count("POST"), 1U) << "none is made after it";
  renew(30s, 10s);
  pass(1s);
  EXPECT_EQ(kube->count("POST"), 2U);
}

TEST_F(kubernetes_adoption, after_a_boot_of_the_machine_the_lease_is_reckoned_by_the_wall_clock) {
  auto marks = run_marks::open(folder);
  ASSERT_TRUE(marks);
  const model::run_lease lease{200s, 10s, 1'000s, 5s};
  ASSERT_TRUE(
      write_file(folder / "lease", *encode(lease_record{"another boot", lease}), sync_mode::no));
  const auto found = marks->lease(50s, boot_time{1'100s}.count());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->until, 150s) << "it ends at 1200 s of the wall clock, which shows 1100 s";
  EXPECT_FALSE(marks->never_started(run_of(1))) << "marks of another boot say nothing";
}

TEST_F(kubernetes_adoption, a_pod_that_has_taken_the_name_is_not_deleted_with_the_run) {
  open();
  const auto run = start(1);
  set_status(run, running);
  auto other = pod_of(run, json::parse(running));
  other["metadata"]["uid"] = "u-other";
  other["metadata"].erase("labels");
  kube->remove(at(run), true);
  kube->add_pod(other);
  stop(run);
  pass(2s);
  EXPECT_EQ(take_phases().back(), run_phase::stopped);
  EXPECT_FALSE(kube->pods.at(at(run))["metadata"].contains("deletionTimestamp"));
  // Nor one that has the name already while it is not known whether ours was made.
  other["metadata"]["name"] = name_of(run_of(2));
  kube->add_pod(other);
  kube->faults = {{"POST", fail(ec::timeout, "no answer")}};
  kube->requests.clear();
  start(2);
  stop(run_of(2));
  pass(2s);
  EXPECT_EQ(take_phases(), std::vector{run_phase::stopped});
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_adoption, a_foreign_pod_of_the_name_hides_none_in_another_namespace) {
  auto foreign = pod_of(run_of(1), json::parse(running));
  foreign["metadata"]["labels"]["argosy.io/control-plane"] = "cp9";
  foreign["metadata"]["labels"]["argosy.io/cluster"] = "west";
  auto own = pod_of(run_of(1), json::parse(running));
  own["metadata"].erase("labels");
  for (const auto& [of_foreign, of_own] : {std::pair{"a", "b"}, {"b", "a"}})
    for (const auto& served : {std::vector<std::string>{"a", "b"}, {}}) {
      kube->pods.clear();
      events.clear();
      foreign["metadata"]["namespace"] = of_foreign;
      own["metadata"]["namespace"] = of_own;
      kube->add_pod(foreign);
      kube->add_pod(own);
      config.rules.namespaces = served;
      open({run_of(1)});
      EXPECT_EQ(take_phases(), std::vector{run_phase::running}) << of_foreign;
      EXPECT_EQ(kube->count("DELETE"), 0U);
    }
}

}  // namespace
}  // namespace argosy::backends
