// SPDX-License-Identifier: Apache-2.0
// Goal: single jobs keep to their life cycle (leases, reports, cancellation, preemption, returned
// and lapsed leases) in every order that races can bring. Method: one core driven by commands; the
// events of a job, its stored record and the effects are compared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/ledger/queue/job_rules.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::job_state;
using model::run_phase;
using model::run_state;
using model::stop_cause;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

model::run_outcome outcome_of(std::string reason, std::int32_t code = 1) {
  model::run_outcome outcome;
  outcome.exit_code = code;
  outcome.reason = std::move(reason);
  return outcome;
}

/// A queue with job 1, leased to cluster "c" as run 1.
class leased_job : public ::testing::Test {
 protected:
  explicit leased_job(queue_config config = {}) : q(config) {
    EXPECT_TRUE(q.submit({job_named(1)}));
    EXPECT_EQ(q.lease({1})->started.size(), 1U);
  }
  queue_driver q;
};

TEST_F(leased_job, lease_is_recorded_and_ordered) {
  const auto& record = *q.core.find(job_id(1));
  ASSERT_NE(record.live_run(), nullptr);
  const auto& run = *record.live_run();
  EXPECT_EQ(run.number, 1U);
  EXPECT_EQ(run.cluster.str(), "c");
  EXPECT_EQ(run.node.str(), "n1");
  EXPECT_EQ(run.pool.str(), "default");
  EXPECT_EQ(run.scheduled_at_priority, 30000);
  EXPECT_EQ(run.round, 7U);
  EXPECT_EQ(run.leased_ns, q.now);
  EXPECT_EQ(q.state(1), "LEASED");
  const auto order = make_start(*record.header, 1, model::node_name{"n1"});
  EXPECT_EQ(order.run, (model::run_key{job_id(1), 1}));
  EXPECT_EQ(order.queue, "q");
  EXPECT_EQ(order.job_set, "set-1");
  EXPECT_EQ(order.name_space, record.header->name_space);
  EXPECT_EQ(order.owner, record.header->owner);
  EXPECT_EQ(order.requests, record.header->shape->requests);
  EXPECT_EQ(*order.spec, "spec");
}

TEST_F(leased_job, success) {
  EXPECT_EQ(q.report(1, run_phase::accepted)->taken, 1U);
  EXPECT_TRUE(q.last_events.empty());
  EXPECT_EQ(q.report(1, run_phase::pending)->taken, 1U);
  EXPECT_EQ(q.report(1, run_phase::running)->taken, 1U);
  EXPECT_EQ(q.core.count(job_state::running), 1U);
  EXPECT_EQ(q.report(1, run_phase::succeeded)->taken, 1U);
  EXPECT_THAT(q.story(1), ElementsAre("job_submitted", "job_leased", "run_pending", "run_running",
                                      "run_succeeded"));
  EXPECT_EQ(q.state(1), "GONE");
  EXPECT_EQ(q.stored(1).state, job_state::succeeded);
  EXPECT_EQ(q.stored(1).runs.at(0).state, run_state::succeeded);
  EXPECT_EQ(q.stored(1).runs.at(0).finished_ns, q.now);
  const auto over = q.effects<run_over>();
  ASSERT_EQ(over.size(), 1U);
  EXPECT_EQ(over[0].run, (model::run_key{job_id(1), 1}));
  EXPECT_EQ(over[0].verdict, run_verdict::succeeded);
  EXPECT_EQ(over[0].time_ns, q.now);
  EXPECT_TRUE(q.core.job_sets().empty());
}

TEST_F(leased_job, running_without_pending_has_both_events) {
  ASSERT_TRUE(q.report(1, run_phase::running));
  EXPECT_THAT(q.story(1), ElementsAre("job_submitted", "job_leased", "run_pending", "run_running"));
}

TEST_F(leased_job, several_reports_in_one_batch) {
  std::vector<model::run_report> batch(3);
  for (auto& report : batch) report.run = {job_id(1), 1};
  batch[0].phase = run_phase::pending;
  batch[1].phase = run_phase::running;
  batch[2].phase = run_phase::succeeded;
  ASSERT_EQ(q.run(q.core.report(model::cluster_name{"c"}, batch, 9))->taken, 3U);
  EXPECT_EQ(q.stored(1).state, job_state::succeeded);
}

TEST_F(leased_job, failure_keeps_the_outcome) {
  auto outcome = outcome_of("OOMKilled", 137);
  outcome.message = "ran out of memory";
  ASSERT_TRUE(q.report(1, run_phase::failed, 1, outcome));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_EQ(q.stored(1).reason, "ran out of memory");
  EXPECT_EQ(q.stored(1).runs.at(0).outcome, outcome);
  EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::failed);
}

TEST_F(leased_job, stale_reports_are_counted_and_change_nothing) {
  ASSERT_TRUE(q.report(1, run_phase::running));
  const auto events = q.log.size();
  EXPECT_EQ(q.report(1, run_phase::pending)->ignored, 1U) << "an older phase";
  EXPECT_EQ(q.report(1, run_phase::running)->ignored, 1U) << "repeated";
  EXPECT_EQ(q.report(1, run_phase::succeeded, 2)->ignored, 1U) << "another run";
  EXPECT_EQ(q.report(1, run_phase::failed, 1, {}, "d")->ignored, 1U) << "another cluster";
  EXPECT_EQ(q.report(99, run_phase::succeeded)->ignored, 1U) << "an unknown job";
  ASSERT_TRUE(q.report(1, run_phase::succeeded));
  EXPECT_EQ(q.report(1, run_phase::failed)->ignored, 1U) << "after the end";
  EXPECT_EQ(q.log.size(), events + 1);
}

TEST_F(leased_job, a_lease_is_refused_unless_the_job_waits) {
  ASSERT_TRUE(q.submit({job_named(2)}));
  ASSERT_TRUE(q.cancel({2}));
  const auto reply = q.lease({1, 2, 99});
  EXPECT_TRUE(reply->started.empty());
  ASSERT_EQ(reply->refused.size(), 3U);
  EXPECT_EQ(reply->refused[0].reason, "the job has a run already");
  EXPECT_EQ(reply->refused[1].reason, "the job has ended");
  EXPECT_TRUE(q.last_events.empty());
}

TEST_F(leased_job, a_job_is_leased_once_a_plan) {
  ASSERT_TRUE(q.submit({job_named(2)}));
  const auto reply = q.lease({2, 2});
  EXPECT_EQ(reply->started.size(), 1U);
  EXPECT_EQ(reply->refused.size(), 1U);
}

TEST_F(leased_job, nothing_is_leased_from_a_cordoned_queue) {
  ASSERT_TRUE(q.submit({job_named(2)}));
  ASSERT_TRUE(q.run(q.core.cordon(true, ++q.now)));
  EXPECT_EQ(q.lease({2})->refused.at(0).reason, "the queue is cordoned");
}

TEST_F(leased_job, cancel_stops_the_run_and_ends_the_job) {
  ASSERT_TRUE(q.report(1, run_phase::pending));
  EXPECT_EQ(q.cancel({1})->ids.size(), 1U);
  const auto stop = q.effects<stop_order>();
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].cluster.str(), "c");
  EXPECT_EQ(stop[0].order.cause, stop_cause::cancel);
  EXPECT_EQ(stop[0].order.run, (model::run_key{job_id(1), 1}));
  EXPECT_TRUE(q.cancel({1})->ids.empty()) << "once is enough";
  EXPECT_TRUE(q.last_effects.empty());
  // The agent started the run before the stop arrived.
  ASSERT_TRUE(q.report(1, run_phase::running));
  EXPECT_EQ(q.state(1), "RUNNING");
  ASSERT_TRUE(q.report(1, run_phase::stopped));
  EXPECT_THAT(q.story(1), ElementsAre("job_submitted", "job_leased", "run_pending",
                                      "job_cancelling", "run_running", "job_cancelled"));
  EXPECT_EQ(q.stored(1).state, job_state::cancelled);
  EXPECT_EQ(q.stored(1).requestor, "bob");
  EXPECT_EQ(q.stored(1).reason, "enough");
  EXPECT_EQ(q.stored(1).runs.at(0).state, run_state::cancelled);
}

TEST_F(leased_job, whatever_ends_a_cancelled_run_badly_the_job_is_cancelled) {
  for (const auto phase :
       {run_phase::failed, run_phase::stopped, run_phase::refused, run_phase::unknown}) {
    queue_driver fresh;
    ASSERT_TRUE(fresh.submit({job_named(1)}));
    ASSERT_TRUE(fresh.lease({1}));
    ASSERT_TRUE(fresh.cancel({1}));
    ASSERT_TRUE(fresh.report(1, phase));
    EXPECT_EQ(fresh.stored(1).state, job_state::cancelled) << static_cast<int>(phase);
  }
}

TEST_F(leased_job, success_before_the_cancellation_arrived_stays_a_success) {
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.report(1, run_phase::succeeded));
  EXPECT_EQ(q.stored(1).state, job_state::succeeded);
  EXPECT_EQ(q.stored(1).reason, "");
  EXPECT_EQ(q.report(1, run_phase::stopped)->ignored, 1U);
}

TEST_F(leased_job, keeps_a_bounded_number_of_notes) {
  model::run_report report;
  report.run = {job_id(1), 1};
  report.phase = run_phase::running;
  const auto told = [&](const std::string& note) {
    report.note = note;
    ASSERT_TRUE(q.run(q.core.report(model::cluster_name{"c"}, {report}, 5)));
  };
  for (int i = 0; i < 100; ++i) told(std::to_string(i) + std::string(1'000, 'x'));
  const auto& note = q.stored(1).runs.back().note;
  EXPECT_TRUE(note.starts_with("0xxx"));
  EXPECT_GT(note.size(), 4'000U);
  EXPECT_LT(note.size(), 6'000U);
  told("one more");
  EXPECT_TRUE(q.last_events.empty());
}

class job_that_preemption_ends : public leased_job {
 protected:
  job_that_preemption_ends() : leased_job(config()) {}
  static queue_config config() {
    queue_config out;
    out.requeue_preempted = false;
    return out;
  }
};

TEST_F(job_that_preemption_ends, ends_by_a_round) {
  place_request plan;
  plan.preemptions.push_back({job_id(1), job_id(9), "to make room"});
  EXPECT_EQ(q.run(q.core.place(plan, 5))->preempted, 1U);
  EXPECT_EQ(q.effects<stop_order>().at(0).order.cause, stop_cause::preempt);
  EXPECT_EQ(q.run(q.core.place(plan, 6))->refused.at(0).reason, "its run is being stopped already");
  ASSERT_TRUE(q.report(1, run_phase::stopped));
  EXPECT_EQ(q.stored(1).state, job_state::preempted);
  EXPECT_EQ(q.stored(1).preemptor, job_id(9));
  EXPECT_EQ(q.stored(1).reason, "to make room");
  EXPECT_EQ(q.run(q.core.place(plan, 7))->refused.at(0).reason, "its run has ended");
}

TEST_F(leased_job, a_cancellation_overrides_a_preemption) {
  place_request plan;
  plan.preemptions.push_back({job_id(1), job_id(9), "to make room"});
  ASSERT_EQ(q.run(q.core.place(plan, 5))->preempted, 1U);
  EXPECT_EQ(q.cancel({1})->ids.size(), 1U);
  ASSERT_TRUE(q.report(1, run_phase::stopped));
  EXPECT_EQ(q.stored(1).state, job_state::cancelled);
  EXPECT_TRUE(q.stored(1).preemptor.is_nil());
}

TEST_F(leased_job, returns_requeue_up_to_the_limit_and_then_fail) {
  for (std::uint32_t run = 1; run <= 3; ++run) {
    ASSERT_TRUE(q.report(1, run % 2 ? run_phase::refused : run_phase::unknown, run));
    EXPECT_EQ(q.state(1), "QUEUED");
    EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::lost);
    ASSERT_EQ(q.lease({1})->started.at(0).run.number, run + 1) << "run numbers only grow";
  }
  ASSERT_TRUE(q.report(1, run_phase::refused, 4, outcome_of("NoSuchVolume")));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_THAT(q.stored(1).reason, HasSubstr("came back 4 times"));
  EXPECT_THAT(q.stored(1).reason, HasSubstr("NoSuchVolume"));
  EXPECT_EQ(q.stored(1).runs.size(), 4U);
}

TEST_F(leased_job, runs_that_began_do_not_use_up_the_returns) {
  for (std::uint32_t run = 1; run <= 6; ++run) {
    ASSERT_TRUE(q.report(1, run_phase::running, run));
    ASSERT_TRUE(q.report(1, run_phase::stopped, run, outcome_of("the agent is shut down")));
    EXPECT_EQ(q.state(1), "QUEUED");
    EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::in_order) << "not the node's fault";
    ASSERT_TRUE(q.lease({1}));
  }
  EXPECT_EQ(returns_of(*q.core.find(job_id(1))), 0U);
  for (std::uint32_t run = 7; run <= 9; ++run) {
    ASSERT_TRUE(q.report(1, run_phase::refused, run));
    ASSERT_TRUE(q.lease({1}));
  }
  ASSERT_TRUE(q.report(1, run_phase::running, 10));
  ASSERT_TRUE(q.report(1, run_phase::stopped, 10));
  EXPECT_EQ(q.state(1), "QUEUED") << "neither when others came back unstarted before";
}

TEST_F(leased_job, a_run_stopped_by_nobody_here_queues_again) {
  ASSERT_TRUE(q.report(1, run_phase::running));
  ASSERT_TRUE(q.report(1, run_phase::stopped, 1, outcome_of("Drained")));
  EXPECT_EQ(q.state(1), "QUEUED");
  EXPECT_THAT(q.story(1), ElementsAre("job_submitted", "job_leased", "run_pending", "run_running",
                                      "lease_returned"));
}

TEST_F(leased_job, a_lapsed_lease_requeues_by_default) {
  ASSERT_TRUE(q.report(1, run_phase::running));
  EXPECT_EQ(q.run(q.core.lease_expired({{job_id(1), 2}, {job_id(9), 1}}, 5))->ignored, 2U);
  EXPECT_EQ(q.run(q.core.lease_expired({{job_id(1), 1}}, 5))->taken, 1U);
  EXPECT_EQ(q.state(1), "QUEUED");
  EXPECT_EQ(q.effects<run_over>().size(), 1U);
  EXPECT_EQ(q.stored(1).runs.at(0).state, run_state::lease_expired);
  EXPECT_EQ(q.report(1, run_phase::succeeded)->ignored, 1U) << "too late";
  // This does not count as a return.
  EXPECT_EQ(returns_of(*q.core.find(job_id(1))), 0U);
  EXPECT_EQ(q.lease({1})->started.at(0).run.number, 2U);
}

TEST_F(leased_job, the_agent_too_may_say_that_the_lease_lapsed) {
  ASSERT_TRUE(q.report(1, run_phase::stopped, 1, outcome_of(reason_lapsed)));
  EXPECT_EQ(q.story(1).back(), "lease_expired");
  EXPECT_EQ(q.state(1), "QUEUED");
}

TEST_F(leased_job, a_lapse_ends_what_was_being_stopped) {
  ASSERT_TRUE(q.cancel({1}));
  ASSERT_TRUE(q.run(q.core.lease_expired({{job_id(1), 1}}, 5)));
  EXPECT_EQ(q.stored(1).state, job_state::cancelled);
}

TEST(lease_policies, fail) {
  queue_config config;
  config.on_lease_expiry = lease_policy::fail;
  queue_driver q{config};
  ASSERT_TRUE(q.submit({job_named(1)}));
  ASSERT_TRUE(q.lease({1}));
  ASSERT_TRUE(q.run(q.core.lease_expired({{job_id(1), 1}}, 5)));
  EXPECT_EQ(q.stored(1).state, job_state::failed);
  EXPECT_EQ(q.stored(1).runs.at(0).outcome.reason, reason_lapsed);
  EXPECT_EQ(q.effects<run_over>().at(0).verdict, run_verdict::in_order) << "not the node's fault";
}

TEST(lease_policies, requeue_after_confirmation) {
  queue_config config;
  config.on_lease_expiry = lease_policy::requeue_after_confirmation;
  queue_driver q{config};
  ASSERT_TRUE(q.submit({job_named(1), job_named(2), job_named(3)}));
  ASSERT_TRUE(q.lease({1, 2, 3}));
  ASSERT_TRUE(q.cancel({3}));
  const std::vector<model::run_key> runs{{job_id(1), 1}, {job_id(2), 1}, {job_id(3), 1}};
  const auto reply = q.run(q.core.lease_expired(runs, 5));
  EXPECT_EQ(reply->ignored, 2U);
  EXPECT_EQ(q.state(1), "LEASED") << "nobody has confirmed its end";
  EXPECT_EQ(q.state(3), "GONE") << "it is not placed again, so nothing has to be confirmed";
  ASSERT_TRUE(q.report(1, run_phase::unknown));
  EXPECT_EQ(q.state(1), "QUEUED");
  ASSERT_TRUE(q.report(2, run_phase::stopped, 1, outcome_of(reason_lapsed)));
  EXPECT_EQ(q.story(2).back(), "lease_expired");
}

TEST(queue_apply, illegal_events_change_nothing_and_are_counted) {
  queue_driver q;
  ASSERT_TRUE(q.submit({job_named(1)}));
  const model::run_key first{job_id(1), 1};
  const std::vector<model::event> illegal{
      {5, "other", model::job_cancelling{job_id(1), "", ""}},
      {5, "q", model::job_submitted{nullptr}},
      {5, "q", model::job_submitted{q.core.find(job_id(1))->header}},
      {5, "q",
       model::job_leased{{job_id(1), 2},
                         model::cluster_name{"c"},
                         model::node_name{"n"},
                         model::pool_name{"p"},
                         0,
                         0}},
      {5, "q",
       model::job_leased{{job_id(9), 1},
                         model::cluster_name{"c"},
                         model::node_name{"n"},
                         model::pool_name{"p"},
                         0,
                         0}},
      {5, "q", model::run_pending{first}},
      {5, "q", model::run_running{first}},
      {5, "q", model::run_succeeded{first, {}}},
      {5, "q", model::run_failed{first, {}}},
      {5, "q", model::lease_returned{first, ""}},
      {5, "q", model::lease_expired{first}},
      {5, "q", model::run_preempting{first, {}, ""}},
      {5, "q", model::job_preempted{first, {}, ""}},
      {5, "q", model::queue_deleted{}},
      {5, "q", model::cluster_left{"c", ""}},
      {5, "q", model::leader_elected{{1}, "a"}}};
  for (const auto& e : illegal) EXPECT_TRUE(q.core.apply(e).empty()) << model::name_of(e.payload);
  EXPECT_EQ(q.core.illegal_events(), illegal.size());
  EXPECT_EQ(q.state(1), "QUEUED");
}

TEST(queue_apply, every_job_event_is_indexed_under_its_job_set) {
  queue_driver q;
  ASSERT_TRUE(q.submit({job_named(1, "a"), job_named(2, "b")}));
  ASSERT_TRUE(q.lease({1, 2}));
  ASSERT_TRUE(q.cancel({2}));
  std::size_t events = 0;
  for (const auto& change : q.changes)
    if (const auto* index = std::get_if<index_event>(&change)) {
      ++events;
      EXPECT_EQ(index->job_set, model::job_of(index->event) == job_id(1) ? "a" : "b");
      EXPECT_EQ(index->queue, "q");
    }
  EXPECT_EQ(events, 5U);
}

}  // namespace
}  // namespace argosy::ledger
