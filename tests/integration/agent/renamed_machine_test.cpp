// SPDX-License-Identifier: Apache-2.0
// Goal: a machine that is renamed stays one node with its runs, and a copy of its data directory is
// another. Method: the agent program in a name space of the test, whose host name changes between
// its starts, and a control plane that is part of the test.
#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/integration/agent/agent_fixture.hpp"

namespace argosy {

using renamed_machine = agent_fixture;

TEST_F(renamed_machine, stays_the_same_node_with_its_runs) {
  // The name belongs to this thread and its children alone.
  if (::unshare(CLONE_NEWUTS) != 0) GTEST_SKIP() << "only root may rename a machine";
  const auto rename_machine = [](std::string_view name) {
    ASSERT_EQ(::sethostname(name.data(), name.size()), 0);
  };
  rename_machine("Before_1");
  start_agent();
  wait_until([&] { return heartbeats_ > 1; }, "heartbeats");
  const auto run = shell("exec sleep 1000");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::running);
  std::size_t hellos = 1;
  for (const auto& name : {std::string{"after"}, std::string{}, std::string(64, 'x')}) {
    kill_agent();
    rename_machine(name);
    start_agent();
    wait_until([&] { return hellos_.size() == hellos + 1; }, "the next hello");
    const std::lock_guard guard{mutex_};
    const auto& hello = hellos_.at(hellos++);
    ASSERT_EQ(hello.nodes.size(), 1U);
    EXPECT_EQ(hello.nodes[0].name, "before-1");
    EXPECT_EQ(hello.cluster.incarnation, hellos_[0].cluster.incarnation);
    ASSERT_EQ(hello.runs.size(), 1U) << name;
    EXPECT_EQ(hello.runs[0].phase, run_phase::running);
    EXPECT_NE(
        hello.trouble.lacks.find("node before-1 keeps its name, though its machine is called"),
        std::string::npos)
        << hello.trouble.lacks;
    EXPECT_EQ(hello.trouble.why, "") << "it begins runs";
  }
  {
    const std::lock_guard guard{mutex_};
    EXPECT_EQ(hellos_[0].trouble.lacks, "");
  }
  // A copy elsewhere is another machine, with the name that it has there.
  kill_agent();
  rename_machine("copy");
  std::filesystem::rename(data_dir(), folder_.path() / "original");
  const auto copy =
      "cp -a '" + (folder_.path() / "original").string() + "' '" + data_dir().string() + "'";
  ASSERT_EQ(std::system(copy.c_str()), 0);
  start_agent();
  wait_until([&] { return hellos_.size() == hellos + 1; }, "the copy's hello");
  const std::lock_guard guard{mutex_};
  EXPECT_EQ(hellos_.back().nodes.at(0).name, "copy");
  EXPECT_TRUE(hellos_.back().runs.empty());
}

}  // namespace argosy
