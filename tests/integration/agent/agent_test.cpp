// SPDX-License-Identifier: Apache-2.0
// Goal: the agent program keeps its promises over a real connection: runs are started once, outlive
// it, and their ends arrive once, whatever is killed.
// Method: the program itself, SIGKILL and SIGTERM, a nats-server that goes away, and a control
// plane that is part of the test.
#include <cstdlib>
#include <fstream>

#include "tests/integration/agent/agent_fixture.hpp"
#include "tests/unit/health/http_get.hpp"

namespace argosy {

using agent_program = agent_fixture;

TEST_F(agent_program, says_hello_runs_a_job_and_shows_its_output) {
  start_agent({"--pool", "p"});
  const auto hello = first_hello();
  EXPECT_EQ(hello.cluster.name, "c");
  EXPECT_EQ(hello.cluster.pool, "p");
  EXPECT_EQ(hello.cluster.backend, "process");
  EXPECT_EQ(hello.nodes.size(), 1u);
  const auto run = shell("echo from $ARGOSY_RUN in $ARMADA_QUEUE; exit 5");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::failed);
  EXPECT_EQ(times_reported(run.run, run_phase::pending), 1);
  EXPECT_EQ(times_reported(run.run, run_phase::running), 1);
  {
    const std::lock_guard guard{mutex_};
    EXPECT_EQ(reports_.back().outcome.exit_code, 5);
    EXPECT_EQ(reports_.back().queue, "q");
  }
  const auto logs = connection_->request_sync(
      subject_of("logs"), codec::encode(model::log_request{run.run, 0, 4096}), {}, 5s);
  ASSERT_TRUE(logs);
  const auto chunk = codec::decode_log_chunk(logs->data);
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->data, "from " + to_string(run.run) + " in q\n");
  EXPECT_TRUE(chunk->end);
}

TEST_F(agent_program, writes_the_ready_file_and_leaves_in_order) {
  start_agent();
  wait_until([&] { return heartbeats_ > 1; }, "heartbeats");
  std::string url;
  std::ifstream ready{ready_file()};
  ASSERT_TRUE(std::getline(ready, url));
  EXPECT_EQ(url, server_.url());
  const auto run = shell("exec sleep 1000");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::running);
  const auto before = std::chrono::steady_clock::now();
  terminate_agent();
  EXPECT_EQ(wait_agent(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(goodbyes_, 1);
  EXPECT_FALSE(std::filesystem::exists(ready_file()));
  EXPECT_EQ(times_reported(run.run, run_phase::stopped), 0);
  start_agent();
  wait_until([&] { return hellos_.size() == 2; }, "the second hello");
  const std::lock_guard guard{mutex_};
  ASSERT_EQ(hellos_.size(), 2u);
  ASSERT_EQ(hellos_[1].runs.size(), 1u);
  EXPECT_EQ(hellos_[1].runs[0].phase, run_phase::running);
  EXPECT_EQ(hellos_[1].cluster.incarnation, hellos_[0].cluster.incarnation);
}

TEST_F(agent_program, with_a_copied_data_directory_joins_as_a_new_one_and_touches_no_run) {
  start_agent();
  wait_until([&] { return heartbeats_ > 1; }, "heartbeats");
  const auto run = shell("exec sleep 1000");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::running);
  kill_agent();
  const auto original = folder_.path() / "original";
  std::filesystem::rename(data_dir(), original);
  const auto copy = "cp -a '" + original.string() + "' '" + data_dir().string() + "'";
  ASSERT_EQ(std::system(copy.c_str()), 0);
  start_agent();
  wait_until([&] { return hellos_.size() == 2; }, "the copy's hello");
  {
    const std::lock_guard guard{mutex_};
    ASSERT_EQ(hellos_.size(), 2u);
    EXPECT_TRUE(hellos_[1].runs.empty());
    EXPECT_NE(hellos_[1].cluster.place, hellos_[0].cluster.place);
    EXPECT_NE(hellos_[1].cluster.incarnation, hellos_[0].cluster.incarnation);
  }
  EXPECT_TRUE(std::filesystem::exists(data_dir() / "runs-from-elsewhere"));
  kill_agent();
  std::filesystem::remove_all(data_dir());
  std::filesystem::rename(original, data_dir());
  start_agent();
  wait_until([&] { return hellos_.size() == 3; }, "the hello of the first agent");
  const std::lock_guard guard{mutex_};
  ASSERT_EQ(hellos_.size(), 3u);
  EXPECT_EQ(hellos_[2].cluster.incarnation, hellos_[0].cluster.incarnation);
  EXPECT_EQ(hellos_[2].runs.size(), 1u) << "a directory that was renamed is the same";
}

TEST_F(agent_program, tells_what_its_parts_do) {
  start_agent();
  wait_until([&] { return heartbeats_ > 1; }, "heartbeats");
  const auto port = health_port();
  ASSERT_NE(port, 0);
  const auto metrics = tests::http_get(port, "/metrics").body;
  EXPECT_NE(metrics.find("\nargosy_executor_connected 1\n"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("\nargosy_link_requests_total{result=\"timeout\"} 0\n"), std::string::npos)
      << metrics;
  EXPECT_NE(metrics.find("\nargosy_executor_answer_seconds_bucket{to=\"heartbeat\",le=\"0.2\"} "),
            std::string::npos)
      << metrics;
  const auto status = tests::http_get(port, "/status").body;
  for (const auto* part : {"bus", "cluster_proxy", "executor", "executor_store", "tracer"})
    EXPECT_NE(status.find(std::string{"{\"part\":\""} + part +
                          "\",\"actors\":1,\"silent\":0,\"answers\":[{"),
              std::string::npos)
        << part << status;
}

TEST_F(agent_program, reports_an_end_that_came_while_it_was_dead) {
  const auto run = leave_a_run("exit 3");
  std::ofstream{go()} << "go";
  start_agent();
  wait_for_phase(run.run, run_phase::failed);
  EXPECT_EQ(times_reported(run.run, run_phase::failed), 1);
  EXPECT_EQ(times_reported(run.run, run_phase::running), 1);
}

TEST_F(agent_program, answers_orders_that_come_too_late_or_twice) {
  start_agent();
  first_hello();
  const auto run = shell("exit 3");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::failed);
  ASSERT_TRUE(order({{1}, {run}, {}}));
  model::stop_run stop;
  stop.run = shell("").run;
  ASSERT_TRUE(order({{1}, {}, {stop}}));
  wait_for_phase(stop.run, run_phase::unknown);
  auto late = shell("true");
  late.run = stop.run;
  const auto after = shell("true");
  ASSERT_TRUE(order({{1}, {late, after}, {}}));
  wait_for_phase(after.run, run_phase::succeeded);
  EXPECT_EQ(times_reported(run.run, run_phase::pending), 1);
  EXPECT_EQ(times_reported(stop.run, run_phase::pending), 0);
  const auto fenced = order({{0}, {shell("true")}, {}});
  ASSERT_FALSE(fenced);
  EXPECT_EQ(fenced.error().code, ec::fenced);
}

TEST_F(agent_program, sends_what_was_never_acknowledged_after_its_death) {
  {
    const std::lock_guard guard{mutex_};
    taking_reports_ = false;
  }
  start_agent();
  first_hello();
  const auto run = shell("true");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  const auto status = data_dir() / "runs" / to_string(run.run) / "status";
  for (int i = 0; i < 2000 && !std::filesystem::exists(status); ++i)
    std::this_thread::sleep_for(5ms);
  kill_agent();
  {
    const std::lock_guard guard{mutex_};
    taking_reports_ = true;
  }
  start_agent();
  wait_for_phase(run.run, run_phase::succeeded);
  EXPECT_EQ(times_reported(run.run, run_phase::succeeded), 1);
  const std::lock_guard guard{mutex_};
  for (std::size_t i = 0; i < reports_.size(); ++i) EXPECT_EQ(reports_[i].sequence, i + 1);
}

TEST_F(agent_program, comes_back_by_itself_when_the_server_does) {
  start_agent();
  first_hello();
  const auto go = folder_.path() / "go";
  const auto run = shell("while [ ! -e " + go.string() + " ]; do sleep 0.02; done");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::running);
  server_.kill();
  std::ofstream{go} << "go";
  server_.restart();
  wait_for_phase(run.run, run_phase::succeeded);
  EXPECT_EQ(times_reported(run.run, run_phase::succeeded), 1);
}

TEST_F(agent_program, waits_for_a_server_that_is_not_there_yet) {
  server_.kill();
  start_agent();
  server_.restart();
  first_hello();
}

TEST_F(agent_program, ends_runs_when_the_lease_is_not_renewed) {
  {
    const std::lock_guard guard{mutex_};
    lease_ns_ = std::chrono::nanoseconds{1500ms}.count();
  }
  start_agent();
  first_hello();
  const auto run = shell("exec sleep 1000");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::running);
  server_.kill();
  const auto status = data_dir() / "runs" / to_string(run.run) / "status";
  for (int i = 0; i < 2000 && !std::filesystem::exists(status); ++i)
    std::this_thread::sleep_for(5ms);
  server_.restart();
  wait_for_phase(run.run, run_phase::stopped);
  const std::lock_guard guard{mutex_};
  EXPECT_EQ(reports_.back().outcome.reason, "LeaseExpired");
}

TEST_F(agent_program, a_kept_run_outlives_its_agent_and_the_lease) {
  {
    const std::lock_guard guard{mutex_};
    lease_ns_ = std::chrono::nanoseconds{4s}.count();
  }
  start_agent();
  first_hello();
  const auto go = folder_.path() / "go";
  const auto waits = "while [ ! -e " + go.string() + " ]; do sleep 0.02; done";
  auto kept = shell(waits);
  kept.keep_on_disconnect = true;
  const auto other = shell(waits);
  ASSERT_TRUE(order({{1}, {kept, other}, {}}));
  wait_for_phase(kept.run, run_phase::running);
  wait_for_phase(other.run, run_phase::running);
  kill_agent();
  const auto ended = [&](const model::run_key& run) {
    return std::filesystem::exists(data_dir() / "runs" / to_string(run) / "status");
  };
  wait_until_true([&] { return ended(other.run); });
  EXPECT_FALSE(ended(kept.run));
  start_agent();
  wait_for_phase(other.run, run_phase::stopped);
  std::ofstream{go} << "go";
  wait_for_phase(kept.run, run_phase::succeeded);
  EXPECT_EQ(times_reported(kept.run, run_phase::succeeded), 1);
}

TEST_F(agent_program, refuses_a_data_directory_in_use_and_bad_arguments) {
  start_agent();
  first_hello();
  const auto run = [&](const std::string& flags) {
    const auto line = std::string{ARGOSY_BIN_DIR} + "/argosy-agent " + flags + " 2>/dev/null";
    return WEXITSTATUS(std::system(line.c_str()));  // NOLINT(cert-env33-c)
  };
  EXPECT_EQ(run("--cluster d --nats " + server_.url() + " --data-dir " + data_dir().string()), 6);
  EXPECT_EQ(run("--cluster 'a b' --nats " + server_.url()), 2);
  EXPECT_EQ(run("--nats " + server_.url()), 2);
  EXPECT_EQ(run("--cluster d"), 2);
  EXPECT_EQ(run("--cluster d --backend magic --nats " + server_.url()), 2);
  EXPECT_EQ(run("--cluster d --backend kubernetes --nats " + server_.url()), 2);
}

TEST_F(agent_program, of_root_obeys_no_file_of_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const auto folder = data_dir().parent_path() / "settings";
  std::filesystem::create_directories(folder);
  const auto file = folder / "c.yaml";
  std::ofstream{file} << "cluster: " << cluster_ << "\n";
  ASSERT_EQ(::chown(folder.c_str(), 65'534, 65'534), 0) << "who has it may put another file there";
  start_agent({"--config", file.string()});
  EXPECT_EQ(wait_agent(), 1) << "so that it is tried again until somebody mends it";
  ASSERT_EQ(::chown(folder.c_str(), 0, 0), 0);
  start_agent({"--config", file.string()});
  first_hello();
}

TEST_F(agent_program, refuses_another_backend_while_runs_of_its_own_may_live) {
  start_agent();
  first_hello();
  const auto run = shell("exec sleep 1000");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::running);
  kill_agent();
  start_agent({"--backend", "simulated"});
  EXPECT_EQ(wait_agent(), 6);
  start_agent();
  wait_until([&] { return hellos_.size() == 2 && hellos_.back().runs.size() == 1; }, "its run");
  EXPECT_EQ(times_reported(run.run, run_phase::failed), 0) << "the run was not taken for lost";
  ASSERT_TRUE(order({{1}, {}, {{run.run, model::stop_cause::cancel, "because", {}}}}));
  wait_for_phase(run.run, run_phase::stopped);
}

TEST_F(agent_program, simulates_nodes) {
  const auto file = folder_.path() / "agent.yaml";
  std::ofstream{file} << "simulated:\n  runTime: 10ms\n  nodes:\n    - {name: big, count: 3, "
                         "resources: {cpu: 8}}\n";
  start_agent({"--backend", "simulated", "--config", file.string()});
  const auto hello = first_hello();
  ASSERT_EQ(hello.nodes.size(), 3u);
  EXPECT_EQ(hello.nodes[2].name, "big-3");
  EXPECT_EQ(hello.cluster.backend, "simulated");
  const auto run = shell("not executed");
  ASSERT_TRUE(order({{1}, {run}, {}}));
  wait_for_phase(run.run, run_phase::succeeded);
}

TEST_F(agent_program, keeps_the_name_of_its_cluster_while_runs_are_alive) {
  const auto run = leave_a_run("exit 0");
  cluster_ = "other";
  start_agent();
  EXPECT_EQ(wait_agent(), 6) << "ec::conflict";
  cluster_ = "c";
  start_agent();
  wait_until([&] { return hellos_.size() == 2; }, "the second hello");
  std::ofstream{go()};
  wait_for_phase(run.run, run_phase::succeeded);
  kill_agent();
  // Nothing runs any more, so that the directory may serve another one.
  cluster_ = "other";
  start_agent();
  wait_until([&] { return hellos_.size() == 3; }, "the hello of the other cluster");
  const std::lock_guard guard{mutex_};
  EXPECT_EQ(hellos_.back().cluster.name, "other");
}

}  // namespace argosy
