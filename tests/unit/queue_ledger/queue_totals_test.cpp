// SPDX-License-Identifier: Apache-2.0
// Goal: a queue counts what ends in it, in a way that restarts and expired histories do not change.
// Method: a driven core, whose stored totals are compared with what happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::run_phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t second_ns = 1'000'000'000;

class queue_totals_test : public ::testing::Test {
 protected:
  /// The last totals that were stored.
  queue_totals stored() const {
    for (auto at = q.changes.rbegin(); at != q.changes.rend(); ++at)
      if (const auto* put = std::get_if<put_queue_totals>(&*at)) {
        EXPECT_EQ(put->queue, "q");
        return put->totals;
      }
    return {};
  }
  /// Runs the job for this many seconds.
  void run(std::uint64_t job, std::int64_t seconds, run_phase end, std::uint32_t number = 1) {
    ASSERT_TRUE(q.lease({job}));
    ASSERT_TRUE(q.report(job, run_phase::running, number));
    q.now += seconds * second_ns;
    ASSERT_TRUE(q.report(job, end, number));
  }

  queue_driver q;
};

TEST_F(queue_totals_test, count_jobs_by_how_they_ended) {
  for (std::uint64_t job = 1; job <= 6; ++job) {
    auto header = job_named(job);
    header.requeue_if_preempted = false;
    ASSERT_TRUE(q.submit({header}));
  }
  EXPECT_EQ(stored(), queue_totals{});
  run(1, 3, run_phase::succeeded);
  run(2, 2, run_phase::failed);
  ASSERT_TRUE(q.cancel({3}));
  ASSERT_TRUE(q.lease({4}));
  place_request plan;
  plan.preemptions = {{job_id(4), {}, "urgent"}};
  ASSERT_TRUE(q.run(q.core.place(plan, ++q.now)));
  ASSERT_TRUE(q.report(4, run_phase::stopped));
  EXPECT_EQ(stored(), (queue_totals{1, 1, 1, 1, 0, 5'000}));
  EXPECT_EQ(q.core.totals(), stored());
}

TEST_F(queue_totals_test, count_the_cpu_of_every_run_that_ended) {
  auto job = job_named(1);
  auto shape = std::make_shared<model::job_shape>(*job.shape);
  shape->requests = {{"cpu", 64'000}, {"memory", 1}};
  job.shape = shape;
  ASSERT_TRUE(q.submit({job}));
  run(1, 10, run_phase::stopped);
  EXPECT_EQ(q.state(1), "QUEUED");
  EXPECT_EQ(stored(), (queue_totals{.usage_cpu_ms = 640'000}));
  run(1, 7 * 24 * 3600, run_phase::succeeded, 2);
  EXPECT_EQ(stored(), (queue_totals{.succeeded = 1, .usage_cpu_ms = 640'000 + 38'707'200'000}));
}

TEST_F(queue_totals_test, go_on_after_a_restart) {
  ASSERT_TRUE(q.submit({job_named(1)}));
  queue_core next{"q"};
  next.restore(*q.core.settings());
  next.restore(queue_totals{.succeeded = 41});
  next.restore(model::job_record{*q.core.find(job_id(1))});
  q.core = std::move(next);
  run(1, 0, run_phase::succeeded);
  EXPECT_EQ(stored().succeeded, 42U);
}

TEST_F(queue_totals_test, sums_have_waits_ends_and_failures) {
  auto job = job_named(1);
  job.submitted_ns = q.now;
  ASSERT_TRUE(q.submit({job}));
  q.now += 90 * second_ns;
  ASSERT_TRUE(q.lease({1}));
  ASSERT_TRUE(q.report(1, run_phase::running));
  q.now += 5 * second_ns;
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, {2, 0, "Error", ""}));
  const auto& sums = *q.core.sums();
  const auto& delays = sums.by_place.at({"default", "armada-default"});
  EXPECT_EQ(delays.waits.counts.at(4), 1U) << "from 60 to 300 seconds";
  EXPECT_EQ(delays.placings.counts.at(4), 1U);
  ASSERT_EQ(sums.ended.size(), 1U);
  const auto& [pool, state, category] = sums.ended.begin()->first;
  EXPECT_EQ(pool, "default");
  EXPECT_EQ(state, model::job_state::failed);
  EXPECT_NE(category, "");
  EXPECT_EQ(sums.failures.size(), 1U);
  EXPECT_TRUE(sums.preempted.empty());
}

TEST_F(queue_totals_test, sums_have_what_preemption_threw_away) {
  ASSERT_TRUE(q.submit({job_named(1)}));
  ASSERT_TRUE(q.lease({1}));
  ASSERT_TRUE(q.report(1, run_phase::running));
  q.now += 10 * second_ns;
  place_request plan;
  plan.preemptions = {{job_id(1), {}, "urgent"}};
  ASSERT_TRUE(q.run(q.core.place(plan, ++q.now)));
  ASSERT_TRUE(q.report(1, run_phase::stopped));
  EXPECT_NEAR(q.core.sums()->preempted.at({"default", "cpu"}), 10 * 1000, 1);
}

TEST_F(queue_totals_test, sums_of_many_names_are_bounded) {
  for (std::uint64_t number = 1; number <= 40; ++number) {
    auto job = job_named(number);
    job.submitted_ns = q.now;
    auto shape = std::make_shared<model::job_shape>(*job.shape);
    shape->priority_class = "class-" + std::to_string(number);
    job.shape = shape;
    ASSERT_TRUE(q.submit({job}));
    ASSERT_TRUE(q.lease({number}));
  }
  const auto& places = q.core.sums()->by_place;
  EXPECT_EQ(places.size(), queue_sums::places_max + 1);
  EXPECT_TRUE(places.contains({"other", "other"}));
}

TEST_F(queue_totals_test, go_with_the_queue) {
  ASSERT_TRUE(q.submit({job_named(1)}));
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.run(q.core.erase(erase_mode::strict, ++q.now)));
  EXPECT_EQ(q.core.totals(), queue_totals{});
}

TEST_F(queue_totals_test, active_pools_are_those_with_live_runs) {
  ASSERT_TRUE(q.submit({job_named(1), job_named(2), job_named(3)}));
  EXPECT_THAT(q.core.active_pools(), IsEmpty());
  place_request plan;
  plan.leases = {
      {job_id(1), model::cluster_name{"c"}, model::node_name{"n"}, model::pool_name{"two"}, 0},
      {job_id(2), model::cluster_name{"c"}, model::node_name{"n"}, model::pool_name{"one"}, 0}};
  ASSERT_TRUE(q.run(q.core.place(plan, ++q.now)));
  EXPECT_THAT(q.core.active_pools(), ElementsAre("one", "two"));
  queue_core next{"q"};
  next.restore(*q.core.settings());
  q.core.for_each([&](const model::job_record& job) { next.restore(model::job_record{job}); });
  EXPECT_THAT(next.active_pools(), ElementsAre("one", "two"));
  ASSERT_TRUE(q.report(1, run_phase::succeeded));
  EXPECT_THAT(q.core.active_pools(), ElementsAre("one"));
  ASSERT_TRUE(q.report(2, run_phase::refused));
  EXPECT_THAT(q.core.active_pools(), IsEmpty());
}

}  // namespace
}  // namespace argosy::ledger
