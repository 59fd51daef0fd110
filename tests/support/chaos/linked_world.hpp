// SPDX-License-Identifier: Apache-2.0
// This file declares the base of tests of disturbed links: argosyd and the first of two agents
// reach the server over proxies; the second agent and the callers reach it directly.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "tests/support/chaos/run.hpp"
#include "tests/support/proxy/tcp_proxy.hpp"

namespace argosy::chaos {

using namespace std::chrono_literals;

class linked_world : public ::testing::Test {
 protected:
  void SetUp() override {
    // Ten jobs fill an agent, so that a dozen runs on both.
    world.settings().cpu = "1";
    world.settings().port_for_argosyd = argosyd_link.port();
    world.settings().port_for_first_agent = agent_link.port();
    ASSERT_EQ(world.start(), "");
  }
  void TearDown() override {
    if (HasFailure())
      for (const auto* name : {"argosyd.log", "agent-c1.log", "agent-c2.log"})
        std::cerr << "--- " << name << "\n" << world.last_of(name, 4'000);
  }

  /// Submits jobs that leave traces, and remembers that they were acknowledged. False if refused.
  bool submit(int count, std::chrono::milliseconds takes, const std::string& more = "") {
    return submit(std::vector<testing::job_text>(
        static_cast<std::size_t>(count),
        testing::job_text{world.job_command(takes, 0, more), "", "", "100m"}));
  }
  /// The same for jobs whose commands succeed, or whose end is `expected`.
  bool submit(const std::vector<testing::job_text>& all,
              witness::ending expected = witness::ending::succeeds) {
    const auto key = "key" + std::to_string(++submissions_);
    const auto file = world.deployment().write(key, testing::deployment::jobs(all, key));
    last_ = world.ctl({"submit", file, "-o", "name", "--idempotency-key", key, "--timeout", "3s"});
    if (last_.code != 0) return false;
    std::size_t item = 0;
    for (const auto& line : testing::lines_of(last_.out))
      told.push_back({key, item++, line.substr(4), expected});
    return true;
  }

  /// Submits a gang of two members, which leave traces and of which an agent has room for one. They
  /// run until the file exists.
  bool submit_gang(const std::string& name, const std::string& until) {
    const auto annotations = "annotations: {armadaproject.io/gangId: " + name +
                             ", armadaproject.io/gangCardinality: \"2\"}";
    return submit(std::vector<testing::job_text>(
        2,
        testing::job_text{world.job_command(60s, 0, "until=" + until), "", annotations, "600m"}));
  }

  /// The processes of jobs that have begun, ended or not.
  [[nodiscard]] std::size_t begun() const {
    std::size_t out = 0;
    for (const auto& [job, processes] : witness::read_traces(world.traces_folder()))
      out += processes.size();
    return out;
  }
  /// The jobs that are running on the cluster, by the control plane's word.
  [[nodiscard]] std::size_t running_on(const std::string& cluster) const {
    const auto text = world.ctl({"get", "jobs", "--state", "running", "-o", "json"}).out;
    const auto name = "\"" + cluster + "\"";
    std::size_t out = 0;
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) ++out;
    return out;
  }
  /// Waits until the control plane has heard that a job runs on the cluster, which it hears later
  /// than the job's process leaves its first trace.
  [[nodiscard]] bool comes_to_run_on(const std::string& cluster) const {
    return testing::eventually([&] { return running_on(cluster) > 0; });
  }
  [[nodiscard]] bool nothing_is_left() const {
    const auto got = world.ctl({"get", "jobs", "--active", "-o", "name", "--timeout", "3s"});
    return got.code == 0 && got.out.empty();
  }
  /// Waits until all jobs have ended, and expects that every promise was kept.
  void expect_kept(std::chrono::milliseconds limit = 30s) {
    EXPECT_TRUE(testing::eventually([&] { return nothing_is_left(); }, limit))
        << world.ctl({"get", "jobs"}).out;
    const auto judged = judge_at_rest(world, told);
    ASSERT_TRUE(judged) << argosy::to_string(judged.error());
    found = *judged;
    EXPECT_TRUE(found.good()) << witness::to_text(found);
  }

  secured_world world;
  testing::tcp_proxy argosyd_link{world.port(), 1};
  testing::tcp_proxy agent_link{world.port(), 2};
  std::vector<witness::acknowledged> told;
  witness::verdict found;

 private:
  int submissions_ = 0;
  testing::outcome last_;
};

}  // namespace argosy::chaos
