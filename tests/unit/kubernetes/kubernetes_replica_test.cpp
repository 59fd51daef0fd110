// SPDX-License-Identifier: Apache-2.0
// Goal: a replica that takes over goes on with the pods of the one before, and starts none of them
// a second time. A run on a node that fell silent ends only when its pod is confirmed gone.
// Method: an API server in memory that has pods already, and kubelets that say nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/backends/kubernetes/inheritance.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct kubernetes_replica : kubernetes_fixture {
  json left(std::uint8_t serial, const char* status, const std::string& plane = "cp1") const {
    auto out = pod_of(run_of(serial), json::parse(status));
    out["metadata"]["annotations"]["argosy.io/queue"] = "research";
    out["metadata"]["annotations"]["armada_jobset_id"] = "set";
    out["metadata"]["labels"]["argosy.io/control-plane"] = plane;
    out["spec"]["nodeName"] = "n1";
    return out;
  }
  /// Makes the backend as an agent with these runs in its store does.
  model::inherited_runs take_over(std::vector<model::recorded_run> known = {}) {
    auto made = make_kubernetes_backend(config, kube, [this](std::vector<run_event> more) {
      for (auto& each : more) events.push_back(std::move(each));
    });
    EXPECT_TRUE(made);
    backend = std::move(*made);
    backend->advance();
    EXPECT_TRUE(backend->is_ready());
    auto out = backend->inherit(known, config.control_plane);
    for (const auto& each : out.runs) known.push_back(each.run);
    auto found = backend->adopt(known);
    EXPECT_TRUE(found);
    adopted = *found;
    backend->advance();
    return out;
  }
  std::vector<run_event> adopted;
};

TEST_F(kubernetes_replica, goes_on_with_the_pods_of_the_one_before) {
  kube->add_pod(left(1, running));
  kube->add_pod(left(2, failed_3));
  const auto found = take_over();
  EXPECT_TRUE(found.whole);
  EXPECT_EQ(found.control_plane, "cp1");
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.runs[0].queue, "research");
  EXPECT_EQ(found.runs[0].job_set, "set");
  EXPECT_EQ(found.runs[0].node, "n1");
  EXPECT_EQ(found.runs[0].grace_seconds, 20);
  ASSERT_EQ(adopted.size(), 2U);
  EXPECT_EQ(adopted[0].phase, run_phase::running);
  EXPECT_EQ(adopted[1].outcome.exit_code, 3);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  set_status(run_of(1), succeeded);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::succeeded));
}

TEST_F(kubernetes_replica, makes_no_second_pod_of_a_run_that_it_is_told_to_start) {
  config.control_plane.clear();
  take_over();
  // A request of the one before takes effect only now.
  kube->add_pod(left(1, running));
  backend->start(launch_of(run_of(1)));
  backend->advance();
  EXPECT_EQ(kube->pods.size(), 1U);
  EXPECT_THAT(take_phases(), Not(::testing::Contains(run_phase::refused)));
}

TEST_F(kubernetes_replica, deletes_what_the_one_before_makes_after_it_was_counted) {
  take_over();
  kube->add_pod(left(1, running));
  backend->advance();
  renew(1min);
  renew(2min);
  EXPECT_EQ(kube->count("DELETE"), 1U);
}

TEST_F(kubernetes_replica, says_that_there_are_pods_whose_control_plane_has_to_be_known) {
  take_over();
  EXPECT_FALSE(backend->has_left_runs());
  auto west = left(1, running);
  west["metadata"]["labels"]["argosy.io/cluster"] = "west";
  kube->add_pod(west);
  take_over();
  EXPECT_FALSE(backend->has_left_runs());
  kube->add_pod(left(2, running, "cp7"));
  take_over();
  EXPECT_TRUE(backend->has_left_runs());
}

TEST_F(kubernetes_replica, leaves_pods_of_another_control_plane_alone_and_says_so) {
  kube->add_pod(left(1, running));
  kube->add_pod(left(2, running, "cp8"));
  const auto found = take_over();
  EXPECT_TRUE(found.whole);
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.runs[0].run, run_of(1));
  EXPECT_EQ(kube->count("DELETE"), 0U);
  EXPECT_THAT(backend->trouble().lacks, HasSubstr("that control plane cp8 calls those of cluster"));
}

TEST_F(kubernetes_replica, calls_no_pod_foreign_that_names_no_control_plane) {
  auto pod = left(1, running);
  pod["metadata"]["labels"].erase("argosy.io/control-plane");
  kube->add_pod(pod);
  take_over({run_of(1)});
  EXPECT_EQ(adopted.at(0).phase, run_phase::running);
  EXPECT_EQ(backend->trouble().lacks, "");
}

TEST_F(kubernetes_replica, does_not_claim_to_know_all_runs_where_it_cannot) {
  auto nameless = left(3, running);
  nameless["metadata"]["annotations"].erase("argosy.io/queue");
  kube->add_pod(nameless);
  EXPECT_FALSE(take_over().whole) << "a pod does not say of which queue it is";
}

/// Whoever looks into a pod copies it, and its labels with it.
TEST_F(kubernetes_replica, takes_no_copy_of_a_pod_for_the_pod_of_a_run) {
  auto own = left(1, running);
  own["metadata"]["creationTimestamp"] = "2026-11-18T10:00:00Z";
  auto named_otherwise = left(1, failed_3);
  named_otherwise["metadata"]["name"] = "debug";
  auto elsewhere = left(1, succeeded);
  elsewhere["metadata"]["namespace"] = "another";
  elsewhere["metadata"]["creationTimestamp"] = "2026-11-18T11:00:00Z";
  for (const auto& each : {own, named_otherwise, elsewhere}) kube->add_pod(each);
  for (const auto& known : {std::vector<model::recorded_run>{}, {run_of(1)}}) {
    take_over(known);
    ASSERT_EQ(adopted.size(), 1U);
    EXPECT_EQ(adopted[0].phase, run_phase::running);
    EXPECT_EQ(kube->count("DELETE"), 0U);
  }
  set_status(run_of(1), failed_3);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.exit_code, 3);
}

TEST_F(kubernetes_replica, lists_what_it_inherits_once_and_leaves_pods_of_others) {
  kube->add_pod(left(1, running));
  kube->add_pod(left(2, running));
  kube->add_pod(left(3, running, "cp2"));
  auto west = left(4, running);
  west["metadata"]["labels"]["argosy.io/cluster"] = "west";
  kube->add_pod(west);
  const auto found = take_over({run_of(1)});
  ASSERT_EQ(found.runs.size(), 1U);
  EXPECT_EQ(found.runs[0].run, run_of(2));
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_replica, knows_a_pod_again_that_lost_the_name_of_its_run) {
  open();
  const auto run = start(1);
  set_status(run, running);
  take_phases();
  kube->pods.at(at(run))["metadata"]["labels"].erase("argosy.io/run");
  set_status(run, failed_3);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.exit_code, 3);
}

/// A watch by labels says of a pod that lost them what it says of one that is deleted.
TEST_F(kubernetes_replica, follows_a_pod_whose_labels_were_taken_away_to_its_end) {
  open();
  const auto run = start(1);
  set_status(run, running);
  take_phases();
  auto pod = kube->pods.at(at(run));
  kube->remove(at(run));
  pod["metadata"]["labels"].erase("argosy.io/cluster");
  kube->pods[at(run)] = pod;
  backend->advance();
  pass(1min);
  EXPECT_TRUE(take_phases().empty()) << "it runs on";
  EXPECT_EQ(kube->count("DELETE"), 0U);
  kube->pods[at(run)]["status"] = json::parse(failed_3);
  pass(10s);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.exit_code, 3);
}

struct silent_node : kubernetes_fixture {
  silent_node() {
    open();
    run = start(1);
    set_status(run, running);
    take_phases();
  }
  void node(const char* spec, const char* ready) {
    auto changed = kube->nodes.at("n1");
    changed["spec"] = json::parse(spec);
    changed["status"]["conditions"][0]["status"] = ready;
    kube->add_node(changed);
    backend->advance();
  }
  /// What Kubernetes does with a pod whose node does not answer for five minutes: its kubelet is
  /// asked to delete it, and nobody does.
  void taint_manager_deletes() {
    auto pod = kube->pods.at(at(run));
    pod["metadata"]["deletionTimestamp"] = "2026-11-22T10:00:00Z";
    kube->pods[at(run)] = pod;
    kube->set_status(at(run), json::parse(R"({"phase":"Running","conditions":[
        {"type":"DisruptionTarget","status":"True","reason":"DeletionByTaintManager"},
        {"type":"Ready","status":"False"}]})"));
    backend->advance();
  }
  std::string grace_of_last_delete() const {
    const auto path = kube->last("DELETE");
    return path.substr(path.find('=') + 1);
  }
  model::run_key run;
};

constexpr const char* unreachable = R"({"taints":[
    {"key":"node.kubernetes.io/unreachable","effect":"NoExecute"}]})";

TEST_F(silent_node, keeps_its_run_however_long_it_is_silent) {
  node(unreachable, "Unknown");
  pass(10min);
  taint_manager_deletes();
  pass(24h);
  kube->list_again();
  pass(24h);
  EXPECT_TRUE(take_phases().empty()) << "its container may still run";
}

TEST_F(silent_node, keeps_its_run_though_it_was_told_to_stop_and_nothing_is_forced) {
  node(unreachable, "Unknown");
  stop(run);
  for (int i = 0; i < 1'000; ++i) {
    pass(1min);
    ASSERT_NE(grace_of_last_delete(), "0");
  }
  EXPECT_TRUE(take_phases().empty()) << "its container may still run";
  EXPECT_GE(kube->count("DELETE"), 2U) << "it is asked for again";
}

TEST_F(silent_node, keeps_its_run_after_its_lease_has_lapsed) {
  open({run});
  renew(1min);
  node(unreachable, "Unknown");
  for (int i = 0; i < 100; ++i) {
    pass(1min);
    if (kube->count("DELETE") > 0) {
      ASSERT_NE(grace_of_last_delete(), "0");
    }
  }
  EXPECT_TRUE(take_phases().empty());
}

TEST_F(silent_node, that_comes_back_says_itself_how_the_run_ended) {
  node(unreachable, "Unknown");
  taint_manager_deletes();
  set_status(run, failed_3);
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.exit_code, 3);
}

TEST_F(silent_node, whose_object_is_deleted_ends_its_run_when_kubernetes_takes_the_pod_away) {
  node(unreachable, "Unknown");
  const auto gone = kube->nodes.at("n1");
  kube->nodes.clear();
  for (const auto& [path, to] : kube->followers)
    if (path == "/api/v1/nodes") to->changed(kube::change::deleted, gone);
  pass(1h);
  EXPECT_TRUE(take_phases().empty()) << "the pod is still there";
  set_status(run, R"({"phase":"Failed","conditions":[{"type":"DisruptionTarget","status":"True",
      "reason":"DeletionByPodGC","message":"node no longer exists"}]})");
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.reason, pod_reason::node_gone);
  EXPECT_THAT(last.outcome.message, HasSubstr("its node is gone"));
}

TEST_F(silent_node, that_is_out_of_service_ends_its_run_when_kubernetes_takes_the_pod_away) {
  node(R"({"taints":[{"key":"node.kubernetes.io/out-of-service","value":"nodeshutdown",
       "effect":"NoExecute"}]})",
       "Unknown");
  taint_manager_deletes();
  pass(1h);
  EXPECT_TRUE(take_phases().empty()) << "the pod is still there";
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.reason, pod_reason::node_gone);
}

TEST_F(silent_node, gets_no_new_run_while_it_is_silent) {
  node(unreachable, "Unknown");
  pass(3s);
  ASSERT_EQ(backend->nodes().size(), 1U);
  EXPECT_TRUE(backend->nodes()[0].unschedulable);
}

/// The pod of the run itself is not listed, since somebody took its labels away.
TEST_F(kubernetes_replica, lets_go_of_a_copy_elsewhere_once_it_is_told_where_the_run_is) {
  config.rules.namespaces = {"jobs", "another"};
  for (const auto* status : {running, succeeded}) {
    kube->pods.clear();
    auto copy = left(1, status);
    copy["metadata"]["namespace"] = "another";
    auto own = left(1, running);
    own["metadata"].erase("labels");
    kube->add_pod(copy);
    kube->add_pod(own);
    const auto found = take_over();
    ASSERT_EQ(found.runs.size(), 1U);
    EXPECT_EQ(found.runs[0].name_space, "another") << "nobody has told yet";
    events.clear();
    auto sought = launch_of(run_of(1));
    sought.find = true;
    backend->start(std::move(sought));
    backend->advance();
    EXPECT_THAT(take_phases(), ElementsAre(run_phase::running));
    set_status(run_of(1), failed_3);
    pass(11s);
    EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
    EXPECT_EQ(last.outcome.exit_code, 3);
    pass(1h);
    EXPECT_TRUE(kube->pods.contains({"another", name_of(run_of(1))})) << "it is somebody's";
  }
}

}  // namespace
}  // namespace argosy::backends
