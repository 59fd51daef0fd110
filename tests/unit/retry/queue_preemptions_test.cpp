// SPDX-License-Identifier: Apache-2.0
// Goal: a job whose run the scheduler preempts or a drain ends queues again at its old place, with
// its gang and within a bound, unless it is to end; whoever preempts it by name ends it. Method:
// one core driven by commands; states, stored records and effects are compared.
#include <gmock/gmock.h>

#include "runtime/ledger/queue/job_rules.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::job_state;
using model::run_phase;
using model::run_state;

struct preempted_runs : ::testing::Test {
  void begin(const std::vector<std::uint64_t>& jobs) {
    ASSERT_EQ(queue.lease(jobs)->started.size(), jobs.size());
    for (const auto job : jobs) ASSERT_TRUE(queue.report(job, run_phase::running, number_of(job)));
  }
  std::uint32_t number_of(std::uint64_t job) const {
    return queue.core.find(job_id(job))->runs.back().number;
  }
  void preempt(const std::vector<std::uint64_t>& jobs) {
    place_request plan;
    for (const auto job : jobs)
      plan.preemptions.push_back({job_id(job), job_id(77), "job 77 takes its place"});
    ASSERT_EQ(queue.run(queue.core.place(plan, ++queue.now))->preempted, jobs.size());
  }
  void stopped(std::uint64_t job, run_phase how = run_phase::stopped) {
    ASSERT_TRUE(queue.report(job, how, number_of(job)));
  }

  queue_driver queue;
};

TEST_F(preempted_runs, bring_their_job_back_to_its_place) {
  auto job = job_named(1);
  job.submitted_ns = 42;
  ASSERT_TRUE(queue.submit({job}));
  begin({1});
  preempt({1});
  ASSERT_EQ(queue.effects<stop_order>().size(), 1U);
  EXPECT_EQ(queue.effects<stop_order>()[0].order.cause, model::stop_cause::preempt);
  EXPECT_EQ(queue.state(1), "RUNNING");
  stopped(1);
  EXPECT_EQ(queue.state(1), "QUEUED");
  EXPECT_EQ(queue.story(1).back(), "lease_returned");
  const auto& record = queue.stored(1);
  EXPECT_EQ(record.header->submitted_ns, 42);
  EXPECT_EQ(record.stopping, model::stop_cause::none);
  EXPECT_FALSE(record.comes_back);
  EXPECT_EQ(record.runs.at(0).state, run_state::lease_returned);
  EXPECT_EQ(record.runs.at(0).outcome.reason, reason_preempted);
  EXPECT_EQ(record.runs.at(0).outcome.message, "job 77 takes its place");
  EXPECT_EQ(queue.effects<run_over>().at(0).verdict, run_verdict::in_order);
  begin({1});
  EXPECT_EQ(number_of(1), 2U);
  ASSERT_TRUE(queue.report(1, run_phase::succeeded, 2));
  EXPECT_EQ(queue.stored(1).state, job_state::succeeded);
}

TEST_F(preempted_runs, that_fail_on_their_signal_or_lapse_come_back_and_success_counts) {
  for (const auto how : {run_phase::failed, run_phase::unknown, run_phase::succeeded}) {
    queue_driver fresh;
    queue = std::move(fresh);
    ASSERT_TRUE(queue.submit({job_named(1)}));
    begin({1});
    preempt({1});
    stopped(1, how);
    EXPECT_EQ(queue.stored(1).state,
              how == run_phase::succeeded ? job_state::succeeded : job_state::queued);
  }
  queue_driver fresh;
  queue = std::move(fresh);
  ASSERT_TRUE(queue.submit({job_named(1)}));
  begin({1});
  preempt({1});
  ASSERT_TRUE(queue.run(queue.core.lease_expired({{job_id(1), 1}}, ++queue.now)));
  EXPECT_EQ(queue.state(1), "QUEUED");
}

TEST_F(preempted_runs, end_a_job_that_says_so_and_one_that_somebody_preempts_by_name) {
  auto job = job_named(1);
  job.requeue_if_preempted = false;
  ASSERT_TRUE(queue.submit({job, job_named(2)}));
  begin({1, 2});
  preempt({1});
  stopped(1);
  EXPECT_EQ(queue.stored(1).state, job_state::preempted);
  job_selection which;
  which.ids = {job_id(2)};
  ASSERT_TRUE(queue.run(queue.core.preempt(which, "bob", "room", ++queue.now)));
  stopped(2);
  EXPECT_EQ(queue.stored(2).state, job_state::preempted);
}

TEST_F(preempted_runs, of_a_drain_come_back) {
  ASSERT_TRUE(queue.submit({job_named(1)}));
  begin({1});
  job_selection which;
  which.ids = {job_id(1)};
  ASSERT_TRUE(queue.run(queue.core.preempt(which, "bob", "a drain", ++queue.now, true)));
  stopped(1);
  EXPECT_EQ(queue.state(1), "QUEUED");
}

TEST_F(preempted_runs, end_their_job_when_it_is_cancelled_meanwhile) {
  ASSERT_TRUE(queue.submit({job_named(1)}));
  begin({1});
  preempt({1});
  ASSERT_TRUE(queue.cancel({1}));
  stopped(1);
  EXPECT_EQ(queue.stored(1).state, job_state::cancelled);
}

TEST_F(preempted_runs, end_their_job_beyond_a_bound) {
  queue_config config;
  config.disruptions_max = 2;
  queue_driver bounded{config};
  queue = std::move(bounded);
  ASSERT_TRUE(queue.submit({job_named(1)}));
  for (int times = 0; times < 2; ++times) {
    begin({1});
    preempt({1});
    stopped(1);
    ASSERT_EQ(queue.state(1), "QUEUED");
  }
  begin({1});
  preempt({1});
  stopped(1);
  EXPECT_EQ(queue.stored(1).state, job_state::preempted);
}

TEST_F(preempted_runs, bring_back_all_of_a_gang_of_which_one_loses_its_place) {
  auto first = job_named(1);
  auto second = job_named(2);
  first.gang = second.gang = gang_of("g", 2);
  ASSERT_TRUE(queue.submit({first, second}));
  begin({1, 2});
  preempt({1});
  stopped(1);
  ASSERT_EQ(queue.effects<stop_order>().size(), 1U) << "the other one is recalled";
  EXPECT_EQ(queue.effects<stop_order>()[0].order.cause, model::stop_cause::requeue);
  stopped(2, run_phase::failed);
  EXPECT_EQ(queue.state(1), "QUEUED");
  EXPECT_EQ(queue.state(2), "QUEUED");
  begin({1, 2});
  EXPECT_EQ(number_of(2), 2U);
}

}  // namespace
}  // namespace argosy::ledger
