// SPDX-License-Identifier: Apache-2.0
// Goal: clusters come and go while argosyd runs, and two agents of one name do no harm. Method:
// real agents with simulated nodes, or with processes; jobs that only fit there; SIGTERM and
// SIGKILL of the agents.
#include <signal.h>

#include <algorithm>

#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/signals.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class clusters : public deployment_fixture {
 protected:
  void SetUp() override {
    start_with_queue({"--config", world.write("argosyd.yaml",
                                              "agents:\n"
                                              "  heartbeat: 100ms\n"
                                              "  silenceMax: 1s\n")});
    simulated_ = world.write("agent.yaml",
                             "simulated:\n"
                             "  nodes:\n"
                             "    - name: far\n"
                             "      count: 3\n"
                             "      labels: {zone: far}\n"
                             "      resources: {cpu: 4, memory: 8Gi, ephemeral-storage: 10Gi}\n"
                             "  runTime: 100ms\n");
  }

  child start_simulated() const {
    return world.start_agent("extra", {"--backend", "simulated", "--config", simulated_});
  }

  std::vector<std::string> submit_far(int count, const std::string& set) const {
    return world.submit(std::vector<job_text>(static_cast<std::size_t>(count),
                                              {"true", "nodeSelector: {zone: far}"}),
                        set);
  }

  /// The row of a cluster in the table.
  std::string row(const std::string& name) const {
    for (const auto& line : lines_of(world.ctl({"get", "clusters", "--no-headers"}).out))
      if (line.starts_with(name + " ")) return line;
    return {};
  }
  bool shows(const std::string& name, const std::string& state) const {
    return row(name).find(state) != std::string::npos;
  }

  /// How many lines of argosyd's log have this message about the cluster.
  std::ptrdiff_t times_logged(const std::string& message, const std::string& cluster) const {
    const auto lines = lines_of(world.log());
    return std::ranges::count_if(lines, [&](const std::string& line) {
      return line.find("\"msg\":\"" + message + "\"") != std::string::npos &&
             line.find("\"cluster\":\"" + cluster + "\"") != std::string::npos;
    });
  }

  std::string simulated_;
};

TEST_F(clusters, an_agent_in_a_process_of_its_own_adds_to_the_trace_of_a_job) {
  const auto agent = start_simulated();
  const auto ids = submit_far(1, "traced");
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0]), 0);
  const auto trace = [&] { return world.ctl({"trace", ids[0], "--all", "-o", "json"}).out; };
  EXPECT_TRUE(eventually([&] {
    const auto spans = trace();
    return spans.find("argosy-agent/extra") != std::string::npos &&
           spans.find("simulated backend") != std::string::npos &&
           spans.find("\"argosyd\"") != std::string::npos;
  })) << trace();
}

TEST_F(clusters, work_flows_to_a_cluster_that_is_added) {
  const auto waiting = submit_far(10, "before");
  ASSERT_EQ(waiting.size(), 10u);
  EXPECT_TRUE(has_state(waiting[0], "QUEUED"));
  auto agent = start_simulated();
  for (const auto& id : waiting) EXPECT_EQ(wait_for(id), 0);
  EXPECT_NE(world.job(waiting[0]).find("\"cluster\":\"extra\""), std::string::npos);
  const auto names = world.ctl({"get", "clusters", "-o", "name"}).out;
  EXPECT_NE(names.find("cluster/extra\n"), std::string::npos) << names;
  EXPECT_NE(names.find("cluster/local\n"), std::string::npos) << names;
  const auto nodes = world.ctl({"get", "nodes", "-o", "name"}).out;
  for (const auto* node : {"far-1", "far-2", "far-3"})
    EXPECT_NE(nodes.find(node), std::string::npos) << nodes;
  EXPECT_EQ(lines_of(content_of(world.folder() / "ready-extra")).at(0), world.url());
}

TEST_F(clusters, a_silent_cluster_gets_no_work_until_it_is_back) {
  auto agent = start_simulated();
  ASSERT_TRUE(eventually([&] { return shows("extra", "connected"); })) << row("extra");
  agent.kill();
  ASSERT_TRUE(eventually([&] { return shows("extra", "silent"); })) << row("extra");
  EXPECT_EQ(times_logged("a cluster has joined", "extra"), 1);
  EXPECT_EQ(times_logged("a cluster is silent; its nodes take no new jobs", "extra"), 1);
  const auto far = submit_far(1, "silent");
  const auto near = world.submit({{"true"}}, "near");
  ASSERT_EQ(far.size() + near.size(), 2u);
  EXPECT_EQ(wait_for(near[0]), 0) << "the other cluster goes on";
  EXPECT_TRUE(has_state(far[0], "QUEUED"));
  auto again = start_simulated();
  EXPECT_EQ(wait_for(far[0]), 0);
  EXPECT_EQ(times_logged("a cluster is heard again", "extra"), 1);
}

TEST_F(clusters, a_cluster_that_leaves_in_order_is_gone_and_not_silent) {
  auto agent = start_simulated();
  ASSERT_TRUE(eventually([&] { return shows("extra", "connected"); })) << row("extra");
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(20s), 0);
  EXPECT_TRUE(eventually([&] { return shows("extra", "gone"); })) << row("extra");
  EXPECT_EQ(times_logged("a cluster has left", "extra"), 1);
  const auto nodes = world.ctl({"get", "nodes", "-o", "name"}).out;
  EXPECT_EQ(nodes.find("far-"), std::string::npos) << nodes;
  const auto far = submit_far(1, "gone");
  ASSERT_EQ(far.size(), 1u);
  EXPECT_EQ(world.ctl({"cancel", far[0], "--wait"}).code, 0);
}

/// The lease of the run lasts ten minutes; the job starts elsewhere long before it ends.
TEST_F(clusters, jobs_of_a_forgotten_cluster_start_elsewhere_at_once) {
  const auto config = world.write("doomed.yaml", "process: {labels: {zone: far}}\n");
  auto agent = world.start_agent("doomed", {"--backend", "process", "--config", config});
  const auto ids = world.submit({{witness("runs") + "; sleep 60", "nodeSelector: {zone: far}"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0], "running"), 0);
  const auto early = world.ctl({"cluster", "forget", "doomed", "--yes"});
  EXPECT_EQ(early.code, 6) << early.err;
  EXPECT_NE(early.err.find("is connected"), std::string::npos) << early.err;
  agent.kill();
  for (const auto pid : world.processes("argosy-shim")) send_signal(pid, SIGKILL);
  ASSERT_TRUE(eventually([&] { return shows("doomed", "silent"); })) << row("doomed");
  const auto done = world.ctl({"cluster", "forget", "doomed", "--reason", "a test", "--yes"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "cluster/doomed forgotten, 1 run counts as stopped\n");
  EXPECT_TRUE(eventually([&] { return row("doomed").empty(); })) << row("doomed");
  auto other = world.start_agent("heir", {"--backend", "process", "--config", config});
  EXPECT_TRUE(eventually([&] { return witnessed("runs").size() == 2; })) << world.job(ids[0]);
  EXPECT_NE(world.job(ids[0]).find("\"cluster\":\"heir\""), std::string::npos);
  EXPECT_EQ(world.ctl({"cancel", ids[0], "--wait"}).code, 0);
}

TEST_F(clusters, a_second_agent_on_the_same_data_is_refused) {
  auto agent = start_simulated();
  const auto ready = world.folder() / "ready-extra";
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(ready); }));
  auto second = start_simulated();
  EXPECT_EQ(second.wait(10s), 6);
  EXPECT_TRUE(std::filesystem::exists(ready)) << "it is the first one's";
  EXPECT_TRUE(agent.running());
  const auto far = submit_far(1, "still");
  ASSERT_EQ(far.size(), 1u);
  EXPECT_EQ(wait_for(far[0]), 0);
}

TEST_F(clusters, runs_outlive_their_agent_and_run_once) {
  const auto config = world.write("second.yaml", "process:\n  labels: {zone: far}\n");
  const std::vector<std::string> flags{"--backend", "process", "--config", config};
  auto agent = world.start_agent("second", flags);
  const auto go = (world.folder() / "go").string();
  const std::string wait_for_go = "; while [ ! -e " + go + " ]; do sleep 0.02; done; ";
  const auto ids =
      world.submit({{witness("first") + wait_for_go + "exit 4", "nodeSelector: {zone: far}"},
                    {witness("second") + wait_for_go + "true", "nodeSelector: {zone: far}"}});
  ASSERT_EQ(ids.size(), 2u);
  for (const auto& id : ids) ASSERT_EQ(wait_for(id, "running"), 0);
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(5s), 0);
  EXPECT_EQ(world.processes("argosy-shim").size(), 2u) << world.process_list();
  agent = world.start_agent("second", flags);
  ASSERT_TRUE(eventually([&] { return shows("second", "connected"); })) << row("second");
  agent.kill();
  // One job ends while no agent is there.
  world.write("go", "");
  EXPECT_TRUE(eventually([&] { return world.processes("argosy-shim").empty(); }))
      << world.process_list();
  agent = world.start_agent("second", flags);
  EXPECT_EQ(wait_for(ids[0]), 10);
  EXPECT_EQ(wait_for(ids[1]), 0);
  EXPECT_EQ(witnessed("first").size(), 1u);
  EXPECT_EQ(witnessed("second").size(), 1u);
}

/// Two agents were given one name, each with a data directory of its own.
class namesakes : public deployment_fixture {
 protected:
  void SetUp() override {
    start_with_queue({"--config", world.write("argosyd.yaml",
                                              "agents: {heartbeat: 100ms, silenceMax: 1s}\n"
                                              "leases: {length: 2s, killGrace: 500ms, "
                                              "margin: 100ms}\n")});
    config_ = world.write("agent.yaml", "process:\n  labels: {zone: far}\n");
  }

  child start_twin(const std::string& name, bool take_over = false) const {
    std::vector<std::string> words{"argosy-agent",
                                   "--cluster",
                                   "twin",
                                   "--nats",
                                   world.url(),
                                   "--data-dir",
                                   (world.folder() / name).string(),
                                   "--backend",
                                   "process",
                                   "--config",
                                   config_};
    if (take_over) words.emplace_back("--take-over");
    return world.start_program(std::move(words), name);
  }

  std::string config_;
};

TEST_F(namesakes, started_by_mistake_are_refused) {
  auto first = start_twin("first");
  const auto ids = world.submit({{"sleep 60", "nodeSelector: {zone: far}"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0], "running"), 0);
  auto second = start_twin("second");
  EXPECT_EQ(second.wait(10s), 6);
  const auto said = content_of(world.folder() / "second.log");
  EXPECT_NE(said.find("cluster 'twin' is served by another agent"), std::string::npos) << said;
  EXPECT_NE(said.find("--take-over"), std::string::npos) << said;
  EXPECT_TRUE(first.running());
  EXPECT_TRUE(has_state(ids[0], "RUNNING"));
  EXPECT_NE(world.log().find("an agent was refused"), std::string::npos);
  EXPECT_EQ(world.ctl({"cancel", ids[0], "--wait"}).code, 0);
}

TEST_F(namesakes, run_no_job_twice_and_the_older_one_ends) {
  auto older = start_twin("older");
  const auto ids = world.submit(
      {{"while :; do " + witness("beats") + "; sleep 0.02; done", "nodeSelector: {zone: far}"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0], "running"), 0);
  auto newer = start_twin("newer", true);
  EXPECT_EQ(older.wait(10s), 6);
  EXPECT_NE(content_of(world.folder() / "older.log").find("a cluster name of its own"),
            std::string::npos);
  EXPECT_TRUE(eventually([&] { return witnessed("beats").back().ends_with("-2"); }));
  EXPECT_TRUE(newer.running());
  EXPECT_EQ(world.ctl({"cancel", ids[0], "--wait"}).code, 0);
  auto beats = witnessed("beats");
  beats.erase(std::ranges::unique(beats).begin(), beats.end());
  EXPECT_EQ(beats.size(), 2u) << "the second run began after the end of the first";
}

}  // namespace

}  // namespace argosy::testing
