// SPDX-License-Identifier: Apache-2.0
// Goal: a pod with images reaches a backend that can run them whole, and one that asks for more is
// told which field is in the way. Method: specifications as protobuf, read as plans and shapes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/codec/process_plan_codec.hpp"
#include "messages/codec/submit/pod_shape.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

namespace core = k8s::io::api::core::v1;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

core::PodSpec sleeper() {
  core::PodSpec pod;
  auto& container = *pod.add_containers();
  container.set_name("sleeper");
  container.set_image("busybox:latest");
  for (const char* word : {"sleep", "60s"}) container.add_args(word);
  return pod;
}

model::process_plan plan_of(const core::PodSpec& pod) {
  log::v1::JobSpec spec;
  *spec.mutable_pod_spec() = pod;
  model::start_run order;
  order.run = {id_of(1), 2};
  order.spec = std::make_shared<const std::string>(spec.SerializeAsString());
  auto plan = decode_process_plan(order, model::plan_contents::containers);
  EXPECT_TRUE(plan);
  return plan.value_or(model::process_plan{});
}

TEST(pod_containers, image_and_arguments_alone_are_enough) {
  const auto pod = sleeper();
  EXPECT_EQ(process_obstacle(pod), "podSpec.containers[0].command");
  EXPECT_EQ(container_obstacle(pod), "");
  const auto plan = plan_of(pod);
  ASSERT_EQ(plan.containers.size(), 1U);
  EXPECT_EQ(plan.containers[0].image, "busybox:latest");
  EXPECT_EQ(plan.containers[0].pull, model::pull_policy::by_name);
  EXPECT_THAT(plan.containers[0].args, ElementsAre("sleep", "60s"));
  EXPECT_THAT(plan.containers[0].env, Contains(Pair("ARGOSY_RUN", ::testing::_)));
  EXPECT_TRUE(plan.argv.empty());
}

TEST(pod_containers, without_an_image_are_a_process) {
  auto pod = sleeper();
  pod.mutable_containers(0)->set_image("none");
  pod.mutable_containers(0)->add_command("run");
  EXPECT_FALSE(has_image(pod));
  const auto plan = plan_of(pod);
  EXPECT_TRUE(plan.containers.empty());
  EXPECT_THAT(plan.argv, ElementsAre("run", "sleep", "60s"));
}

TEST(pod_containers, bring_all_that_they_ask_for) {
  auto pod = sleeper();
  pod.set_hostname("h");
  pod.add_imagepullsecrets()->set_name("mine");
  pod.mutable_securitycontext()->set_runasuser(7);
  auto& init = *pod.add_initcontainers();
  init.set_name("first");
  init.set_image("tool@sha256:1");
  auto& main = *pod.mutable_containers(0);
  main.set_imagepullpolicy("Never");
  main.mutable_securitycontext()->set_privileged(true);
  (*main.mutable_resources()->mutable_limits())["memory"].set_string("64Mi");
  auto& variable = *main.add_env();
  variable.set_name("A");
  variable.set_value("$(ARGOSY_RUN)");
  auto& volume = *pod.add_volumes();
  volume.set_name("scratch");
  volume.mutable_volumesource()->mutable_emptydir()->set_medium("Memory");
  auto& host = *pod.add_volumes();
  host.set_name("data");
  host.mutable_volumesource()->mutable_hostpath()->set_path("/srv");
  auto& mount = *main.add_volumemounts();
  mount.set_name("data");
  mount.set_mountpath("/data");
  mount.set_readonly(true);
  EXPECT_EQ(container_obstacle(pod), "");
  const auto plan = plan_of(pod);
  ASSERT_EQ(plan.containers.size(), 2U);
  EXPECT_TRUE(plan.containers[0].init);
  EXPECT_EQ(plan.containers[0].pull, model::pull_policy::by_name);
  EXPECT_EQ(plan.containers[0].user, 7U);
  const auto& read = plan.containers[1];
  EXPECT_EQ(read.pull, model::pull_policy::never);
  EXPECT_THAT(read.limits, ElementsAre(Pair("memory", 64 << 20)));
  EXPECT_THAT(read.env, Contains(Pair("A", ::testing::Not(""))));
  EXPECT_THAT(read.mounts, ElementsAre(model::volume_mount{"data", "/data", {}, true}));
  EXPECT_THAT(plan.volumes, ElementsAre(model::pod_volume{"scratch", {}, true, 0},
                                        model::pod_volume{"data", "/srv", false, 0}));
  EXPECT_THAT(plan.pull_secrets, ElementsAre("mine"));
  EXPECT_THAT(plan.ignored, ElementsAre("podSpec.containers[0].securityContext.privileged"));
}

TEST(pod_containers, what_cannot_be_kept_is_named) {
  const auto obstacle = [](const std::function<void(core::PodSpec&)>& change) {
    auto pod = sleeper();
    change(pod);
    EXPECT_EQ(process_obstacle(pod), container_obstacle(pod))
        << "what is in the way of both is named first";
    return container_obstacle(pod);
  };
  EXPECT_EQ(
      obstacle([](auto& pod) { pod.add_volumes()->mutable_volumesource()->mutable_configmap(); }),
      "podSpec.volumes[0].configMap");
  EXPECT_EQ(obstacle([](auto& pod) { pod.mutable_containers(0)->add_envfrom()->set_prefix("x"); }),
            "podSpec.containers[0].envFrom");
  EXPECT_EQ(obstacle([](auto& pod) { pod.set_runtimeclassname("kata"); }),
            "podSpec.runtimeClassName");
  EXPECT_EQ(obstacle([](auto& pod) { pod.add_initcontainers()->set_image("none"); }),
            "podSpec.initContainers[0].image");
  EXPECT_EQ(obstacle([](auto& pod) {
              pod.add_initcontainers()->set_image("a");
              pod.mutable_initcontainers(0)->set_restartpolicy("Always");
            }),
            "podSpec.initContainers[0].restartPolicy");
}

}  // namespace
}  // namespace argosy::codec
