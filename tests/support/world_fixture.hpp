// SPDX-License-Identifier: Apache-2.0
// Decides small worlds for tests of the round: it takes SNAP1 text and gives decision lines.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/snap1.hpp"

namespace argosy::scheduling {

using lines = std::vector<std::string>;

inline lines split_lines(const std::string& text) {
  lines list;
  std::istringstream stream(text);
  for (std::string row; std::getline(stream, row);) list.push_back(row);
  return list;
}

inline std::string read_surprise(const std::string& name) {
  std::ifstream file(std::string(ARGOSY_SOURCE_DIR) + "/tests/oracle/surprises/" + name + ".snap");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct decided {
  lines rows;
  plan what;
};

/// Decides a world of SNAP1 text; `adjust` may change the configuration first.
inline decided decide(const std::string& text, preset name = preset::argosy,
                      const std::function<void(config&)>& adjust = {}) {
  auto conf = bench_config(name);
  if (adjust) adjust(conf);
  auto world = read_snap1(text, conf);
  if (!world) {
    ADD_FAILURE() << world.error().detail;
    return {};
  }
  auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(what.error, "");
  EXPECT_EQ(what.violation, "");
  auto rows = split_lines(decisions(*world, what));
  return {std::move(rows), std::move(what)};
}

}  // namespace argosy::scheduling
