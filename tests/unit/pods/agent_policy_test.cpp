// SPDX-License-Identifier: Apache-2.0
// Goal: an agent makes no pod that its policy does not allow, and fills in what a pod leaves open.
// Method: an API server in memory, and manifests as the control plane would have let them pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/model/agent_run.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct pod_policy_test : kubernetes_fixture {
  /// Starts a run of the queue whose spec also has these members. Returns the run.
  model::run_key start_with(std::uint8_t serial, const json& spec, const std::string& queue = "q") {
    const auto run = run_of(serial);
    auto launch = launch_of(run);
    auto order = std::make_shared<model::start_run>(*launch.order);
    order->queue = model::queue_name{queue};
    launch.order = order;
    auto pod = manifest(run);
    pod["spec"].update(spec);
    launch.pod = pod.dump();
    backend->start(std::move(launch));
    backend->advance();
    return run;
  }

  const json evil = json::parse(R"({"hostPID": true, "serviceAccountName": "agent",
    "volumes": [{"name": "v", "hostPath": {"path": "/"}}]})");
};

TEST_F(pod_policy_test, without_a_word_of_the_operator_it_is_baseline) {
  open();
  start_with(1, evil);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.reason, model::reason_unsupported);
  EXPECT_THAT(last.outcome.message,
              HasSubstr("podSpec.hostPID: 'pid' shares a namespace of the node; the level baseline "
                        "of Pod Security, which queue 'q' has, does not allow it; an operator can "
                        "change hostNamespaces in kubernetes.podPolicies of the agent of cluster "
                        "'east'; not allowed either: podSpec.volumes[0].hostPath, "
                        "podSpec.serviceAccountName"));
  EXPECT_THAT(kube->pods, IsEmpty());
}

TEST_F(pod_policy_test, a_plain_pod_gets_a_seccomp_profile_and_fewer_capabilities) {
  open();
  const auto& spec = kube->pods.at(at(start_with(1, json::object())))["spec"];
  EXPECT_EQ(spec["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
  EXPECT_EQ(spec["containers"][0]["securityContext"]["capabilities"]["drop"],
            json({"AUDIT_WRITE", "MKNOD", "NET_RAW", "SETFCAP", "SYS_CHROOT"}));
}

TEST_F(pod_policy_test, each_queue_has_its_own) {
  config.rules.policies.resize(2);
  config.rules.policies[0].queues = {"trusted"};
  config.rules.policies[0].level = access::pod_level::privileged;
  config.rules.policies[1].level = access::pod_level::restricted;
  open();
  const auto& as_it_is = kube->pods.at(at(start_with(1, evil, "trusted")))["spec"];
  EXPECT_EQ(as_it_is["hostPID"], true);
  EXPECT_FALSE(as_it_is.contains("securityContext"));
  const auto& strict = kube->pods.at(at(start_with(2, json::object())))["spec"];
  EXPECT_EQ(strict["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(strict["containers"][0]["securityContext"]["allowPrivilegeEscalation"], false);
  EXPECT_EQ(strict["containers"][0]["securityContext"]["capabilities"]["drop"], json({"ALL"}));
  start_with(3, {{"securityContext", {{"runAsUser", 0}}}});
  take_phases();
  EXPECT_EQ(last.outcome.reason, model::reason_unsupported);
}

TEST_F(pod_policy_test, a_job_marks_no_pod_as_another_control_planes) {
  open();
  const auto run = run_of(1);
  auto launch = launch_of(run);
  auto pod = manifest(run);
  pod["metadata"]["labels"]["argosy.io/control-plane"] = "other";
  pod["metadata"]["labels"]["argosy.io/cluster"] = "west";
  launch.pod = pod.dump();
  backend->start(std::move(launch));
  backend->advance();
  const auto& made = kube->pods.at(at(run))["metadata"];
  EXPECT_EQ(made["labels"]["argosy.io/control-plane"], "cp1");
  EXPECT_EQ(made["labels"]["argosy.io/cluster"], "east");
}

TEST_F(pod_policy_test, services_and_ingresses_are_judged_as_well) {
  config.rules.policies.resize(1);
  config.rules.policies[0].services = {"Ingress"};
  open();
  const auto start_with_object = [&](std::uint8_t serial, const json& object) {
    auto launch = launch_of(run_of(serial));
    launch.attached = {object.dump()};
    backend->start(std::move(launch));
    backend->advance();
    return take_phases();
  };
  const auto meta = json::parse(R"({"name": "s", "namespace": "jobs", "labels": {},
    "annotations": {}})");
  EXPECT_THAT(start_with_object(
                  1, {{"kind", "Service"}, {"metadata", meta}, {"spec", {{"type", "NodePort"}}}}),
              ElementsAre(run_phase::refused));
  EXPECT_THAT(last.outcome.message, HasSubstr("services: 'NodePort' is a way to reach the pod"));
  auto told = meta;
  told["annotations"]["nginx.ingress.kubernetes.io/server-snippet"] = "x";
  EXPECT_THAT(
      start_with_object(
          2, {{"kind", "Ingress"}, {"metadata", told}, {"spec", {{"rules", json::array()}}}}),
      ElementsAre(run_phase::refused));
  EXPECT_THAT(last.outcome.message, HasSubstr("server-snippet' is an annotation"));
  EXPECT_THAT(kube->attached, IsEmpty());
}

}  // namespace
}  // namespace argosy::backends
