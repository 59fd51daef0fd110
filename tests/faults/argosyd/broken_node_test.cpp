// SPDX-License-Identifier: Apache-2.0
// Goal: a machine that cannot start runs, and a shim that is killed, fail no job; an operator ends
// the quarantine of such a machine. Method: an agent from which argosy-shim is taken away beside
// one that has it; SIGKILL to the shim of a run; witness files that the jobs write.
#include <csignal>
#include <filesystem>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class broken_node : public deployment_fixture {
 protected:
  void SetUp() override { start_with_queue(); }

  /// An agent whose shim is a copy that can be taken away.
  child start_agent_with_own_shim(const std::string& cluster) const {
    const auto bin = world.folder() / "bin";
    std::filesystem::create_directory(bin);
    for (const auto* name : {"argosy-agent", "argosy-shim"})
      std::filesystem::copy_file(std::filesystem::path{ARGOSY_BIN_DIR} / name, bin / name);
    return world.start_program(
        {(bin / "argosy-agent").string(), "--cluster", cluster, "--nats", world.url(), "--data-dir",
         (world.folder() / "agent").string(), "--backend", "process"},
        "agent");
  }
};

TEST_F(broken_node, without_its_shim_costs_no_job_and_is_quarantined) {
  auto agent = start_agent_with_own_shim("broken");
  const auto nodes = [&] { return world.ctl({"get", "nodes", "--no-headers"}).out; };
  ASSERT_TRUE(eventually([&] { return nodes().find("broken") != std::string::npos; })) << nodes();
  std::filesystem::remove(world.folder() / "bin" / "argosy-shim");
  const auto ids = world.submit(std::vector<job_text>(60, {"true", "", "", "100m"}));
  ASSERT_EQ(ids.size(), 60u);
  for (const auto& id : ids) ASSERT_EQ(wait_for(id), 0) << world.job(id);
  EXPECT_NE(nodes().find("quarantined"), std::string::npos) << nodes();
  auto name = world.ctl({"get", "nodes", "--cluster", "broken", "-o", "name"}).out;
  ASSERT_EQ(name.rfind("node/broken/", 0), 0u) << name;
  name = name.substr(0, name.find('\n'));
  const std::vector<std::string> release{"node", "release", name.substr(5), "--reason", "mended"};
  const auto done = world.ctl(release);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, name + " released\n");
  EXPECT_EQ(nodes().find("quarantined"), std::string::npos) << nodes();
  const auto again = world.ctl(release);
  EXPECT_EQ(again.code, 6) << again.err;
  EXPECT_NE(again.err.find("is not quarantined"), std::string::npos) << again.err;
}

TEST_F(broken_node, whose_shim_is_killed_begins_the_run_again) {
  const auto go = (world.folder() / "go").string();
  const auto ids =
      world.submit({{witness("run") + "; while [ ! -e " + go + " ]; do sleep 0.02; done"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_TRUE(eventually([&] { return witnessed("run").size() == 1; }));
  for (const auto shim : world.processes("argosy-shim")) ::kill(shim, SIGKILL);
  ASSERT_TRUE(eventually([&] { return witnessed("run").size() == 2; })) << world.job(ids[0]);
  world.write("go", "");
  EXPECT_EQ(wait_for(ids[0]), 0);
  EXPECT_NE(world.ctl({"describe", ids[0]}).out.find("its run was lost"), std::string::npos);
}

}  // namespace

}  // namespace argosy::testing
