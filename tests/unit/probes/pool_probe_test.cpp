// SPDX-License-Identifier: Apache-2.0
// Goal: metrics say what the last round of each pool said, in units of people. Method: plans that
// the test writes.
#include <gtest/gtest.h>

#include "messages/probes/pool_probe.hpp"
#include "tests/unit/probes/probe_values.hpp"

namespace argosy::probes {

namespace {

using namespace std::chrono_literals;

scheduling::config two_resources() {
  scheduling::config out;
  out.resources = {{"cpu", 1}, {"memory", 1000}};
  return out;
}

scheduling::queue_figures queue_with(const std::string& name, double adjusted, double actual) {
  scheduling::queue_figures out;
  out.name = name;
  out.fair_share = 0.5;
  out.capped_share = adjusted;
  out.demand_share = 0.75;
  out.cost_after = actual;
  out.used_after = {1500, 4096};
  out.demand = {3000, 0};
  return out;
}

}  // namespace

TEST(pool_probe, shows_shares_amounts_and_reasons_of_the_last_round) {
  pool_probe probe;
  scheduling::plan plan;
  plan.resources = {"cpu", "memory"};
  plan.queues = {queue_with("ann", 0.5, 0.25), queue_with("bob", 0.25, 0.5)};
  plan.refusals = {{1, scheduling::reason::job_does_not_fit}, {2, scheduling::reason::queue_limit}};
  plan.skips = {{0, 0, scheduling::reason::job_does_not_fit, 40}};
  probe.decided("default", plan, two_resources(), {}, wall_time{1000s}, 30ms);
  EXPECT_EQ(value(probe, "argosy_queue_share_ratio default ann actual"), 0.25);
  EXPECT_EQ(value(probe, "argosy_queue_share_ratio default ann fair"), 0.5);
  EXPECT_EQ(value(probe, "argosy_queue_share_ratio default bob adjusted"), 0.25);
  EXPECT_EQ(value(probe, "argosy_queue_share_ratio default bob demand"), 0.75);
  EXPECT_EQ(value(probe, "argosy_queue_allocated default ann cpu"), 1.5);
  EXPECT_EQ(value(probe, "argosy_queue_allocated default ann memory"), 4096);
  EXPECT_EQ(value(probe, "argosy_queue_demand default ann cpu"), 3);
  EXPECT_EQ(value(probe, "argosy_unplaced_jobs default JOB_DOES_NOT_FIT"), 41);
  EXPECT_EQ(value(probe, "argosy_unplaced_jobs default QUEUE_LIMIT"), 1);
  EXPECT_EQ(value(probe, "argosy_pool_unfairness_ratio default"), 0.25)
      << "a queue that has more than its share does not make up for one that has less";
  EXPECT_EQ(value(probe, "argosy_pool_round_time_seconds default"), 1000);
  EXPECT_EQ(value(probe, "argosy_round_duration_seconds default"), 1);
  EXPECT_EQ(value(probe, "argosy_round_jobs default unplaced"), 2);
}

TEST(pool_probe, shows_the_reasons_of_the_queues_with_the_most_jobs_that_got_no_place) {
  pool_probe probe;
  native::pool_round figures;
  for (std::uint64_t i = 1; i <= 300; ++i)
    figures.queues[model::queue_name{"q" + std::to_string(i)}].stops = {
        {"JOB_DOES_NOT_FIT", "", i, {}}, {"QUEUE_LIMIT", "", 2, {}}};
  figures.queues["idle"].active = true;
  probe.decided("default", {}, two_resources(), figures, wall_time{1s}, 1ms);
  EXPECT_EQ(samples(probe, "argosy_queue_unplaced_jobs"), 400u);
  EXPECT_EQ(value(probe, "argosy_queue_unplaced_jobs default q300 JOB_DOES_NOT_FIT"), 300);
  EXPECT_EQ(value(probe, "argosy_queue_unplaced_jobs default q101 QUEUE_LIMIT"), 2);
  EXPECT_EQ(value(probe, "argosy_queue_unplaced_jobs default q100 QUEUE_LIMIT"), std::nullopt);
  probe.decided("default", {}, two_resources(), {}, wall_time{2s}, 1ms);
  EXPECT_EQ(samples(probe, "argosy_queue_unplaced_jobs"), 0u);
}

TEST(pool_probe, forgets_what_an_older_round_said) {
  pool_probe probe;
  scheduling::plan plan;
  plan.queues = {queue_with("ann", 0.5, 0.25)};
  plan.refusals = {{1, scheduling::reason::queue_limit}};
  probe.decided("one", plan, two_resources(), {}, wall_time{1s}, 1ms);
  probe.decided("two", plan, two_resources(), {}, wall_time{2s}, 1ms);
  probe.decided("one", {}, two_resources(), {}, wall_time{3s}, 1ms);
  EXPECT_EQ(value(probe, "argosy_unplaced_jobs one QUEUE_LIMIT"), std::nullopt);
  EXPECT_EQ(value(probe, "argosy_queue_share_ratio one ann actual"), std::nullopt);
  EXPECT_EQ(value(probe, "argosy_unplaced_jobs two QUEUE_LIMIT"), 1);
  probe.keep_only({"one"});
  EXPECT_EQ(value(probe, "argosy_unplaced_jobs two QUEUE_LIMIT"), std::nullopt);
  EXPECT_EQ(value(probe, "argosy_pool_round_time_seconds one"), 3);
}

TEST(pool_probe, shows_since_when_a_queue_lacks_its_share) {
  pool_probe probe;
  scheduling::plan plan;
  plan.queues = {queue_with("ann", 0.5, 0.25), queue_with("bob", 0.5, 0.495)};
  for (const auto at : {100s, 160s, 220s})
    probe.decided("one", plan, two_resources(), {}, wall_time{at}, 1ms);
  EXPECT_EQ(value(probe, "argosy_queue_starved_seconds one ann"), 120);
  EXPECT_EQ(value(probe, "argosy_queue_starved_seconds one bob"), 0) << "it lacks next to nothing";
  plan.queues[0].cost_after = 0.5;
  probe.decided("one", plan, two_resources(), {}, wall_time{280s}, 1ms);
  EXPECT_EQ(value(probe, "argosy_queue_starved_seconds one ann"), 0);
}

TEST(pool_probe, names_the_queues_that_want_the_most) {
  pool_probe probe;
  scheduling::plan plan;
  for (int i = 0; i < 1100; ++i) {
    plan.queues.push_back(queue_with("q" + std::to_string(i), 0, 0));
    plan.queues.back().demand_share = i;
  }
  probe.decided("default", plan, two_resources(), {}, wall_time{1s}, 1ms);
  EXPECT_EQ(samples(probe, "argosy_queue_share_ratio"), 5000u);
  EXPECT_EQ(value(probe, "argosy_queue_share_ratio default q1099 demand"), 1099);
  EXPECT_EQ(value(probe, "argosy_queue_share_ratio default q99 demand"), std::nullopt);
}

}  // namespace argosy::probes
