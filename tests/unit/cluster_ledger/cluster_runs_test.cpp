// SPDX-License-Identifier: Apache-2.0
// Goal: what should run is started, what should not is stopped, through losses and restarts;
// reports are taken once, in order, and acknowledged when committed. Method: one core and an agent
// played by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using model::run_phase;
using model::stop_cause;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class cluster_runs : public cluster_test {};

TEST_F(cluster_runs, starts_are_sent_and_bound_once) {
  c.start({start_of(1), start_of(2)});
  EXPECT_THAT(c.started(), ElementsAre(run_of(1), run_of(2)));
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.epoch.value, 3U);
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.hello_ns, c.hello_message.said_ns);
  const auto bound = c.effects<bind_run>();
  ASSERT_EQ(bound.size(), 2U);
  EXPECT_EQ(bound[0].node, "n1");
  EXPECT_EQ(bound[0].requests, (model::resource_list{{"cpu", 1000}}));
  c.start({start_of(1)});
  EXPECT_TRUE(c.last_effects.empty());
  EXPECT_EQ(c.core.run_count(), 2U);
}

TEST_F(cluster_runs, orders_are_repeated_until_a_report_confirms_them) {
  c.start({start_of(1)});
  c.tick(c.config.resend_after - 1ns);
  EXPECT_THAT(c.started(), IsEmpty());
  c.tick(1ns);
  EXPECT_THAT(c.started(), ElementsAre(run_of(1)));
  ASSERT_TRUE(c.report(1, {{1, run_phase::accepted}}));
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.started(), IsEmpty());
  c.stop({stop_of(1)});
  EXPECT_THAT(c.stopped(), ElementsAre(run_of(1)));
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.stopped(), ElementsAre(run_of(1)));
  ASSERT_TRUE(c.report(2, {{1, run_phase::stopped}}));
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.stopped(), IsEmpty());
}

TEST_F(cluster_runs, long_words_of_an_agent_are_cut_between_characters) {
  c.start({start_of(1)});
  model::report_batch batch;
  batch.cluster = "c";
  batch.incarnation = c.hello_message.cluster.incarnation;
  auto& item = batch.reports.emplace_back();
  item.sequence = 1;
  item.run = run_of(1);
  item.phase = run_phase::failed;
  item.note = "x";
  for (int i = 0; i < 5'000; ++i) item.note += "\u00e4";
  item.outcome = {1, 0, std::string(5'000, 'r'), std::string(5'000, 'm')};
  ASSERT_TRUE(c.take(c.core.reports(batch, c.now)));
  const auto told = c.forwarded().at(0);
  EXPECT_GT(told.note.size(), 1'000U);
  EXPECT_LE(told.note.size(), 1'024U);
  EXPECT_EQ(told.note.size() % 2, 0U) << "an 'x', whole characters of two bytes, and three dots";
  EXPECT_TRUE(told.note.ends_with("\u00e4..."));
  EXPECT_EQ(told.outcome.reason.size(), 1'024U);
  EXPECT_EQ(told.outcome.message.size(), 1'024U);
}

TEST_F(cluster_runs, nothing_is_started_on_a_silent_cluster_until_it_is_back) {
  c.tick(c.config.silence_max + 1ns);
  c.start({start_of(1)});
  EXPECT_THAT(c.started(), IsEmpty());
  ASSERT_TRUE(c.hello());
  EXPECT_THAT(c.started(), ElementsAre(run_of(1)));
}

TEST_F(cluster_runs, a_hello_brings_both_sides_together) {
  c.start({start_of(1), start_of(2), start_of(3), start_of(4)});
  ASSERT_TRUE(c.report(1, {{3, run_phase::running}}));
  c.stop({stop_of(3)});
  // Run 2 never arrived; 9 is a stray, and 8 is a stray that has ended.
  ASSERT_TRUE(
      c.hello({has(1), has(3), has(4, run_phase::succeeded), has(9), has(8, run_phase::failed)}));
  EXPECT_THAT(c.started(), ElementsAre(run_of(2)));
  EXPECT_THAT(c.stopped(), ElementsAre(run_of(3), run_of(9)));
  EXPECT_THAT(c.forwarded(), IsEmpty());
}

TEST_F(cluster_runs, a_stop_that_overtakes_its_start_wins) {
  c.stop({stop_of(1)});
  EXPECT_TRUE(c.last_effects.empty());
  c.start({start_of(1), start_of(2)});
  EXPECT_THAT(c.started(), ElementsAre(run_of(2)));
  ASSERT_EQ(c.forwarded().size(), 1U);
  EXPECT_EQ(c.forwarded()[0].run, run_of(1));
  EXPECT_EQ(c.forwarded()[0].phase, run_phase::unknown);
  c.over(1);
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.started(), ElementsAre(run_of(2)));
}

TEST_F(cluster_runs, a_run_that_was_never_sent_is_settled_here) {
  c.tick(c.config.silence_max + 1ns);
  c.start({start_of(1)});
  c.stop({stop_of(1)});
  EXPECT_THAT(c.stopped(), IsEmpty());
  EXPECT_EQ(c.forwarded().at(0).phase, run_phase::unknown);
  ASSERT_TRUE(c.hello());
  EXPECT_THAT(c.started(), IsEmpty());
}

TEST_F(cluster_runs, a_start_waits_for_the_room_of_a_preempted_run) {
  c.start({start_of(1, 3000)});
  ASSERT_TRUE(c.report(1, {{1, run_phase::running}}));
  c.stop({stop_of(1, stop_cause::preempt)});
  c.start({start_of(2, 2000), start_of(3, 1000), start_of(4, 4000, "q", "n2")});
  EXPECT_THAT(c.started(), ElementsAre(run_of(3), run_of(4))) << "only what fits beside run 1";
  EXPECT_EQ(c.core.held_count(), 1U);
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.started(), ElementsAre(run_of(3), run_of(4))) << "unconfirmed, but 2 still waits";
  ASSERT_TRUE(c.report(2, {{1, run_phase::stopped}}));
  EXPECT_THAT(c.started(), ElementsAre(run_of(2)));
  EXPECT_EQ(c.core.held_count(), 0U);
}

TEST_F(cluster_runs, a_waiting_start_goes_when_the_queue_drops_the_old_run) {
  c.start({start_of(1, 4000)});
  c.stop({stop_of(1)});
  c.start({start_of(2, 4000)});
  EXPECT_EQ(c.core.held_count(), 1U);
  c.over(1);
  EXPECT_THAT(c.started(), ElementsAre(run_of(2)));
}

TEST_F(cluster_runs, without_a_run_being_stopped_nothing_waits) {
  c.start({start_of(1, 4000), start_of(2, 4000)});
  EXPECT_EQ(c.started().size(), 2U) << "the agent and the round know better";
}

TEST_F(cluster_runs, over_is_unbound_and_forgotten) {
  c.start({start_of(1), start_of(2)});
  c.over(1, run_verdict::failed);
  ASSERT_EQ(c.effects<unbind_run>().size(), 1U);
  EXPECT_EQ(c.effects<unbind_run>()[0].verdict, run_verdict::failed);
  EXPECT_EQ(c.effects<unbind_run>()[0].node, "n1");
  c.over(1);
  EXPECT_TRUE(c.last_effects.empty());
  ASSERT_TRUE(c.hello({has(1), has(2)}));
  EXPECT_THAT(c.stopped(), ElementsAre(run_of(1))) << "it lives on over there";
}

TEST_F(cluster_runs, that_begin_clear_a_node_that_refused_one) {
  c.start({start_of(1), start_of(2), start_of(3)});
  c.over(1, run_verdict::refused);
  EXPECT_EQ(c.effects<unbind_run>().at(0).verdict, run_verdict::refused);
  ASSERT_TRUE(c.report(1, {{2, run_phase::pending}}));
  EXPECT_TRUE(c.effects<node_starts_runs>().empty()) << "it may still be refused";
  ASSERT_TRUE(c.report(2, {{2, run_phase::running}}));
  ASSERT_EQ(c.effects<node_starts_runs>().size(), 1U);
  EXPECT_EQ(c.effects<node_starts_runs>()[0].node, "n1");
  ASSERT_TRUE(c.report(3, {{3, run_phase::running}}));
  EXPECT_TRUE(c.effects<node_starts_runs>().empty()) << "it is told once";
}

TEST_F(cluster_runs, reports_are_forwarded_by_queue_and_acknowledged_when_committed) {
  c.start({start_of(1), start_of(2, 1000, "r")});
  EXPECT_EQ(
      *c.report(1, {{1, run_phase::pending}, {2, run_phase::pending}, {1, run_phase::running}}),
      3U);
  const auto forwarded = c.effects<forward_reports>();
  ASSERT_EQ(forwarded.size(), 2U);
  EXPECT_EQ(forwarded[0].queue, "q");
  EXPECT_EQ(forwarded[0].reports.size(), 2U);
  EXPECT_EQ(forwarded[1].queue, "r");
  EXPECT_EQ(forwarded[1].reports.at(0).queue, "r") << "the queue of the lease, not of the report";
  EXPECT_THAT(c.acknowledged(), IsEmpty());
  c.take(c.core.committed({1}, {1, 3}));
  EXPECT_THAT(c.acknowledged(), ElementsAre(1U));
  c.take(c.core.committed({1}, {2}));
  EXPECT_THAT(c.acknowledged(), ElementsAre(3U));
  EXPECT_EQ(c.core.committed_sequence(), 3U);
}

TEST_F(cluster_runs, duplicates_are_dropped_and_gaps_wait) {
  c.start({start_of(1)});
  ASSERT_TRUE(c.report(1, {{1, run_phase::pending}}));
  ASSERT_TRUE(c.report(1, {{1, run_phase::pending}, {1, run_phase::running}}));
  ASSERT_EQ(c.forwarded().size(), 1U);
  EXPECT_EQ(c.forwarded()[0].sequence, 2U);
  EXPECT_EQ(*c.report(4, {{1, run_phase::succeeded}}), 0U) << "3 is missing";
  EXPECT_THAT(c.forwarded(), IsEmpty());
  c.take(c.core.committed({1}, {1, 2}));
  ASSERT_TRUE(c.report(1, {{1, run_phase::pending}, {1, run_phase::running}}));
  EXPECT_THAT(c.forwarded(), IsEmpty());
  EXPECT_THAT(c.acknowledged(), ElementsAre(2U)) << "answered at once";
  EXPECT_EQ(*c.report(2, {}), 0U);
  EXPECT_THAT(c.acknowledged(), ElementsAre(2U));
}

TEST_F(cluster_runs, reports_on_foreign_runs_go_no_further_but_are_answered) {
  EXPECT_EQ(*c.report(1, {{77, run_phase::succeeded}}), 1U);
  EXPECT_THAT(c.forwarded(), IsEmpty());
  EXPECT_THAT(c.acknowledged(), ElementsAre(1U));
}

TEST_F(cluster_runs, what_could_not_be_committed_is_taken_again) {
  c.start({start_of(1)});
  ASSERT_TRUE(c.report(1, {{1, run_phase::pending}, {1, run_phase::running}}));
  c.core.not_committed({1}, {2});
  c.take(c.core.committed({1}, {1}));
  EXPECT_THAT(c.acknowledged(), ElementsAre(1U));
  ASSERT_TRUE(c.report(2, {{1, run_phase::running}}));
  ASSERT_EQ(c.forwarded().size(), 1U);
  c.take(c.core.committed({1}, {2}));
  EXPECT_THAT(c.acknowledged(), ElementsAre(2U));
}

TEST_F(cluster_runs, a_new_leader_continues_an_outbox_that_it_did_not_see_begin) {
  c.start({start_of(1)});
  ASSERT_TRUE(c.report(1, {{1, run_phase::pending}}));
  c.take(c.core.committed({1}, {1}));

  cluster_core next{"c"};
  next.restore(c.core.info(), true);
  for (const auto& [name, node] : c.core.node_infos()) next.restore(node);
  next.restore(desired_run{start_of(1), stop_cause::none, "", true});
  c.core = std::move(next);
  c.take(c.core.lead({{4}}, c.now));
  EXPECT_EQ(c.effects<bind_run>().size(), 1U);
  ASSERT_TRUE(c.hello({has(1)}));
  EXPECT_THAT(c.started(), IsEmpty());
  EXPECT_TRUE(c.last_events.empty());
  EXPECT_EQ(*c.report(2, {{1, run_phase::running}, {1, run_phase::succeeded}}), 3U);
  EXPECT_EQ(c.forwarded().size(), 2U);
  EXPECT_THAT(c.acknowledged(), IsEmpty());
  c.take(c.core.committed({1}, {2, 3}));
  EXPECT_THAT(c.acknowledged(), ElementsAre(3U));
}

TEST_F(cluster_runs, a_new_leader_repeats_stops_and_unconfirmed_starts) {
  cluster_core next{"c"};
  next.restore(c.core.info(), true);
  next.restore(desired_run{start_of(1), stop_cause::preempt, "room", true});
  next.restore(desired_run{start_of(2), stop_cause::none, "", false});
  c.core = std::move(next);
  c.take(c.core.lead({{4}}, c.now));
  ASSERT_TRUE(c.hello({has(1)}));
  EXPECT_THAT(c.stopped(), ElementsAre(run_of(1)));
  EXPECT_THAT(c.started(), ElementsAre(run_of(2)));
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.stop.at(0).cause, stop_cause::preempt);
}

}  // namespace
}  // namespace argosy::ledger
