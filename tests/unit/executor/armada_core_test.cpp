// SPDX-License-Identifier: Apache-2.0
// Goal: an executor of Armada is to a cluster_core what an agent is, and what its protocol does not
// promise is never assumed. Method: both cores and a scripted executor, in virtual time.
#include <gmock/gmock.h>

#include "runtime/model/agent_run.hpp"
#include "tests/unit/executor/armada_fixture.hpp"

namespace argosy::ledger {

using model::run_phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct armada_executor : armada_driver, ::testing::Test {
  /// A run that the executor has as running.
  void begin(std::uint64_t number) {
    if (!core.ready()) {
      ASSERT_TRUE(ask());
    }
    start(number);
    ASSERT_THAT(ids(ask().value()), ElementsAre(armada_id(number)));
    ASSERT_TRUE(ask({pending(number)}));
    ASSERT_EQ(tell(number, run_phase::running), ec::none);
  }
};

TEST_F(armada_executor, joins_its_cluster_by_its_first_request) {
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_THAT(answer->cancel, IsEmpty());
  EXPECT_THAT(answer->leases, IsEmpty());
  EXPECT_EQ(cluster.contact(), contact_state::connected);
  EXPECT_EQ(cluster.info().backend, model::kubernetes_backend);
  EXPECT_THAT(cluster.node_infos(), SizeIs(1));
}

TEST_F(armada_executor, gets_a_lease_until_it_names_the_run) {
  ASSERT_TRUE(ask());
  start(1);
  EXPECT_THAT(ids(ask().value()), ElementsAre(armada_id(1)));
  EXPECT_THAT(ids(ask().value()), ElementsAre(armada_id(1))) << "the first answer may be lost";
  EXPECT_THAT(ids(ask({pending(1)}).value()), IsEmpty());
  EXPECT_THAT(phases(1), ElementsAre(run_phase::accepted));
}

TEST_F(armada_executor, gets_no_more_leases_than_it_takes) {
  ASSERT_TRUE(ask());
  for (std::uint64_t i = 1; i <= 3; ++i) start(i);
  EXPECT_THAT(ids(ask({}, 2).value()), ElementsAre(armada_id(1), armada_id(2)));
  EXPECT_THAT(ids(ask({pending(1), pending(2)}, 0).value()), IsEmpty());
  EXPECT_THAT(ids(ask({pending(1), pending(2)}).value()), ElementsAre(armada_id(3)));
}

TEST_F(armada_executor, tells_how_a_run_goes_and_ends) {
  begin(1);
  EXPECT_EQ(tell(1, run_phase::succeeded), ec::none);
  EXPECT_THAT(phases(1),
              ElementsAre(run_phase::accepted, run_phase::running, run_phase::succeeded));
  EXPECT_THAT(ask({running(1)}).value().cancel, ElementsAre(armada_id(1)))
      << "the run is named until the executor has dropped it";
  const auto after = ask().value();
  EXPECT_THAT(after.cancel, IsEmpty());
  EXPECT_THAT(after.leases, IsEmpty());
  EXPECT_EQ(core.run_count(), 0U);
}

TEST_F(armada_executor, may_report_everything_twice) {
  begin(1);
  EXPECT_EQ(tell(1, run_phase::running), ec::none);
  EXPECT_EQ(tell(1, run_phase::pending), ec::none);
  EXPECT_EQ(tell(1, run_phase::failed), ec::none);
  EXPECT_EQ(tell(1, run_phase::failed), ec::none);
  ASSERT_TRUE(ask());
  EXPECT_EQ(tell(1, run_phase::failed), ec::none) << "after it was forgotten";
  EXPECT_THAT(phases(1), ElementsAre(run_phase::accepted, run_phase::running, run_phase::failed));
  EXPECT_EQ(core.foreign_events(), 0U);
}

TEST_F(armada_executor, tells_once_what_is_known_of_a_pod) {
  begin(1);
  const model::pod_facts pod{"uid", {{80, "a:1"}}};
  EXPECT_EQ(tell(1, std::nullopt, pod), ec::none);
  EXPECT_EQ(tell(1, std::nullopt, pod), ec::none);
  EXPECT_EQ(tell(1, run_phase::running, {"uid", {}}), ec::none);
  ASSERT_THAT(reports, SizeIs(3));
  EXPECT_EQ(reports.back().pod, pod);
  EXPECT_EQ(reports.back().phase, run_phase::running);
}

TEST_F(armada_executor, tells_on_what_a_pod_used) {
  begin(1);
  armada_event event;
  event.run = armada_run_of(1);
  event.usage.peak = {{"cpu", "5m"}};
  EXPECT_EQ(tell(event), ec::none);
  EXPECT_EQ(reports.back().usage, event.usage);
  EXPECT_EQ(reports.back().phase, run_phase::running);
}

TEST_F(armada_executor, has_jobs_avoid_a_node_only_where_there_are_others) {
  begin(1);
  EXPECT_EQ(tell(1, run_phase::refused, {}, {std::nullopt, 0, model::reason_refused_here, "409"}),
            ec::none);
  EXPECT_EQ(reports.back().outcome.reason, model::reason_cluster_refused)
      << "the executor has one node";
}

TEST_F(armada_executor, hears_of_a_cancel_until_it_names_the_run_no_more) {
  begin(1);
  stop(1);
  EXPECT_THAT(ask({running(1)}).value().cancel, ElementsAre(armada_id(1)));
  EXPECT_THAT(ask({running(1)}).value().cancel, ElementsAre(armada_id(1)));
  EXPECT_EQ(cluster.run_count(), 1U) << "the room counts until the pod is gone";
  EXPECT_THAT(ask().value().cancel, IsEmpty());
  EXPECT_THAT(phases(1), ElementsAre(run_phase::accepted, run_phase::running, run_phase::stopped));
  EXPECT_EQ(cluster.run_count(), 0U);
}

TEST_F(armada_executor, never_gets_a_run_that_was_stopped_before_it_had_it) {
  ASSERT_TRUE(ask());
  start(1);
  stop(1, model::stop_cause::preempt);
  const auto answer = ask().value();
  EXPECT_THAT(answer.leases, IsEmpty());
  EXPECT_THAT(answer.cancel, IsEmpty());
  EXPECT_THAT(phases(1), ElementsAre(run_phase::unknown));
  EXPECT_THAT(ask({pending(1)}).value().cancel, ElementsAre(armada_id(1)))
      << "a lease that another replica of the executor got";
}

TEST_F(armada_executor, that_forgot_a_pending_run_gets_it_again) {
  ASSERT_TRUE(ask());
  start(1);
  ASSERT_TRUE(ask());
  ASSERT_TRUE(ask({pending(1)}));
  EXPECT_THAT(ids(ask().value()), ElementsAre(armada_id(1)));
}

TEST_F(armada_executor, that_forgot_a_run_which_had_begun_has_lost_it) {
  begin(1);
  for (int i = 0; i < 2; ++i) EXPECT_THAT(ask().value().leases, IsEmpty());
  EXPECT_THAT(phases(1), ElementsAre(run_phase::accepted, run_phase::running));
  EXPECT_THAT(ask().value().leases, IsEmpty());
  ASSERT_THAT(phases(1), SizeIs(3));
  EXPECT_EQ(reports.back().phase, run_phase::failed);
  EXPECT_EQ(reports.back().outcome.reason, "Lost");
}

TEST_F(armada_executor, is_told_to_end_runs_that_it_was_never_given) {
  const auto answer = ask({running(7), {"no-run-of-ours", "n1", true}}).value();
  EXPECT_THAT(answer.cancel, ElementsAre(armada_id(7), "no-run-of-ours"));
  EXPECT_EQ(core.foreign_runs(), 2U);
  EXPECT_EQ(tell(7, run_phase::succeeded), ec::none);
  EXPECT_EQ(core.foreign_events(), 1U);
  EXPECT_THAT(reports, IsEmpty());
}

TEST_F(armada_executor, that_is_silent_keeps_its_runs_whatever_the_time) {
  begin(1);
  pass(2h);
  EXPECT_EQ(cluster.contact(), contact_state::silent);
  EXPECT_THAT(expired, IsEmpty()) << "no lease ends them over there";
  EXPECT_THAT(ask({running(1)}).value().cancel, IsEmpty());
  EXPECT_EQ(cluster.contact(), contact_state::connected);
  EXPECT_EQ(tell(1, run_phase::succeeded), ec::none);
}

TEST_F(armada_executor, is_believed_no_more_about_a_cluster_that_was_forgotten) {
  begin(1);
  pass(2h);
  ASSERT_TRUE(take(cluster.forget("gone", 1, now)));
  const auto answer = ask({running(1)});
  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_THAT(answer->cancel, ElementsAre(armada_id(1))) << "the job may run elsewhere by now";
}

TEST_F(armada_executor, survives_a_restart_of_the_control_plane) {
  begin(1);
  start(2);
  ASSERT_TRUE(ask({running(1), pending(2)}));
  start(3);
  const auto incarnation = cluster.info().incarnation;
  auto stopping = desired(2, true);
  stopping.stopping = model::stop_cause::cancel;
  restart({desired(1, true), stopping, desired(3, false)});
  EXPECT_EQ(tell(1, run_phase::succeeded), ec::unavailable) << "it is told again later";
  const auto answer = ask({running(1), pending(2)}).value();
  EXPECT_THAT(answer.cancel, ElementsAre(armada_id(2)));
  EXPECT_THAT(ids(answer), ElementsAre(armada_id(3)));
  EXPECT_EQ(cluster.info().incarnation, incarnation);
  EXPECT_EQ(tell(1, run_phase::succeeded), ec::none);
  EXPECT_EQ(reports.back().phase, run_phase::succeeded);
}

TEST_F(armada_executor, keeps_a_run_that_the_control_plane_does_not_order_just_then) {
  begin(1);
  // The node has become smaller, so that what waits for room is not ordered.
  auto stopping = desired(2, true);
  stopping.stopping = model::stop_cause::preempt;
  auto big = desired(1, true);
  big.start.requests = {{"cpu", 4'000}};
  restart({big, stopping});
  const auto answer = ask({running(1), running(2)}).value();
  EXPECT_THAT(answer.cancel, ElementsAre(armada_id(2)));
  EXPECT_EQ(tell(1, run_phase::succeeded), ec::none);
  EXPECT_THAT(phases(1), ::testing::Contains(run_phase::succeeded));
}

TEST_F(armada_executor, reports_again_what_could_not_be_kept) {
  begin(1);
  queues_answer = false;
  EXPECT_EQ(tell(1, run_phase::succeeded), ec::unavailable);
  queues_answer = true;
  EXPECT_EQ(tell(1, run_phase::succeeded), ec::none);
  EXPECT_THAT(phases(1),
              ElementsAre(run_phase::accepted, run_phase::running, run_phase::succeeded));
}

TEST_F(armada_executor, with_the_name_of_another_is_refused) {
  ASSERT_TRUE(ask());
  node.name = "elsewhere";
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ec::already_exists);
  EXPECT_THAT(answer.error().detail, HasSubstr("two executors have the same name"));
  now += 2min;
  EXPECT_TRUE(ask()) << "all nodes were replaced";
}

TEST_F(armada_executor, is_refused_while_an_agent_serves_the_cluster) {
  model::agent_hello hello;
  hello.cluster = {"far", "default", "kubernetes"};
  hello.cluster.process = {99};
  hello.nodes = {node};
  ASSERT_TRUE(take(cluster.hello(hello, now.count(), now)));
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ec::already_exists);
}

TEST_F(armada_executor, tells_of_nodes_that_change) {
  ASSERT_TRUE(ask());
  node.unschedulable = true;
  ASSERT_TRUE(ask());
  EXPECT_TRUE(cluster.node_infos().at("n1").unschedulable);
}

TEST_F(armada_executor, says_that_a_run_of_which_no_lease_can_be_made_never_began) {
  ASSERT_TRUE(ask());
  start(1);
  ASSERT_TRUE(ask());
  for (auto& effect : core.unfit(armada_run_of(1), "it does not decode"))
    if (const auto* sent = std::get_if<armada_reports>(&effect))
      static_cast<void>(take(cluster.reports(sent->message, now)));
  EXPECT_THAT(phases(1), ElementsAre(run_phase::refused));
}

}  // namespace argosy::ledger
