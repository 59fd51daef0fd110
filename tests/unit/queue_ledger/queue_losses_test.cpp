// SPDX-License-Identifier: Apache-2.0
// Goal: a run that is reported lost follows the lease policy of its job, within a bound of its own,
// and what refused it is told to the node. Method: one core is driven; its records are compared.
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
using ::testing::HasSubstr;

const model::run_outcome lost_outcome{std::nullopt, 0, "Lost", "the machine was restarted"};

/// A queue with job 1, leased to cluster "c" as run 1.
queue_driver leased_under(lease_policy policy, std::optional<lease_policy> wish = std::nullopt) {
  queue_config config;
  config.on_lease_expiry = policy;
  queue_driver q{config};
  auto job = job_named(1);
  job.on_lease_expiry = wish;
  EXPECT_TRUE(q.submit({job}));
  EXPECT_EQ(q.lease({1})->started.size(), 1U);
  return q;
}

TEST(lost_runs, come_back_into_their_queue_under_both_policies_that_requeue) {
  for (const auto policy :
       {lease_policy::requeue_after_lease, lease_policy::requeue_after_confirmation}) {
    auto q = leased_under(policy);
    ASSERT_TRUE(q.report(1, run_phase::running));
    ASSERT_TRUE(q.report(1, run_phase::failed, 1, lost_outcome));
    EXPECT_EQ(q.state(1), "QUEUED");
    EXPECT_EQ(q.story(1).back(), "lease_returned");
    EXPECT_EQ(q.effects<run_over>().size(), 1U);
    EXPECT_EQ(q.lease({1})->started.at(0).run.number, 2U);
  }
}

TEST(lost_runs, say_why_the_job_queues_again) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  ASSERT_TRUE(q.report(1, run_phase::running));
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, lost_outcome));
  const auto& run = q.stored(1).runs.at(0);
  EXPECT_EQ(run.state, run_state::lease_returned);
  EXPECT_EQ(run.outcome.reason, "Lost");
  EXPECT_EQ(run.outcome.message,
            "its run was lost: the machine was restarted; it was queued again");
  EXPECT_FALSE(run.outcome.exit_code);
}

TEST(lost_runs, fail_the_job_under_the_policy_fail) {
  auto q = leased_under(lease_policy::fail);
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, lost_outcome));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_EQ(q.stored(1).runs.at(0).outcome, lost_outcome);
}

TEST(lost_runs, follow_what_the_job_asked_for) {
  auto failing = leased_under(lease_policy::requeue_after_lease, lease_policy::fail);
  ASSERT_TRUE(failing.report(1, run_phase::failed, 1, lost_outcome));
  EXPECT_EQ(failing.state(1), "GONE");
  auto patient = leased_under(lease_policy::fail, lease_policy::requeue_after_confirmation);
  ASSERT_TRUE(patient.report(1, run_phase::failed, 1, lost_outcome));
  EXPECT_EQ(patient.state(1), "QUEUED");
}

TEST(lost_runs, end_what_was_being_stopped) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, lost_outcome));
  EXPECT_EQ(q.stored(1).state, job_state::cancelled);
}

TEST(lost_runs, fail_a_job_beyond_their_bound_which_is_not_that_of_returns) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  for (std::uint32_t run = 1; run <= 5; ++run) {
    ASSERT_TRUE(q.report(1, run_phase::running, run));
    ASSERT_TRUE(q.report(1, run_phase::failed, run, lost_outcome));
    ASSERT_EQ(q.state(1), "QUEUED") << run;
    ASSERT_TRUE(q.lease({1}));
  }
  EXPECT_EQ(losses_of(*q.core.find(job_id(1))), 5U);
  EXPECT_EQ(returns_of(*q.core.find(job_id(1))), 0U);
  ASSERT_TRUE(q.report(1, run_phase::refused, 6));
  ASSERT_EQ(q.state(1), "QUEUED") << "a return does not use up the losses";
  ASSERT_TRUE(q.lease({1}));
  ASSERT_TRUE(q.report(1, run_phase::failed, 7, lost_outcome));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_EQ(q.stored(1).reason,
            "its runs were lost 6 times, the last one because: the machine was restarted");
  EXPECT_EQ(q.stored(1).runs.back().outcome.reason, "Lost");
}

TEST(lost_runs, of_a_member_start_its_gang_over) {
  queue_driver q;
  auto first = job_named(1), second = job_named(2);
  first.gang = second.gang = gang_of("g", 2);
  ASSERT_TRUE(q.submit({first, second}));
  ASSERT_TRUE(q.lease({1, 2}));
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, lost_outcome));
  EXPECT_EQ(q.state(1), "QUEUED");
  ASSERT_EQ(q.effects<stop_order>().size(), 1U);
  ASSERT_TRUE(q.report(2, run_phase::failed, 1, lost_outcome));
  EXPECT_EQ(q.state(2), "QUEUED");
  EXPECT_EQ(losses_of(*q.core.find(job_id(2))), 0U) << "it was being stopped";
}

const model::run_outcome broken_outcome{std::nullopt, 0, "BackendError", "the disk is full"};

TEST(refused_starts, of_one_broken_node_are_tried_often_and_not_for_ever) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  for (std::uint32_t run = 1; run <= 12; ++run) {
    ASSERT_TRUE(q.report(1, run_phase::refused, run, broken_outcome));
    ASSERT_EQ(q.state(1), "QUEUED") << run;
    EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::refused);
    ASSERT_TRUE(q.lease({1}));
  }
  EXPECT_EQ(returns_of(*q.core.find(job_id(1))), 3U);
  ASSERT_TRUE(q.report(1, run_phase::refused, 13, broken_outcome));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_THAT(q.stored(1).reason, HasSubstr("the last one because: the disk is full"));
}

TEST(refused_starts, of_a_member_end_its_gang_after_so_many_tries) {
  queue_driver q;
  auto first = job_named(1), second = job_named(2);
  first.gang = second.gang = gang_of("g", 2);
  ASSERT_TRUE(q.submit({first, second}));
  for (std::uint32_t run = 1; run <= 13; ++run) {
    ASSERT_TRUE(q.lease({1, 2})) << run;
    ASSERT_TRUE(q.report(1, run_phase::refused, run, broken_outcome));
    ASSERT_TRUE(q.report(2, run_phase::stopped, run));
    ASSERT_TRUE(run == 13 || q.state(1) == "QUEUED") << run;
  }
  EXPECT_EQ(q.stored(1).state, job_state::failed);
}

TEST(refused_starts, to_everybody_by_a_cluster_never_fail_a_job) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  const model::run_outcome full{std::nullopt, 0, "ClusterRefused", "exceeded quota: q", "quota"};
  for (std::uint32_t run = 1; run <= 20; ++run) {
    ASSERT_TRUE(q.report(1, run_phase::refused, run, full));
    ASSERT_EQ(q.state(1), "QUEUED") << run;
    EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::in_order);
    ASSERT_TRUE(q.lease({1}));
  }
  EXPECT_EQ(returns_of(*q.core.find(job_id(1))), 0U);
  EXPECT_EQ(q.stored(1).runs.at(0).outcome.message, "exceeded quota: q");
}

TEST(refused_starts, of_many_broken_nodes_fail_the_job) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  for (const std::string cluster : {"c", "d", "e"}) {
    const auto run = static_cast<std::uint32_t>(q.core.find(job_id(1))->runs.size());
    ASSERT_TRUE(q.report(1, run_phase::refused, run, broken_outcome, cluster));
    ASSERT_EQ(q.state(1), "QUEUED");
    ASSERT_TRUE(q.lease({1}, std::string(1, static_cast<char>(cluster[0] + 1))));
  }
  ASSERT_TRUE(q.report(1, run_phase::refused, 4, broken_outcome, "f"));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_THAT(q.stored(1).reason, HasSubstr("came back 4 times"));
  EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::refused);
}

TEST(refused_starts, for_a_user_that_is_not_allowed_fail_the_job_and_not_the_node) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  const std::string why = "runAsUser 0 is not allowed; see 'process.allowedUsers'";
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, {std::nullopt, 0, "UserNotAllowed", why}));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_EQ(q.stored(1).runs.back().outcome.message, why);
  EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::in_order);
}

TEST(refused_starts, for_what_the_job_asks_for_fail_it_at_once_and_not_the_node) {
  for (const auto* reason : {model::reason_unsupported, model::reason_user_not_allowed,
                             model::reason_submission_refused, model::reason_quota_exceeded}) {
    auto q = leased_under(lease_policy::requeue_after_lease);
    ASSERT_TRUE(q.report(1, run_phase::refused, 1, {std::nullopt, 0, reason, "podSpec.x"}));
    EXPECT_EQ(q.stored(1).state, job_state::failed) << reason;
    EXPECT_EQ(q.stored(1).runs.back().outcome.message, "podSpec.x") << "in the agent's words";
    EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::in_order) << reason;
  }
  auto q = leased_under(lease_policy::requeue_after_lease);
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(
      q.report(1, run_phase::refused, 1, {std::nullopt, 0, model::reason_unsupported, "x"}));
  EXPECT_EQ(q.stored(1).state, job_state::cancelled) << "somebody had cancelled it";
}

TEST(refused_starts, by_a_cluster_count_each_and_say_nothing_of_the_node) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  const model::run_outcome busy{std::nullopt, 0, "ClusterRefused", "too many requests"};
  for (std::uint32_t run = 1; run <= 3; ++run) {
    ASSERT_TRUE(q.report(1, run_phase::refused, run, busy));
    ASSERT_EQ(q.state(1), "QUEUED");
    EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::in_order);
    ASSERT_TRUE(q.lease({1}));
  }
  EXPECT_EQ(returns_of(*q.core.find(job_id(1))), 3U);
  ASSERT_TRUE(q.report(1, run_phase::refused, 4, busy));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_THAT(q.stored(1).reason, HasSubstr("too many requests"));
}

TEST(refused_starts, of_one_node_have_the_job_go_elsewhere_and_count) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  const auto node = q.core.find(job_id(1))->runs.back().node;
  const model::run_outcome here{std::nullopt, 0, model::reason_refused_here, "pod already exists"};
  ASSERT_TRUE(q.report(1, run_phase::refused, 1, here));
  EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::in_order) << "no fault of the node";
  const auto& job = *q.core.find(job_id(1));
  EXPECT_EQ(returns_of(job), 1U);
  ASSERT_EQ(job.header->shape->affinity.size(), 1U);
  EXPECT_THAT(job.header->shape->affinity[0][0].values, ::testing::ElementsAre(node.str()));
}

TEST(reports, of_a_pod_are_kept_once_and_what_it_used_is_told_alone) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  model::run_report report;
  report.run = {job_id(1), 1};
  report.phase = run_phase::running;
  report.pod = {"uid", {{80, "h"}}};
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(q.run(q.core.report(model::cluster_name{"c"}, {report}, ++q.now)));
  EXPECT_EQ(q.core.find(job_id(1))->runs.back().pod, report.pod);
  EXPECT_EQ(std::ranges::count(q.story(1), "run_noted"), 1);
  report.pod = {};
  report.usage.peak = {{"cpu", "5m"}};
  ASSERT_TRUE(q.run(q.core.report(model::cluster_name{"c"}, {report}, ++q.now)));
  ASSERT_EQ(q.last_events.size(), 1U);
  EXPECT_EQ(std::get<model::run_noted>(q.last_events[0].payload).usage, report.usage);
  EXPECT_EQ(q.core.find(job_id(1))->runs.back().pod.uid, "uid");
}

TEST(refused_starts, of_one_node_count_for_a_job_that_may_not_go_everywhere) {
  queue_driver q;
  auto job = job_named(1);
  auto shape = *job.shape;
  shape.node_selector = {{"zone", "a"}};
  job.shape = std::make_shared<const model::job_shape>(shape);
  ASSERT_TRUE(q.submit({job}));
  ASSERT_TRUE(q.lease({1}));
  const model::run_outcome here{std::nullopt, 0, model::reason_refused_here, "pod already exists"};
  ASSERT_TRUE(q.report(1, run_phase::refused, 1, here));
  EXPECT_THAT(q.core.find(job_id(1))->header->shape->affinity, ::testing::IsEmpty());
}

TEST(refused_starts, of_one_node_count_for_a_job_that_names_nodes_by_affinity) {
  queue_driver q;
  auto job = job_named(1);
  auto shape = *job.shape;
  shape.affinity = {{{"zone", model::affinity_rule::op::in, {"a"}}}};
  job.shape = std::make_shared<const model::job_shape>(shape);
  ASSERT_TRUE(q.submit({job}));
  ASSERT_TRUE(q.lease({1}));
  ASSERT_TRUE(q.report(1, run_phase::refused, 1, {{}, 0, model::reason_refused_here, "no volume"}));
  EXPECT_EQ(q.core.find(job_id(1))->header->shape->affinity, shape.affinity);
  EXPECT_EQ(returns_of(*q.core.find(job_id(1))), 1U);
}

TEST(failed_runs, that_others_ended_or_no_cluster_takes_say_nothing_of_the_node) {
  for (const auto* reason : {"SubmissionRefused", "QuotaExceeded", "Evicted", "EvictedOnRequest",
                             "PreemptedByKubernetes", "NodeShutdown", "Deleted", "CannotBegin"}) {
    queue_config none_comes_back;
    none_comes_back.disruptions_max = 0;
    queue_driver q{none_comes_back};
    ASSERT_TRUE(q.submit({job_named(1)}));
    ASSERT_TRUE(q.lease({1}));
    ASSERT_TRUE(q.report(1, run_phase::failed, 1, {std::nullopt, 0, reason, "it says why"}));
    EXPECT_EQ(q.stored(1).state, job_state::failed) << reason;
    EXPECT_EQ(q.stored(1).reason, "it says why");
    EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::in_order) << reason;
  }
}

TEST(failed_runs, that_stored_too_much_fail_the_job_and_not_the_node) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, {137, 9, "StorageExceeded", "stored too much"}));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::failed);
}

TEST(refused_starts, that_may_be_the_fault_of_the_job_count_each) {
  auto q = leased_under(lease_policy::requeue_after_lease);
  for (std::uint32_t run = 1; run <= 3; ++run) {
    ASSERT_TRUE(q.report(1, run_phase::refused, run, {std::nullopt, 0, "NotStarted", "no agent"}));
    EXPECT_NE(q.effects<run_over>().at(0).verdict, run_verdict::refused);
    ASSERT_TRUE(q.lease({1}));
  }
  EXPECT_EQ(returns_of(*q.core.find(job_id(1))), 3U);
}

}  // namespace
}  // namespace argosy::ledger
