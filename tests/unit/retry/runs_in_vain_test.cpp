// SPDX-License-Identifier: Apache-2.0
// Goal: however often clusters refuse a job's namespace to everybody, its record stays small and
// says how many runs it leaves out. Method: a queue whose runs come back again and again.
#include "runtime/ledger/retry/runs_in_vain.hpp"

#include <gtest/gtest.h>

#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/model/agent_run.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::run_phase;

const model::run_outcome gone{std::nullopt, 0, model::reason_cluster_refused, "it is gone",
                              "namespace"};

TEST(runs_in_vain, of_one_cluster_keep_one_record) {
  queue_driver q;
  ASSERT_TRUE(q.submit({job_named(1)}));
  ASSERT_TRUE(q.lease({1}));
  for (std::uint32_t run = 1; run <= 20; ++run) {
    ASSERT_TRUE(q.report(1, run_phase::refused, run, gone));
    ASSERT_TRUE(q.lease({1}));
  }
  const auto& runs = q.stored(1).runs;
  ASSERT_EQ(runs.size(), 2U) << "the last of those that came back, and the live one";
  EXPECT_EQ(runs[0].number, 20U);
  EXPECT_EQ(runs[0].outcome.message, "it is gone");
  EXPECT_EQ(left_out_before(q.stored(1), 0), 19U);
  EXPECT_EQ(note_left_out(q.stored(1), 0),
            "19 runs before it came back in the same way and left no record");
  EXPECT_EQ(note_left_out(q.stored(1), 1), "");
  ASSERT_TRUE(q.report(1, run_phase::running, 21));
  ASSERT_TRUE(q.report(1, run_phase::succeeded, 21));
  EXPECT_EQ(q.stored(1).runs.size(), 2U);
}

TEST(runs_in_vain, of_clusters_in_turn_keep_few_records) {
  queue_driver q;
  ASSERT_TRUE(q.submit({job_named(1)}));
  ASSERT_TRUE(q.lease({1}));
  const model::run_outcome busy{std::nullopt, 0, "ClusterRefused", "too many requests"};
  ASSERT_TRUE(q.report(1, run_phase::refused, 1, busy));
  ASSERT_TRUE(q.lease({1}));
  for (std::uint32_t run = 2; run <= 60; ++run) {
    const auto* cluster = run % 2 == 0 ? "c" : "d";
    ASSERT_TRUE(q.report(1, run_phase::refused, run, gone, cluster));
    ASSERT_TRUE(q.lease({1}, run % 2 == 0 ? "d" : "c"));
  }
  const auto& runs = q.stored(1).runs;
  ASSERT_EQ(runs.size(), 18U);
  EXPECT_EQ(runs[0].number, 1U) << "it counts against the job";
  EXPECT_EQ(returns_of(q.stored(1)), 1U);
  EXPECT_EQ(left_out_before(q.stored(1), 1), 43U);
  for (std::size_t i = 2; i < runs.size(); ++i) EXPECT_EQ(left_out_before(q.stored(1), i), 0U);
}

TEST(runs_in_vain, of_a_gang_keep_few_records) {
  queue_driver q;
  auto first = job_named(1), second = job_named(2);
  first.gang = second.gang = gang_of("g", 2);
  ASSERT_TRUE(q.submit({first, second}));
  for (std::uint32_t run = 1; run <= 60; ++run) {
    ASSERT_TRUE(q.lease({1, 2})) << run;
    const auto bad = 1 + run % 2;
    ASSERT_TRUE(q.report(bad, run_phase::refused, run, gone));
    ASSERT_TRUE(q.report(3 - bad, run_phase::stopped, run));
    ASSERT_EQ(q.state(1), "QUEUED") << run;
  }
  EXPECT_LE(q.stored(1).runs.size(), 16U);
  EXPECT_EQ(q.stored(2).runs.back().number, 60U);
}

}  // namespace
}  // namespace argosy::ledger
