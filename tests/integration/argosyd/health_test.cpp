// SPDX-License-Identifier: Apache-2.0
// Goal: /livez, /readyz and /metrics tell how argosyd is. Method: curl on the second line of the
// ready file, while all is well and while the nats-server is stopped.
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/signals.hpp"

namespace argosy::testing {

namespace {

class health : public deployment_fixture {};

TEST_F(health, says_that_it_lives_and_is_ready) {
  start();
  EXPECT_TRUE(world.health_url().starts_with("http://127.0.0.1:")) << world.health_url();
  EXPECT_EQ(page("/livez").first, "200");
  EXPECT_EQ(page("/readyz").first, "200");
  EXPECT_EQ(page("/absent").first, "404");
}

TEST_F(health, metrics_count_what_happened) {
  start_with_queue();
  const auto ids = world.submit({{"true"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0]), 0);
  const auto [code, text] = page("/metrics");
  EXPECT_EQ(code, "200");
  EXPECT_NE(text.find("argosy_build_info{program=\"argosyd\""), std::string::npos);
  EXPECT_NE(text.find("argosy_log_lines_total{level=\"info\"}"), std::string::npos) << text;
  EXPECT_NE(text.find("actor=\"queue\""), std::string::npos) << text;
  for (const auto* name :
       {"argosy_log_position", "argosy_log_bytes", "argosy_log_bytes_max",
        "argosy_log_waiting_bytes", "argosy_log_full", "argosy_store_bytes",
        "argosy_store_bytes_max", "argosy_store_file_bytes", "argosy_log_records"})
    EXPECT_NE(text.find(std::string{"\n"} + name + " "), std::string::npos) << name << text;
}

TEST_F(health, metrics_have_the_figures_of_each_part) {
  start_with_queue();
  const auto ids = world.submit({{"true"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0]), 0);
  const auto text = page("/metrics").second;
  for (const auto* line :
       {"argosy_journal_stopped 0", "argosy_store_failures_total 0", "argosy_reader_open 0",
        "argosy_retention_failures_total 0", "argosy_bus_connected 1", "argosy_leader_epoch 1",
        "argosy_gateway_calls_total{method=\"Submit.SubmitJobs\",result=\"ok\"} 1",
        "argosy_agent_gateway_calls_open 0", "argosy_nodes{state=\"ready\"} 1",
        "argosy_queue_jobs{state=\"running\"} 0", "argosy_root_stopping 0",
        "argosy_queue_ended_jobs_total{queue=\"q\",state=\"SUCCEEDED\"} 1",
        "argosy_jobs_total{queue=\"q\",pool=\"default\",state=\"SUCCEEDED\",reason=\"\"} 1",
        "argosy_gateway_call_seconds_count{method=\"Submit.SubmitJobs\"} 1",
        "argosy_rounds_total{result=\"violation\"} 0", "argosy_executor_connected 1"})
    EXPECT_NE(text.find(std::string{"\n"} + line + "\n"), std::string::npos) << line << text;
}

TEST_F(health, status_has_an_answer_of_each_part) {
  start_with_queue();
  const auto ids = world.submit({{"true"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0]), 0);
  const auto [code, text] = page("/status");
  EXPECT_EQ(code, "200");
  EXPECT_NE(text.find("{\"part\":\"reader\",\"actors\":3,\"silent\":0,\"answers\":[{"),
            std::string::npos)
      << text;
  // One is for NATS and one for the transports of this process.
  for (const auto* part : {"bus", "gateway"})
    EXPECT_NE(text.find(std::string{"{\"part\":\""} + part +
                        "\",\"actors\":2,\"silent\":0,\"answers\":[{"),
              std::string::npos)
        << part << text;
  for (const auto* part :
       {"journal", "store", "retention", "leader", "root", "tracer", "agent_gateway", "coordinator",
        "queue", "cluster", "node", "executor", "executor_store"})
    EXPECT_NE(text.find(std::string{"{\"part\":\""} + part +
                        "\",\"actors\":1,\"silent\":0,\"answers\":[{"),
              std::string::npos)
        << part << text;
}

TEST_F(health, keeps_its_port_across_restarts) {
  start();
  const auto url = world.health_url();
  ASSERT_EQ(world.stop(), 0);
  start();
  EXPECT_EQ(world.health_url(), url);
  EXPECT_EQ(page("/livez").first, "200");
}

TEST_F(health, takes_another_port_when_its_own_is_in_use) {
  start();
  const auto url = world.health_url();
  ASSERT_EQ(world.stop(), 0);
  deployment other;
  ASSERT_TRUE(other.start(
      {"--config", other.write("argosyd.yaml", "health:\n  listen: " + url.substr(7) + "\n")}))
      << other.log();
  start();
  EXPECT_NE(world.health_url(), url);
  EXPECT_NE(world.log().find("the port of metrics and health is in use"), std::string::npos)
      << world.log();
}

TEST_F(health, says_what_to_set_when_a_fixed_port_is_in_use) {
  start();
  deployment other;
  EXPECT_FALSE(other.start(
      {"--config",
       other.write("argosyd.yaml", "health:\n  listen: " + world.health_url().substr(7) + "\n")}));
  EXPECT_NE(other.log().find("set health.listen to another address"), std::string::npos)
      << other.log();
}

TEST_F(health, metrics_tell_which_clusters_are_heard) {
  start();
  std::string text;
  EXPECT_TRUE(eventually([&] {
    text = page("/metrics").second;
    return text.find("argosy_clusters{state=\"connected\"} 1") != std::string::npos;
  })) << text;
  EXPECT_NE(text.find("argosy_clusters{state=\"silent\"} 0"), std::string::npos) << text;
  EXPECT_NE(text.find("argosy_cluster_silence_seconds{cluster=\"local\"}"), std::string::npos)
      << text;
}

TEST_F(health, is_not_ready_while_its_nats_server_does_not_answer) {
  // With this configuration, pings that stay unanswered are noticed after 200 ms.
  start({"--config", world.write("argosyd.yaml", "nats:\n  pingInterval: 100ms\n")});
  const auto servers = world.processes("nats-server");
  ASSERT_EQ(servers.size(), 1u);
  send_signal(servers[0], SIGSTOP);
  EXPECT_TRUE(eventually([&] { return page("/readyz").first == "503"; }));
  const auto text = page("/readyz").second;
  EXPECT_NE(text.find("bus"), std::string::npos) << text;
  EXPECT_EQ(page("/livez").first, "200");
  send_signal(servers[0], SIGCONT);
  EXPECT_TRUE(eventually([&] { return page("/readyz").first == "200"; }));
}

/// The file that argosyd reads again is a pipe, so that the part that reads it waits for seconds
/// whether somebody writes.
TEST_F(health, names_the_part_that_hangs_and_its_message) {
  const auto config = world.write("argosyd.yaml", "health: {stuckAfter: 1s}\n");
  start({"--config", config});
  EXPECT_EQ(page("/readyz").first, "200");
  std::filesystem::remove(config);
  ASSERT_EQ(mkfifo(config.c_str(), 0600), 0);
  auto asked = world.start_ctl({"config", "reload"}, "reload");
  EXPECT_TRUE(eventually([&] { return page("/readyz").first == "503"; }));
  const auto text = page("/readyz").second;
  EXPECT_NE(text.find("handlers"), std::string::npos) << text;
  EXPECT_NE(text.find("has been at 'settings' for"), std::string::npos) << text;
  EXPECT_EQ(page("/livez").first, "200") << "not for health.hungAfter yet";
  const auto saved = world.data_dir() / "flight-stuck-1.json";
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(saved); }));
  EXPECT_TRUE(eventually([&] {
    return content_of(saved).find("\"unfinished\":\"true\"") != std::string::npos;
  })) << content_of(saved);
  EXPECT_NE(world.log().find("a part hangs"), std::string::npos) << world.log();
  const auto metrics = page("/metrics").second;
  const auto at = metrics.find("argosy_actor_busy_seconds{actor=\"settings\"} ");
  ASSERT_NE(at, std::string::npos) << metrics;
  EXPECT_GE(std::stod(metrics.substr(metrics.find("} ", at) + 2)), 1.0);
  // Nobody may read the pipe any more, so that opening it would wait.
  std::filesystem::remove(config);
  std::ofstream{config} << "health: {stuckAfter: 1s}\n";
  EXPECT_TRUE(asked.wait(std::chrono::seconds{60}));
  EXPECT_TRUE(eventually([&] { return page("/readyz").first == "200"; }));
}

}  // namespace

}  // namespace argosy::testing
