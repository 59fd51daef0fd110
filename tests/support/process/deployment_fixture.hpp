// SPDX-License-Identifier: Apache-2.0
// The base of tests of all programs together: a running deployment with the queue "q". When a test
// fails, argosyd's log is printed.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/process/deployment.hpp"

namespace argosy::testing {

class deployment_fixture : public ::testing::Test {
 protected:
  void TearDown() override {
    if (HasFailure()) std::cerr << "--- argosyd's log\n" << world.log() << "---\n";
  }

  void start(std::vector<std::string> flags = {}) {
    ASSERT_TRUE(world.start(std::move(flags))) << world.log();
  }

  void start_with_queue(std::vector<std::string> flags = {}) {
    start(std::move(flags));
    const auto made = world.ctl({"queue", "create", "q"});
    ASSERT_EQ(made.code, 0) << made.err;
  }

  /// Runs argosyctl wait. Its code: 0 succeeded, 10 failed, 11 cancelled, 124 not yet.
  int wait_for(const std::string& id, const std::string& goal = "done",
               const std::string& limit = "20s") const {
    return world.ctl({"wait", id, "--for=" + goal, "--timeout", limit}).code;
  }

  bool has_state(const std::string& id, const std::string& state) const {
    return world.job(id).find("\"state\":\"" + state + "\"") != std::string::npos;
  }

  /// A command that appends a line to the file, so that its runs can be counted.
  std::string witness(const std::string& name) const {
    return "echo $ARGOSY_RUN >> " + (world.folder() / name).string();
  }
  std::vector<std::string> witnessed(const std::string& name) const {
    return lines_of(content_of(world.folder() / name));
  }

  /// The status code and the body of a page of argosyd's health port.
  std::pair<std::string, std::string> page(const std::string& path) const {
    launch how;
    how.words = {"/usr/bin/curl",          "-sS", "--max-time", "10", "-w", "\n%{http_code}",
                 world.health_url() + path};
    const auto got = run(how, world.folder(), std::chrono::seconds{20});
    EXPECT_EQ(got.code, 0) << got.err;
    const auto end = got.out.rfind('\n');
    if (end == std::string::npos) return {};
    return {got.out.substr(end + 1), got.out.substr(0, end)};
  }

  deployment world;
};

}  // namespace argosy::testing
