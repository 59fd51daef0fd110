// SPDX-License-Identifier: Apache-2.0
// Goal: an agent that cannot use its cluster says what is wrong and where, and ends or waits; what
// jobs ask of a cluster at the limits of their size becomes a pod or a refusal in words.
// Method: the real programs against a cluster in memory, with kubeconfig files that are wrong.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "tests/integration/kube/programs_fixture.hpp"

namespace argosy::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

class kube_access : public programs_fixture {
 protected:
  /// What the agent says, which has to end with a failure.
  std::string words_with(const std::string& file) {
    kubeconfig = file;
    auto agent = start_agent();
    const auto code = agent.wait(20s);
    EXPECT_TRUE(code && *code != 0) << file;
    return agent_log();
  }
  std::string words_of(const std::string& text) {
    return words_with(world.write("wrong-kubeconfig", text));
  }
  /// What status says of the cluster of an agent that waits for it, once it has these words.
  std::string status_with(const std::string& file, const std::vector<std::string>& words) {
    kubeconfig = file;
    auto agent = start_agent();
    std::string out;
    const auto told = [&] {
      out = world.ctl({"status"}).out;
      return std::ranges::all_of(
          words, [&](const auto& word) { return out.find(word) != std::string::npos; });
    };
    EXPECT_TRUE(eventually(told, 30s)) << out << agent_log();
    agent.signal(SIGTERM);
    EXPECT_EQ(agent.wait(20s), 0) << "it waits, and ends in order";
    return out;
  }
  [[nodiscard]] std::string with(const std::string& from, const std::string& to) const {
    auto text = content_of(kubeconfig_before_);
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  void SetUp() override {
    if (std::getenv("ARGOSY_REAL_CLUSTER") != nullptr) GTEST_SKIP() << "it is in memory";
    programs_fixture::SetUp();
    kubeconfig_before_ = kubeconfig;
  }

  std::string kubeconfig_before_;
};

TEST_F(kube_access, that_is_wrong_is_named_with_its_place) {
  EXPECT_THAT(words_with("/nowhere/kubeconfig"),
              AllOf(HasSubstr("kubernetes.kubeconfig"), HasSubstr("/nowhere/kubeconfig")));
  EXPECT_THAT(words_of("clusters: [{name: c\n"), HasSubstr("wrong-kubeconfig:"));
  EXPECT_THAT(words_of(with("current-context: x", "")), HasSubstr("there is no current-context"));
  EXPECT_THAT(words_of(with("current-context: x", "current-context: y")),
              HasSubstr("there is no context 'y'"));
}

TEST_F(kube_access, that_can_be_mended_is_waited_for_and_told_by_status) {
  const auto token =
      world.write("no-token", with("user: {token: secret}", "user: {tokenFile: /nowhere/token}"));
  status_with(token, {"cluster kube is away", "'/nowhere/token' cannot be read"});
  const auto program = world.write(
      "no-program", with("user: {token: secret}",
                         "user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: "
                         "/bin/false}}"));
  status_with(program, {"cluster kube is away", "/bin/false", "code 1"});
  const auto server = client->server();
  const auto port = server.substr(server.rfind(':'));
  const auto nobody = world.write("nobody", with(port, ":1"));
  status_with(nobody, {"cluster kube is away", ":1 ", "'" + nobody + "'"});
  kubeconfig = kubeconfig_before_;
  const auto agent = start_agent();
  const auto id = submit({"true"});
  EXPECT_EQ(wait_for(id, "done", limit), 0) << agent_log();
}

TEST_F(kube_access, by_several_files_is_that_of_their_contexts_and_leaves_missing_files_aside) {
  EXPECT_THAT(words_with("/nowhere/1:/nowhere/2"), HasSubstr("'/nowhere/1'"));
  const auto first = world.write("first-kubeconfig", "current-context: x\nusers: []\n");
  const auto rest =
      world.write("rest-kubeconfig", with("current-context: x", "current-context: y"));
  kubeconfig = "/nowhere/kubeconfig:" + first + ":" + rest;
  const auto agent = start_agent();
  const auto id = submit({"true"});
  EXPECT_EQ(wait_for(id, "done", limit), 0) << agent_log();
}

TEST_F(kube_access, without_rights_names_each_that_is_missing) {
  const auto refused = [](const std::string& what) {
    return what + " is forbidden: User \"agent\" cannot list resource \"" + what + "\"";
  };
  cluster.refuse({"GET", "/nodes", 403, refused("nodes"), 100});
  cluster.refuse({"GET", "/pods", 403, refused("pods"), 100});
  status_with(kubeconfig, {"cannot list resource \"nodes\"", "cannot list resource \"pods\""});
}

TEST_F(kube_access, specifications_and_annotations_at_their_limits_are_pods_or_refused_in_words) {
  const auto agent = start_agent();
  const auto large = submit({"true # " + std::string(60'000, 'x')});
  EXPECT_EQ(wait_for(large, "done", limit), 0) << agent_log();
  const auto file = world.write("large.yaml",
                                "queue: q\njobSetId: s\njobs:\n  - podSpec:\n      containers:\n"
                                "        - {name: main, image: i, command: [/bin/sh, -c, '" +
                                    std::string(66'000, 'x') +
                                    "'], resources: {requests: {cpu: 1, memory: 1Gi}, limits: "
                                    "{cpu: 1, memory: 1Gi}}}\n");
  const auto got = world.ctl({"submit", file});
  EXPECT_NE(got.code, 0);
  EXPECT_THAT(got.err, HasSubstr("65535"));
  // An API server takes no more annotations than that, so that none is sent with more.
  const auto annotated = world.write(
      "annotated.yaml",
      "queue: q\njobSetId: s\njobs:\n  - annotations: {one: " + std::string(150'000, 'x') +
          ", two: " + std::string(150'000, 'x') +
          "}\n    podSpec:\n      containers:\n        - {name: main, image: i, resources: "
          "{requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}}}\n");
  const auto refused = world.ctl({"submit", annotated});
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, HasSubstr("labels and annotations have more than 262144 bytes"));
}

TEST_F(kube_access, names_at_their_limits_are_those_of_pods) {
  pod_job job{"true"};
  job.container = std::string(63, 'c');
  job.name_space = other_namespace = std::string(63, 'n');
  const auto agent = start_agent();
  const auto id = submit(job);
  EXPECT_EQ(wait_for(id, "done", limit), 0) << agent_log();
  EXPECT_EQ(cluster.names("pods").front(), job.name_space + "/armada-" + id + "-0");
}

}  // namespace
}  // namespace argosy::testing
