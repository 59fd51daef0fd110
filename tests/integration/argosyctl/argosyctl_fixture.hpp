// SPDX-License-Identifier: Apache-2.0
// Runs argosyctl as a process against `argosyd --dev`, and makes files of jobs for it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

class argosyctl : public deployment_fixture {
 protected:
  void SetUp() override { start(); }

  [[nodiscard]] outcome ctl(std::vector<std::string> words) const {
    return world.ctl(std::move(words));
  }

  void create_queue() {
    const auto made = ctl({"queue", "create", "a"});
    ASSERT_EQ(made.code, 0) << made.err;
  }

  /// Makes a file of one job for each command, in queue "a" and job set "s".
  [[nodiscard]] std::string job_file(const std::vector<std::string>& shell_commands) const {
    std::string text = "queue: a\njobSetId: s\njobs:\n";
    for (const auto& command : shell_commands)
      text += fmt::format(
          "  - podSpec:\n"
          "      terminationGracePeriodSeconds: 1\n"
          "      containers:\n"
          "        - name: main\n"
          "          image: none\n"
          "          command: [/bin/sh, -c, '{}']\n"
          "          resources:\n"
          "            requests: {{cpu: 100m, memory: 8Mi}}\n"
          "            limits: {{cpu: 100m, memory: 8Mi}}\n",
          command);
    return world.write("jobs.yaml", text);
  }

  [[nodiscard]] std::vector<std::string> submit(const std::vector<std::string>& commands) const {
    const auto got = ctl({"submit", job_file(commands), "-o", "name"});
    EXPECT_EQ(got.code, 0) << got.err;
    auto ids = lines_of(got.out);
    EXPECT_EQ(ids.size(), commands.size());
    return ids;
  }
};

}  // namespace argosy::testing
