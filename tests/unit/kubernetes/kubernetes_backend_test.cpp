// SPDX-License-Identifier: Apache-2.0
// Goal: a run is one pod, from its creation to its deletion, and its events are those of the pod.
// Method: an API server in memory; the test plays scheduler, kubelet and time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct kubernetes_backend_test : kubernetes_fixture {};

TEST_F(kubernetes_backend_test, a_run_is_a_pod_that_is_placed_and_labelled) {
  open();
  const auto run = start(1);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending));
  const auto& pod = kube->pods.at(at(run));
  EXPECT_EQ(pod["spec"]["nodeSelector"]["kubernetes.io/hostname"], "host-1");
  EXPECT_FALSE(pod["spec"].contains("nodeName"));
  EXPECT_EQ(pod["metadata"]["labels"]["argosy.io/cluster"], "east");
  EXPECT_EQ(pod["metadata"]["labels"]["argosy.io/control-plane"], "cp1");
  set_status(run, running);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::running));
  set_status(run, failed_3);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.exit_code, 3);
}

TEST_F(kubernetes_backend_test, pods_can_be_placed_by_the_name_of_the_node) {
  config.rules.placement = pod_placement::node_name;
  config.rules.priority_class = "batch";
  open();
  const auto& pod = kube->pods.at(at(start(1)));
  EXPECT_EQ(pod["spec"]["nodeName"], "n1");
  EXPECT_FALSE(pod["spec"].contains("nodeSelector"));
  EXPECT_EQ(pod["spec"]["priorityClassName"], "batch");
}

TEST_F(kubernetes_backend_test, a_gang_learns_the_value_of_its_label) {
  open();
  auto run = launch_of(run_of(1));
  auto pod = manifest(run_of(1));
  pod["metadata"]["annotations"]["armadaproject.io/gangNodeUniformityLabel"] = "zone";
  run.pod = pod.dump();
  backend->start(std::move(run));
  backend->advance();
  const auto& env = kube->pods.at(at(run_of(1)))["spec"]["containers"][0]["env"];
  EXPECT_EQ(env[0]["name"], "ARMADA_GANG_NODE_UNIFORMITY_LABEL_VALUE");
  EXPECT_EQ(env[0]["value"], "z1");
}

TEST_F(kubernetes_backend_test, a_short_run_succeeds_without_having_been_seen_running) {
  open();
  const auto run = start(1);
  set_status(run, succeeded);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending, run_phase::succeeded));
}

TEST_F(kubernetes_backend_test, a_second_order_to_start_changes_nothing) {
  open();
  const auto run = start(1);
  backend->start(launch_of(run));
  backend->advance();
  EXPECT_EQ(kube->count("POST"), 1U);
}

TEST_F(kubernetes_backend_test, a_stopped_run_is_deleted_with_its_grace_and_ends_once) {
  open();
  const auto run = start(1);
  set_status(run, running);
  stop(run, 7s);
  EXPECT_THAT(kube->last("DELETE"), HasSubstr("gracePeriodSeconds=7"));
  stop(run, 9s);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending, run_phase::running));
  set_status(run, failed_3);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
  EXPECT_EQ(last.outcome.exit_code, 3);
  EXPECT_EQ(last.outcome.message, "cancelled by alice");
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(), IsEmpty());
}

TEST_F(kubernetes_backend_test, a_stopped_run_that_never_began_ends_when_its_pod_is_gone) {
  open();
  const auto run = start(1);
  stop(run);
  kube->remove(at(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending, run_phase::stopped));
}

TEST_F(kubernetes_backend_test, a_pod_that_stays_is_deleted_again_with_the_shortest_grace) {
  open();
  const auto run = start(1);
  stop(run);
  pass(49s);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  pass(1s);
  EXPECT_EQ(kube->count("DELETE"), 2U);
  EXPECT_THAT(kube->last("DELETE"), HasSubstr("gracePeriodSeconds=1"));
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending)) << "nobody knows that it has ended";
}

TEST_F(kubernetes_backend_test, stop_all_gives_each_run_its_own_grace) {
  open();
  start(1);
  start(2);
  backend->stop_all("the agent is stopping");
  backend->advance();
  EXPECT_EQ(kube->count("DELETE"), 2U);
  EXPECT_THAT(kube->last("DELETE"), HasSubstr("gracePeriodSeconds=20"));
}

TEST_F(kubernetes_backend_test, the_pod_of_an_ended_run_is_kept_for_a_while) {
  open();
  const auto run = start(1);
  set_status(run, succeeded);
  pass(1h);
  EXPECT_EQ(kube->count("DELETE"), 0U) << "the control plane does not know of the end";
  backend->forget(run);
  backend->advance();
  pass(9min);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  pass(1min);
  EXPECT_TRUE(kube->pods.empty());
}

TEST_F(kubernetes_backend_test, only_so_many_pods_of_ended_runs_are_kept) {
  config.rules.keep_pods_max = 1;
  open();
  for (const std::uint8_t serial : {std::uint8_t{1}, std::uint8_t{2}}) {
    const auto run = start(serial);
    set_status(run, succeeded);
    backend->forget(run);
    backend->advance();
  }
  EXPECT_EQ(kube->pods.size(), 1U);
  EXPECT_TRUE(kube->pods.contains(at(run_of(2))));
}

TEST_F(kubernetes_backend_test, nodes_are_told_when_they_have_changed) {
  int told = 0;
  open();
  backend->on_nodes_changed([&] { ++told; });
  ASSERT_EQ(backend->nodes().size(), 1U);
  kube->add_node(kube->nodes.at("n1"));
  pass(2s);
  EXPECT_EQ(told, 0) << "nothing that counts has changed";
  auto other = kube->nodes.at("n1");
  other["metadata"]["name"] = "n2";
  kube->add_node(other);
  kube->add_pod(json::parse(R"({"metadata":{"name":"x","namespace":"kube-system"},"spec":{
    "nodeName":"n1","containers":[{"resources":{"requests":{"cpu":"1"}}}]},
    "status":{"phase":"Running"}})"));
  backend->advance();
  EXPECT_EQ(backend->nodes().size(), 1U) << "changes are gathered for a moment";
  pass(2s);
  EXPECT_EQ(told, 1);
  ASSERT_EQ(backend->nodes().size(), 2U);
  EXPECT_EQ(backend->nodes()[0].allocatable[0].second, 3000);
}

/// Otherwise what is evicted from a drained node would be sent there again.
TEST_F(kubernetes_backend_test, nodes_that_take_less_are_told_at_once) {
  int told = 0;
  open();
  backend->on_nodes_changed([&] { ++told; });
  auto node = kube->nodes.at("n1");
  node["spec"]["unschedulable"] = true;
  kube->add_node(node);
  backend->advance();
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(backend->nodes().at(0).unschedulable);
  node["spec"]["taints"] = {{{"key", "spot"}, {"value", "going"}, {"effect", "NoSchedule"}}};
  kube->add_node(node);
  backend->advance();
  EXPECT_EQ(told, 2);
  node["spec"].erase("unschedulable");
  kube->add_node(node);
  backend->advance();
  EXPECT_EQ(told, 2) << "that it takes more is gathered for a moment";
}

TEST_F(kubernetes_backend_test, own_pods_are_not_taken_off_the_nodes) {
  open();
  auto pod = pod_of(run_of(1), json::parse(running));
  pod["spec"]["nodeName"] = "n1";
  pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "2";
  kube->add_pod(pod);
  pass(1min);
  EXPECT_EQ(backend->nodes()[0].allocatable[0].second, 4000);
}

TEST_F(kubernetes_backend_test, output_is_read_from_an_offset_on) {
  open();
  const auto run = start(1);
  kube->output[at(run)] = "hello world";
  auto chunk = read({run, 0, 5});
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->data, "hello");
  EXPECT_THAT(kube->last("GET"), HasSubstr("/log?timestamps=true&container=main"));
  chunk = read({run, chunk->next_offset, 100});
  EXPECT_EQ(chunk->data, " world");
  EXPECT_FALSE(chunk->end) << "the run has not ended";
  set_status(run, succeeded);
  EXPECT_TRUE(read({run, 11, 100})->end);
  EXPECT_EQ(read({run_of(9), 0, 1}).error().code, ec::not_found);
  EXPECT_EQ(read({run, 1ULL << 40, 1}).error().code, ec::too_large);
}

TEST_F(kubernetes_backend_test, its_own_thread_does_the_same) {
  config.manual_clock = nullptr;
  std::promise<void> ended;
  auto made = make_kubernetes_backend(config, kube, [&](const std::vector<run_event>& more) {
    for (const auto& each : more)
      if (each.phase == run_phase::pending)
        kube->set_status(at(each.run), json::parse(succeeded));
      else if (each.phase == run_phase::succeeded)
        ended.set_value();
  });
  ASSERT_TRUE(made) << made.error().detail;
  std::promise<void> ready;
  std::atomic<bool> told = false;
  const auto look = [&] {
    if ((*made)->is_ready() && !told.exchange(true)) ready.set_value();
  };
  (*made)->on_nodes_changed(look);
  look();
  ASSERT_EQ(ready.get_future().wait_for(1min), std::future_status::ready);
  EXPECT_EQ((*made)->nodes().size(), 1U);
  ASSERT_TRUE((*made)->adopt({}));
  (*made)->start(launch_of(run_of(1)));
  EXPECT_EQ(ended.get_future().wait_for(1min), std::future_status::ready);
  (*made)->shutdown();
  EXPECT_FALSE((*made)->adopt({}));
}

TEST_F(kubernetes_backend_test, nothing_is_told_after_shutdown) {
  open();
  const auto run = start(1);
  take_phases();
  backend->shutdown();
  kube->set_status(at(run), json::parse(succeeded));
  backend->advance();
  backend->shutdown();
  EXPECT_THAT(take_phases(), IsEmpty());
  EXPECT_TRUE(kube->pods.contains(at(run))) << "runs outlive their agent";
}

TEST_F(kubernetes_backend_test, keeps_with_the_pod_what_it_was_made_to_ask_for) {
  open();
  auto launch = launch_of(run_of(1));
  auto pod = manifest(run_of(1));
  pod["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", "500m"}, {"a.b/c", 2}};
  launch.pod = pod.dump();
  backend->start(launch);
  backend->advance();
  EXPECT_EQ(kube->pods.at(at(run_of(1)))["metadata"]["annotations"]["argosy.io/requests"],
            R"({"a.b/c":2,"cpu":500})");
}

}  // namespace
}  // namespace argosy::backends
