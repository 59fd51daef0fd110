// SPDX-License-Identifier: Apache-2.0
// Goal: a run whose volume is not reached from its node comes back at once, with the nodes that
// reach it, and no other run waits or fails for what the agent finds, or may not look at.
// Method: claims and volumes on an API server in memory; two nodes in two zones.
#include <gmock/gmock.h>

#include "runtime/backends/kubernetes/volumes/volume_reach.hpp"
#include "runtime/model/affinity.hpp"
#include "runtime/model/agent_run.hpp"
#include "tests/unit/kubernetes/attached_fixture.hpp"

namespace argosy::backends {
namespace {

using op = model::affinity_rule::op;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct volumes : attached_fixture {
  volumes() {
    kube->add_node(json::parse(R"({"metadata":{"name":"n2","labels":{
      "kubernetes.io/hostname":"host-2","zone":"z2"}},
      "status":{"allocatable":{"cpu":"4"},"conditions":[{"type":"Ready","status":"True"}]}})"));
  }

  void claim(const std::string& name, const std::string& volume) {
    json spec = json::object();
    if (!volume.empty()) spec["volumeName"] = volume;
    kube->attached["/api/v1/namespaces/jobs/persistentvolumeclaims/" + name] = {{"spec", spec}};
  }
  void volume(const std::string& name, const char* terms) {
    kube->attached["/api/v1/persistentvolumes/" + name] = {
        {"spec", {{"nodeAffinity", {{"required", {{"nodeSelectorTerms", json::parse(terms)}}}}}}}};
  }

  run_launch with_claims(const model::run_key& run, const std::vector<std::string>& claims) {
    auto out = with_objects(run);
    out.attached.clear();
    auto pod = json::parse(out.pod);
    for (const auto& each : claims)
      pod["spec"]["volumes"].push_back({{"persistentVolumeClaim", {{"claimName", each}}}});
    out.pod = pod.dump();
    return out;
  }
  model::run_key start_with(std::uint8_t serial, const std::vector<std::string>& claims) {
    const auto run = run_of(serial);
    backend->start(with_claims(run, claims));
    backend->advance();
    return run;
  }

  static constexpr const char* in_zone_2 =
      R"([{"matchExpressions":[{"key":"zone","operator":"In","values":["z2"]}]}])";
  static constexpr const char* in_zone_1 =
      R"([{"matchExpressions":[{"key":"zone","operator":"In","values":["z1"]}]}])";
  static constexpr const char* on_host_2 =
      R"([{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In",
        "values":["host-2"]}]}])";
};

TEST_F(volumes, that_are_elsewhere_have_their_run_come_back_at_once_and_say_where) {
  claim("data", "pv-7");
  volume("pv-7", in_zone_2);
  open();
  start_with(1, {"data"});
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.reason, model::reason_refused_here);
  EXPECT_EQ(last.outcome.message,
            "claim 'data' is bound to volume 'pv-7', which only nodes with zone in (z2) reach");
  EXPECT_THAT(last.outcome.reach,
              ElementsAre(ElementsAre(model::affinity_rule{"zone", op::in, {"z2"}})));
  EXPECT_THAT(kube->pods, IsEmpty());
}

TEST_F(volumes, that_the_node_reaches_are_no_obstacle) {
  claim("data", "pv-7");
  claim("shared", "nfs");
  volume("pv-7", in_zone_1);
  volume("nfs", "[]");
  open();
  const auto run = start_with(1, {"data", "shared"});
  EXPECT_TRUE(kube->pods.contains(at(run)));
}

TEST_F(volumes, in_two_places_say_both) {
  claim("a", "pv-a");
  claim("b", "pv-b");
  volume("pv-a", in_zone_2);
  volume("pv-b", on_host_2);
  open();
  start_with(1, {"a", "b"});
  take_phases();
  EXPECT_EQ(model::text_of(last.outcome.reach),
            "zone in (z2) and kubernetes.io/hostname in (host-2)");
}

TEST_F(volumes, of_labels_that_are_not_told_are_said_by_the_names_of_hosts) {
  config.rules.tracked_labels = {"rack"};
  claim("data", "pv-7");
  volume("pv-7", in_zone_2);
  open();
  start_with(1, {"data"});
  take_phases();
  EXPECT_EQ(model::text_of(last.outcome.reach), "kubernetes.io/hostname in (host-2)");
}

TEST_F(volumes, that_are_not_there_yet_block_nothing) {
  claim("waits-for-its-first-pod", "");
  claim("lost", "no-such-volume");
  open();
  std::uint8_t serial = 0;
  for (const auto* name : {"waits-for-its-first-pod", "lost", "no-such-claim"})
    EXPECT_TRUE(kube->pods.contains(at(start_with(++serial, {name})))) << name;
}

TEST_F(volumes, of_claims_whose_names_are_none_are_not_asked_for) {
  open();
  const auto before = kube->count("GET");
  start_with(1, {"../secrets/x", "a?watch=true", "", "A"});
  EXPECT_EQ(kube->count("GET"), before);
}

TEST_F(volumes, that_ask_for_more_than_labels_are_left_to_kubernetes) {
  claim("data", "pv-7");
  volume("pv-7", R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["n2"]}]}])");
  open();
  EXPECT_TRUE(kube->pods.contains(at(start_with(1, {"data"}))));
}

TEST_F(volumes, at_which_the_agent_may_not_look_are_not_asked_for_again) {
  claim("data", "pv-7");
  volume("pv-7", in_zone_2);
  open();
  const auto gets = [this] {
    return std::ranges::count_if(kube->requests, [](const kube::request& each) {
      return each.path.find("/persistentvolume") != std::string::npos;
    });
  };
  kube->faults = {{"GET", kube::answer{403, R"({"message":"forbidden"})"}}};
  EXPECT_TRUE(kube->pods.contains(at(start_with(1, {"data"}))));
  EXPECT_EQ(gets(), 1);
  EXPECT_TRUE(kube->pods.contains(at(start_with(2, {"data"}))));
  EXPECT_EQ(gets(), 1) << "a right that is missing is not asked for with each job";
  pass(11min);
  start_with(3, {"data"});
  EXPECT_EQ(gets(), 3) << "it may have been given meanwhile";
  EXPECT_FALSE(kube->pods.contains(at(run_of(3))));
}

TEST_F(volumes, are_looked_at_before_services_are_made) {
  claim("data", "pv-7");
  volume("pv-7", in_zone_2);
  open();
  auto launch = with_claims(run_of(1), {"data"});
  launch.attached = with_objects(run_of(1)).attached;
  backend->start(launch);
  backend->advance();
  EXPECT_EQ(kube->count("POST"), 0U);
  volume("pv-7", in_zone_1);
  auto again = with_claims(run_of(2), {"data"});
  again.attached = with_objects(run_of(2)).attached;
  backend->start(again);
  backend->advance();
  EXPECT_TRUE(kube->attached.contains(service_of(run_of(2))));
  EXPECT_TRUE(kube->pods.contains(at(run_of(2))));
}

TEST_F(volumes, of_a_run_that_is_stopped_meanwhile_make_no_pod) {
  open();
  kube->silent = true;
  const auto run = start_with(1, {"data"});
  stop(run);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
  kube->silent = false;
  for (auto& each : std::exchange(kube->held, {})) each(kube::answer{404, "{}"});
  backend->advance();
  EXPECT_THAT(kube->pods, IsEmpty());
}

TEST_F(volumes, are_waited_for_no_longer_than_the_server_takes) {
  open();
  kube->silent = true;
  const auto run = start_with(1, {"data"});
  kube->silent = false;
  for (auto& each : std::exchange(kube->held, {})) each(fail(ec::timeout, "no answer"));
  backend->advance();
  EXPECT_TRUE(kube->pods.contains(at(run)));
}

}  // namespace
}  // namespace argosy::backends
