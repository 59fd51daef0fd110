// SPDX-License-Identifier: Apache-2.0
// Goal: a pod whose image, arguments and resources alone say what to run works unchanged where
// somebody tries Argosy out. Method: argosyd --dev, argosyctl, and a registry beside it that stands
// for Docker Hub.
#include <signal.h>

#include "tests/integration/containers/local_registry.hpp"
#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/signals.hpp"

namespace argosy::testing {

namespace {

/// As Armada's documents have it, but for the time that it takes.
constexpr const char* example = R"(queue: q
jobSetId: job-set-1
jobs:
  - priority: 0
    podSpecs:
      - terminationGracePeriodSeconds: 0
        restartPolicy: Never
        containers:
          - name: sleeper
            image: busybox:latest
            imagePullPolicy: IfNotPresent
            args: [sleep, 0.2s]
            resources:
              requests: {memory: 64Mi, cpu: 150m}
              limits: {memory: 64Mi, cpu: 150m}
)";

class dev_containers : public deployment_fixture {
 protected:
  void SetUp() override {
    if (const auto lack = local_registry::lack(); !lack.empty()) GTEST_SKIP() << lack;
    registry_ = std::make_unique<local_registry>(world.folder() / "registry");
    const auto pushed = registry_->push("busybox");
    ASSERT_EQ(pushed.code, 0) << pushed.err;
    world.with_images = true;
    world.more_environment = {"CONTAINERS_REGISTRIES_CONF=" + registry_->conf()};
    start_with_queue();
    const auto joined = [&] {
      return world.log().find("a cluster has joined") != std::string::npos;
    };
    ASSERT_TRUE(eventually(joined)) << world.log();
    if (world.log().find("runs no images") != std::string::npos)
      GTEST_SKIP() << "this machine runs no images: " << world.log();
  }
  std::unique_ptr<local_registry> registry_;
};

TEST_F(dev_containers, the_example_of_the_documents_runs_unchanged) {
  const auto sent = world.ctl({"submit", world.write("job.yaml", example), "-o", "name"});
  ASSERT_EQ(sent.code, 0) << sent.err;
  const auto id = lines_of(sent.out).at(0).substr(4);
  EXPECT_EQ(wait_for(id), 0) << world.job(id) << world.log();
  EXPECT_NE(world.ctl({"describe", id}).out.find("sha256:"), std::string::npos)
      << world.ctl({"describe", id}).out << world.job(id);
}

TEST_F(dev_containers, a_command_runs_in_an_image_or_without) {
  const auto in = world.ctl({"run", "-q", "q", "--image", "busybox", "--", "sh", "-c",
                             "ls /bin | head -n 1; cat /etc/debian_version"});
  EXPECT_EQ(in.out, "busybox\n") << in.err;
  EXPECT_EQ(in.code, 1) << "there is no such file";
  const auto out = world.ctl({"run", "-q", "q", "--", "sh", "-c", "ls /etc/passwd"});
  EXPECT_EQ(out.out, "/etc/passwd\n") << out.err;
  const auto absent =
      world.ctl({"run", "-q", "q", "--detach", "-o", "name", "--image", "absent", "--", "true"});
  const auto id = lines_of(absent.out).at(0).substr(4);
  EXPECT_EQ(wait_for(id), 10);
  EXPECT_NE(world.ctl({"describe", id}).out.find("cannot pull image 'absent'"), std::string::npos)
      << world.ctl({"describe", id}).out;
}

TEST_F(dev_containers, go_on_when_the_server_is_killed) {
  const auto sent = world.ctl(
      {"run", "-q", "q", "--detach", "-o", "name", "--image", "busybox", "--", "sleep", "2"});
  ASSERT_EQ(sent.code, 0) << sent.err;
  const auto id = lines_of(sent.out).at(0).substr(4);
  ASSERT_EQ(wait_for(id, "running"), 0);
  world.server.kill();
  ASSERT_TRUE(world.start());
  EXPECT_EQ(wait_for(id), 0) << world.job(id);
  EXPECT_EQ(world.job(id).find("\"run\":2"), std::string::npos) << world.job(id);
}

}  // namespace

}  // namespace argosy::testing
