// SPDX-License-Identifier: Apache-2.0
// The program argosy-agent on a real nats-server, and a control plane that notes what agents say
// and answers as the test tells it.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "messages/codec/agent/agent_codec.hpp"
#include "messages/codec/agent/agent_subject.hpp"
#include "runtime/bus/nats/nats_bus.hpp"
#include "tests/support/nats/nats_server.hpp"
#include "tests/support/signals.hpp"

extern char** environ;

namespace argosy {

using namespace std::chrono_literals;
using model::run_phase;

class agent_fixture : public ::testing::Test {
 protected:
  agent_fixture() {
    // Jobs wait for files in the folder of their test, which belongs to its user alone.
    ::setenv("ARGOSY_PROCESS_UID_RANGE", "", 1);
    connect();
  }

  ~agent_fixture() override {
    kill_agent();
    // What a failed test left must not outlive it.
    for (const auto& run : started_) stop_shim(run);
    connection_->close();
  }

  void connect() {
    bus::nats_settings settings;
    settings.url = server_.url();
    auto connected = bus::connect_nats(settings);
    ASSERT_TRUE(connected) << connected.error().detail;
    connection_ = *connected;
    auto served =
        connection_->serve("argosy.agent.*.*", [this](const bus::frame& frame) { hear(frame); });
    ASSERT_TRUE(served);
    subscription_ = std::move(*served);
  }

  void start_agent(std::vector<std::string> more = {}) {
    std::vector<std::string> words{std::string{ARGOSY_BIN_DIR} + "/argosy-agent",
                                   "--cluster",
                                   cluster_,
                                   "--data-dir",
                                   data_dir().string(),
                                   "--nats",
                                   server_.url(),
                                   "--ready-file",
                                   ready_file().string()};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ASSERT_EQ(::posix_spawn(&agent_, argv[0], nullptr, nullptr, argv.data(), environ), 0);
  }

  void kill_agent() {
    if (agent_ <= 0) return;
    testing::send_signal(agent_, SIGKILL);
    wait_agent();
  }

  void terminate_agent() const { testing::send_signal(agent_, SIGTERM); }

  /// The exit code of the agent, or the negative number of the signal that ended it.
  int wait_agent() {
    int status = 0;
    ::waitpid(agent_, &status, 0);
    agent_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  /// Returns the port of metrics and health of an agent that is ready.
  std::uint16_t health_port() const;

  model::start_run shell(const std::string& script);

  /// Starts the agent with a run that waits for the file go() and then does `last`, and kills the
  /// agent when the run has begun.
  model::start_run leave_a_run(const std::string& last) {
    start_agent();
    first_hello();
    auto run = shell("while [ ! -e " + go().string() + " ]; do sleep 0.02; done; " + last);
    EXPECT_TRUE(order({{1}, {run}, {}}));
    wait_for_phase(run.run, run_phase::running);
    kill_agent();
    return run;
  }

  /// The subject of requests for the process that said hello last.
  std::string subject_of(std::string_view what) {
    const std::lock_guard guard{mutex_};
    return codec::make_agent_subject(
        cluster_,
        codec::for_process(
            hellos_.empty() ? model::agent_process{} : hellos_.back().cluster.process, what));
  }

  /// Sends orders for the node of the agent that said hello last, and waits for the answer.
  result<bus::frame> order(model::agent_orders orders) {
    {
      const std::lock_guard guard{mutex_};
      if (!hellos_.empty()) {
        orders.process = hellos_.back().cluster.process;
        orders.incarnation = hellos_.back().cluster.incarnation;
        for (auto& start : orders.start) start.node = hellos_.back().nodes.at(0).name;
      }
    }
    for (const auto& start : orders.start) started_.push_back(start.run);
    return connection_->request_sync(subject_of("orders"), codec::encode(orders), {}, 5s);
  }

  void wait_until(const std::function<bool()>& condition, const std::string& what) {
    std::unique_lock guard{mutex_};
    ASSERT_TRUE(changed_.wait_for(guard, 20s, condition)) << "waited in vain for " << what;
  }

  /// Waits for a condition of which no message tells.
  static void wait_until_true(const std::function<bool()>& condition) {
    for (int i = 0; i < 4'000 && !condition(); ++i) std::this_thread::sleep_for(5ms);
    EXPECT_TRUE(condition());
  }

  /// The first hello; an empty one if none comes.
  model::agent_hello first_hello() {
    wait_until([&] { return !hellos_.empty(); }, "hello");
    const std::lock_guard guard{mutex_};
    return hellos_.empty() ? model::agent_hello{} : hellos_.front();
  }

  void wait_for_phase(const model::run_key& run, run_phase phase) {
    wait_until(
        [&] {
          for (const auto& report : reports_)
            if (report.run == run && report.phase == phase) return true;
          return false;
        },
        "phase " + std::to_string(static_cast<int>(phase)));
  }

  /// How often the phase of the run was reported under different numbers.
  int times_reported(const model::run_key& run, run_phase phase) {
    const std::lock_guard guard{mutex_};
    std::set<std::uint64_t> numbers;
    for (const auto& report : reports_)
      if (report.run == run && report.phase == phase) numbers.insert(report.sequence);
    return static_cast<int>(numbers.size());
  }

  [[nodiscard]] std::filesystem::path data_dir() const { return folder_.path() / "agent"; }
  [[nodiscard]] std::filesystem::path go() const { return folder_.path() / "go"; }
  [[nodiscard]] std::filesystem::path ready_file() const { return folder_.path() / "ready"; }

  std::string cluster_ = "c";
  testing::nats_server server_;
  testing::temp_folder folder_;
  std::shared_ptr<bus::connection> connection_;
  std::mutex mutex_;
  // The members below are guarded by mutex_.
  std::vector<model::agent_hello> hellos_;
  std::uint64_t given_ = 1;  ///< The next incarnation.
  std::string control_plane_;
  std::vector<model::run_report> reports_;
  int heartbeats_ = 0;
  int goodbyes_ = 0;
  bool taking_reports_ = true;
  std::int64_t lease_ns_ = std::chrono::nanoseconds{60s}.count();

 private:
  void hear(const bus::frame& frame);
  void answer_locked(const std::string& what, const std::string& data, std::string& answer,
                     error& refusal);
  void stop_shim(const model::run_key& run) const;

  bus::subscription subscription_;
  std::condition_variable changed_;
  pid_t agent_ = -1;
  std::vector<model::run_key> started_;
};

}  // namespace argosy
