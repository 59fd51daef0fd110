// SPDX-License-Identifier: Apache-2.0
// Goal: whatever is killed and stopped at random, nothing accepted is lost and nothing runs twice.
// Method: a deployment of real processes under a seeded plan of faults, and the verdict of the
// witnesses; the same for a long time is the program `chaos`.
#include <gtest/gtest.h>

#include "tests/support/chaos/run.hpp"

namespace argosy::chaos {

namespace {

using namespace std::chrono_literals;

TEST(chaos, for_some_seconds_loses_nothing_and_runs_nothing_twice) {
  run_settings settings;
  settings.seed = 11;
  settings.plan = {.length = 5s, .mean_gap = 400ms, .stop_max = 2s, .down_max = 500ms};
  settings.load.job_max = 600ms;
  settings.rest_max = 40s;
  secured_world world{settings.world};
  ASSERT_EQ(world.start(), "");
  const auto got = run_chaos(settings, world);
  EXPECT_EQ(got.problem, "");
  EXPECT_TRUE(got.verdict.good()) << "seed " << settings.seed << "\n" << to_text(got);
  EXPECT_GT(got.verdict.acknowledged, 20u) << to_text(got);
  EXPECT_GT(got.verdict.processes, 10u) << to_text(got);
}

}  // namespace

}  // namespace argosy::chaos
