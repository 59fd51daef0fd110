// SPDX-License-Identifier: Apache-2.0
// Goal: a run that its cluster ended from outside comes back into its queue, with its gang, within
// a bound of its own, and speaks neither against its job nor against its node. Method: one core
// driven by commands; states, stored records and effects are compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/ledger/queue/job_rules.hpp"
#include "runtime/model/agent_run.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::job_state;
using model::run_phase;
using model::run_state;
using ::testing::EndsWith;

model::run_outcome drained(const char* reason = model::reason_evicted_on_request) {
  return {std::nullopt, 0, reason, "its node is drained"};
}

queue_driver leased(std::uint32_t disruptions_max = 16) {
  queue_config config;
  config.disruptions_max = disruptions_max;
  queue_driver q{config};
  EXPECT_TRUE(q.submit({job_named(1)}));
  EXPECT_EQ(q.lease({1})->started.size(), 1U);
  return q;
}

TEST(disrupted_runs, come_back_and_speak_against_nobody) {
  for (const auto* reason :
       {model::reason_evicted, model::reason_evicted_on_request, model::reason_displaced,
        model::reason_node_shutdown, model::reason_node_gone, model::reason_deleted}) {
    for (const bool began : {true, false}) {
      auto q = leased();
      if (began) ASSERT_TRUE(q.report(1, run_phase::running));
      ASSERT_TRUE(q.report(1, began ? run_phase::failed : run_phase::refused, 1, drained(reason)));
      EXPECT_EQ(q.state(1), "QUEUED") << reason;
      EXPECT_EQ(q.story(1).back(), "lease_returned");
      EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::in_order) << reason;
      const auto& job = *q.core.find(job_id(1));
      EXPECT_EQ(job.runs.at(0).outcome.message, "its node is drained; requeued 1 of 16");
      EXPECT_EQ(disruptions_of(job), 1U);
      EXPECT_EQ(returns_of(job) + losses_of(job) + retries_of(job), 0U);
      EXPECT_EQ(q.lease({1})->started.at(0).run.number, 2U);
    }
  }
}

TEST(disrupted_runs, fail_the_job_beyond_their_bound) {
  auto q = leased(3);
  for (std::uint32_t run = 1; run <= 3; ++run) {
    ASSERT_TRUE(q.report(1, run_phase::failed, run, drained()));
    ASSERT_EQ(q.state(1), "QUEUED");
    EXPECT_THAT(q.stored(1).runs.back().outcome.message,
                EndsWith("requeued " + std::to_string(run) + " of 3"));
    ASSERT_TRUE(q.lease({1}));
  }
  ASSERT_TRUE(q.report(1, run_phase::failed, 4, drained()));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_EQ(q.stored(1).runs.back().outcome, drained());
}

TEST(disrupted_runs, fail_the_job_where_none_is_queued_again) {
  auto q = leased(0);
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, drained()));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
}

TEST(disrupted_runs, fail_a_job_that_fails_fast) {
  queue_driver q;
  auto job = job_named(1);
  job.fail_fast = true;
  ASSERT_TRUE(q.submit({job}));
  ASSERT_TRUE(q.lease({1}));
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, drained()));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
}

TEST(disrupted_runs, end_what_was_being_stopped) {
  auto q = leased();
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, drained()));
  EXPECT_EQ(q.stored(1).state, job_state::cancelled);
}

TEST(disrupted_runs, that_failed_by_themselves_fail) {
  auto q = leased();
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, {1, 0, "Error", "exited with code 1"}));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
}

struct disrupted_gang : ::testing::Test {
  disrupted_gang() {
    auto first = job_named(1), second = job_named(2);
    first.gang = second.gang = gang_of("g", 2);
    EXPECT_TRUE(q.submit({first, second}));
    EXPECT_TRUE(q.lease({1, 2}));
  }
  static queue_config with_two() {
    queue_config out;
    out.disruptions_max = 2;
    return out;
  }
  queue_driver q{with_two()};
};

TEST_F(disrupted_gang, comes_back_as_one_and_is_counted_once) {
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, drained()));
  EXPECT_EQ(q.state(1), "QUEUED");
  ASSERT_EQ(q.effects<stop_order>().size(), 1U);
  ASSERT_TRUE(q.report(2, run_phase::failed, 1, drained()));
  EXPECT_EQ(q.state(2), "QUEUED");
  EXPECT_EQ(disruptions_of(*q.core.find(job_id(2))), 0U) << "it came back with its gang";
  EXPECT_EQ(q.lease({1, 2})->started.size(), 2U);
}

TEST_F(disrupted_gang, counts_what_happens_to_any_member) {
  for (const std::uint32_t run : {1, 2}) {
    const auto hit = run;
    const auto other = 3 - hit;
    ASSERT_TRUE(q.report(hit, run_phase::failed, run, drained()));
    ASSERT_TRUE(q.report(other, run_phase::stopped, run));
    ASSERT_EQ(q.state(1), "QUEUED");
    ASSERT_EQ(q.state(2), "QUEUED");
    ASSERT_EQ(q.lease({1, 2})->started.size(), 2U);
  }
  ASSERT_TRUE(q.report(1, run_phase::failed, 3, drained()));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
}

}  // namespace
}  // namespace argosy::ledger
