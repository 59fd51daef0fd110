// SPDX-License-Identifier: Apache-2.0
// Goal: a job decides for itself what becomes of it when its lease lapses. Method: one core with
// every configured policy and every wish of a job.
#include <gtest/gtest.h>

#include "runtime/ledger/queue/job_rules.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::job_state;
using model::lease_policy;
using model::run_phase;

/// A queue under the configured policy that has a leased job with these wishes.
queue_driver leased(lease_policy configured, std::optional<lease_policy> wish, bool keep = false) {
  queue_config config;
  config.on_lease_expiry = configured;
  queue_driver q{config};
  auto job = job_named(1);
  job.on_lease_expiry = wish;
  job.keep_on_disconnect = keep;
  EXPECT_TRUE(q.submit({std::move(job)}));
  EXPECT_EQ(q.lease({1})->started.size(), 1U);
  return q;
}

/// Lets the lease lapse. Returns the job's state; nothing when the job has ended.
std::optional<job_state> lapse(queue_driver& q, bool abandoned = false) {
  EXPECT_TRUE(q.run(q.core.lease_expired({{job_id(1), 1}}, ++q.now, abandoned)));
  const auto* record = q.core.find(job_id(1));
  return record == nullptr ? std::nullopt : std::optional{record->state};
}

constexpr lease_policy policies[] = {lease_policy::requeue_after_lease,
                                     lease_policy::requeue_after_confirmation, lease_policy::fail};

TEST(queue_lapse, the_jobs_wish_comes_before_the_configuration) {
  for (const auto configured : policies) {
    auto requeued = leased(configured, lease_policy::requeue_after_lease);
    EXPECT_EQ(lapse(requeued), job_state::queued);
    auto waits = leased(configured, lease_policy::requeue_after_confirmation);
    EXPECT_EQ(lapse(waits), job_state::leased);
    auto fails = leased(configured, lease_policy::fail);
    EXPECT_EQ(lapse(fails), std::nullopt);
  }
}

TEST(queue_lapse, without_a_wish_the_configuration_counts) {
  auto requeued = leased(policies[0], std::nullopt);
  EXPECT_EQ(lapse(requeued), job_state::queued);
  auto waits = leased(policies[1], std::nullopt);
  EXPECT_EQ(lapse(waits), job_state::leased);
  auto fails = leased(policies[2], std::nullopt);
  EXPECT_EQ(lapse(fails), std::nullopt);
}

TEST(queue_lapse, a_kept_job_waits_for_its_agent_whatever_the_policy) {
  for (const auto configured : policies) {
    auto q = leased(configured, lease_policy::fail, true);
    EXPECT_EQ(lapse(q), job_state::leased);
    EXPECT_TRUE(
        make_start(*q.core.find(job_id(1))->header, 1, model::node_name{"n"}).keep_on_disconnect);
    // Whether it was cancelled or not, its end is certain only when the agent says so.
    job_selection which;
    which.ids = {job_id(1)};
    EXPECT_TRUE(q.run(q.core.cancel(which, "bob", "", ++q.now)));
    EXPECT_EQ(lapse(q), job_state::leased);
    EXPECT_EQ(q.report(1, run_phase::stopped)->taken, 1U);
    EXPECT_EQ(q.core.find(job_id(1)), nullptr);
  }
}

TEST(queue_lapse, the_word_that_a_run_stopped_at_its_end_lets_every_policy_decide) {
  const auto told = [](queue_driver q) -> std::optional<job_state> {
    model::run_report report;
    report.run = {job_id(1), 1};
    report.phase = run_phase::stopped;
    report.outcome.reason = reason_lapsed;
    const auto cluster = q.core.find(job_id(1))->live_run()->cluster;
    EXPECT_EQ(q.run(q.core.report(cluster, {report}, ++q.now))->taken, 1U);
    const auto* record = q.core.find(job_id(1));
    return record == nullptr ? std::nullopt : std::optional{record->state};
  };
  for (const bool keep : {false, true}) {
    EXPECT_EQ(told(leased(policies[0], std::nullopt, keep)), job_state::queued);
    EXPECT_EQ(told(leased(policies[1], std::nullopt, keep)), job_state::queued);
    EXPECT_EQ(told(leased(policies[2], std::nullopt, keep)), std::nullopt);
  }
}

TEST(queue_lapse, a_job_that_no_agent_will_tell_of_ends_when_it_is_cancelled) {
  for (const bool keep : {true, false}) {
    auto q = leased(policies[0], lease_policy::requeue_after_confirmation, keep);
    EXPECT_EQ(lapse(q, true), job_state::leased) << "not placed anew: it may still be alive";
    job_selection which;
    which.ids = {job_id(1)};
    EXPECT_TRUE(q.run(q.core.cancel(which, "bob", "lost", ++q.now)));
    EXPECT_EQ(lapse(q, true), std::nullopt);
    EXPECT_EQ(model::name_of(q.last_events.at(0).payload), "job_cancelled");
  }
}

}  // namespace
}  // namespace argosy::ledger
