// SPDX-License-Identifier: Apache-2.0
// Goal: a run is never placed anew while an older incarnation of its cluster may still have it,
// whether that one lost its store or is another agent of the same name.
// Method: one core, incarnations played by the test, and a clock moved to the end of the lease.
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

class cluster_incarnation : public cluster_test {
 protected:
  /// Another agent says the first hello of its incarnation.
  void next_agent(std::vector<model::known_run> runs = {}) {
    c.hello_message.cluster.incarnation = {};
    c.hello_message.take_over = true;
    ASSERT_TRUE(c.hello(std::move(runs)));
  }
  /// Passes time with heartbeats, so that the present agent keeps its own lease.
  void pass(boot_time time) {
    for (const auto end = c.now + time; c.now < end;) {
      c.tick(std::min<boot_time>(c.config.heartbeat, end - c.now));
      if (c.now < end) {
        EXPECT_TRUE(c.heartbeat());
      }
    }
  }
  std::vector<model::run_key> lapsed() const {
    std::vector<model::run_key> out;
    for (const auto& one : c.effects<expire_leases>())
      out.insert(out.end(), one.runs.begin(), one.runs.end());
    return out;
  }
};

TEST_F(cluster_incarnation, runs_of_the_older_one_wait_for_the_end_of_its_lease) {
  c.start({start_of(1), start_of(2, 1000, "r")});
  ASSERT_TRUE(c.report(1, {{1, run_phase::running}}));
  const auto horizon = c.core.lease_horizon();
  c.now += 3s;
  next_agent();
  EXPECT_THAT(c.forwarded(), IsEmpty()) << "nobody knows yet whether they are over";
  EXPECT_THAT(c.started(), IsEmpty());
  EXPECT_EQ(c.core.lapsing_count(), 2U);
  pass(horizon - c.now - 1ns);
  EXPECT_THAT(lapsed(), IsEmpty());
  c.tick(1ns);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1), run_of(2)));
  c.tick(1s);
  EXPECT_THAT(lapsed(), IsEmpty()) << "told once";
  c.core.not_expired({run_of(1)});
  c.tick();
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1))) << "it was not recorded";
  c.over(1);
  c.over(2);
  EXPECT_EQ(c.core.lapsing_count(), 0U);
}

TEST_F(cluster_incarnation, each_older_one_has_its_own_last_grant) {
  c.start({start_of(1)});
  const auto first = c.core.lease_horizon();
  c.now += 20s;
  next_agent();
  c.start({start_of(2)});
  const auto second = c.core.lease_horizon();
  c.now += 20s;
  next_agent();
  pass(first - c.now);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1)));
  c.over(1);
  pass(second - c.now);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(2)));
}

TEST_F(cluster_incarnation, orders_name_the_agent_that_they_are_for) {
  c.start({start_of(1)});
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.incarnation.value, 1U);
  next_agent();
  c.start({start_of(2)});
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.incarnation.value, 2U);
}

TEST_F(cluster_incarnation, what_was_never_sent_goes_to_the_next_agent) {
  c.tick(c.config.silence_max + 1ns);
  c.start({start_of(1)});
  next_agent();
  EXPECT_THAT(c.started(), ElementsAre(run_of(1)));
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.incarnation.value, 2U);
  EXPECT_EQ(c.core.lapsing_count(), 0U);
}

TEST_F(cluster_incarnation, nothing_is_ordered_again_of_what_the_older_one_was_sent) {
  c.start({start_of(1)});
  next_agent();
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.started(), IsEmpty());
  ASSERT_TRUE(c.hello());
  EXPECT_THAT(c.started(), IsEmpty());
  c.stop({stop_of(1)});
  EXPECT_THAT(c.stopped(), IsEmpty());
  EXPECT_THAT(c.forwarded(), IsEmpty());
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.stopped(), IsEmpty());
  ASSERT_TRUE(c.hello());
  EXPECT_THAT(c.stopped(), IsEmpty());
}

TEST_F(cluster_incarnation, adopts_what_the_next_agent_lists) {
  c.start({start_of(1), start_of(2), start_of(3)});
  c.stop({stop_of(2)});
  next_agent({has(1), has(2), has(3, run_phase::succeeded)});
  EXPECT_EQ(c.core.lapsing_count(), 0U);
  EXPECT_THAT(c.stopped(), ElementsAre(run_of(2)));
  EXPECT_THAT(c.started(), IsEmpty());
  c.tick(c.config.resend_after);
  EXPECT_THAT(c.stopped(), ElementsAre(run_of(2))) << "until it is confirmed";
  pass(c.core.lease_horizon() - c.now);
  EXPECT_THAT(lapsed(), IsEmpty());
}

TEST_F(cluster_incarnation, a_refusal_or_ignorance_of_the_next_agent_confirms_nothing) {
  c.start({start_of(1), start_of(2), start_of(3)});
  const auto horizon = c.core.lease_horizon();
  next_agent({has(1, run_phase::refused)});
  EXPECT_EQ(c.core.lapsing_count(), 3U);
  EXPECT_EQ(*c.report(1, {{1, run_phase::refused}, {2, run_phase::unknown}}), 2U);
  EXPECT_THAT(c.forwarded(), IsEmpty());
  EXPECT_THAT(c.acknowledged(), ElementsAre(2U)) << "the agent need not keep them";
  ASSERT_TRUE(c.report(3, {{3, run_phase::failed}}));
  ASSERT_EQ(c.forwarded().size(), 1U) << "it has that run's record";
  EXPECT_EQ(c.forwarded()[0].run, run_of(3));
  pass(horizon - c.now);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1), run_of(2)));
}

TEST_F(cluster_incarnation, an_end_that_was_not_committed_lapses_too) {
  c.start({start_of(1)});
  ASSERT_TRUE(c.report(1, {{1, run_phase::succeeded}}));
  const auto horizon = c.core.lease_horizon();
  next_agent();
  c.core.not_committed({1}, {1});
  pass(horizon - c.now);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1)));
}

TEST_F(cluster_incarnation, commits_of_the_older_ones_reports_are_not_the_next_ones) {
  c.start({start_of(1)});
  ASSERT_TRUE(c.report(1, {{1, run_phase::running}}));
  EXPECT_EQ(c.effects<forward_reports>().at(0).incarnation.value, 1U);
  next_agent();
  c.start({start_of(2)});
  ASSERT_TRUE(c.report(1, {{2, run_phase::running}}));
  EXPECT_EQ(c.effects<forward_reports>().at(0).incarnation.value, 2U);
  c.take(c.core.committed({1}, {1}));
  EXPECT_THAT(c.acknowledged(), IsEmpty());
  c.core.not_committed({1}, {1});
  c.take(c.core.committed({2}, {1}));
  EXPECT_THAT(c.acknowledged(), ElementsAre(1U));
}

TEST_F(cluster_incarnation, numbers_of_an_agent_from_elsewhere_go_on_where_they_are) {
  // The cluster was renamed, or the control plane was set up anew, while the agent's store is the
  // same.
  cluster_driver fresh;
  ASSERT_TRUE(fresh.hello());
  fresh.start({start_of(1)});
  EXPECT_EQ(*fresh.report(40, {{9, run_phase::succeeded}, {1, run_phase::succeeded}}), 41U);
  ASSERT_EQ(fresh.forwarded().size(), 1U);
  fresh.take(fresh.core.committed({1}, {41}));
  EXPECT_THAT(fresh.acknowledged(), ElementsAre(41U));
  ASSERT_TRUE(fresh.report(43, {{1, run_phase::succeeded}}));
  EXPECT_THAT(fresh.forwarded(), IsEmpty()) << "from there on without gaps";
}

TEST_F(cluster_incarnation, a_cancelled_job_is_told_of_again_when_its_lease_had_lapsed) {
  c.start({start_of(1)});
  const auto horizon = c.core.lease_horizon();
  next_agent();
  pass(horizon - c.now);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1)));
  c.stop({stop_of(1)});
  c.tick();
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1))) << "it waited for confirmation";
}

TEST_F(cluster_incarnation, says_that_no_agent_will_tell_of_what_the_older_one_has) {
  const auto abandoned = [this] {
    std::vector<bool> out;
    for (const auto& one : c.effects<expire_leases>()) out.push_back(one.abandoned);
    return out;
  };
  c.start({start_of(1)});
  const auto horizon = c.core.lease_horizon();
  next_agent();
  pass(horizon - c.now);
  EXPECT_THAT(abandoned(), ElementsAre(true));
  c.start({start_of(2)});
  c.tick(c.core.lease_horizon() - c.now);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(2)));
  EXPECT_THAT(abandoned(), ElementsAre(false)) << "that agent may come back";
  c.next_leader({desired_run{start_of(1), stop_cause::cancel, "", true}});
  c.tick(c.core.lease_horizon() - c.now);
  EXPECT_THAT(abandoned(), ElementsAre(false)) << "the present agent may have it";
  ASSERT_TRUE(c.hello());
  c.core.expired({run_of(1)});
  c.tick();
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1))) << "the queue did not know yet that the agent came";
  EXPECT_THAT(abandoned(), ElementsAre(true));
  c.core.expired({run_of(1)});
  c.tick();
  EXPECT_THAT(lapsed(), IsEmpty()) << "once";
}

TEST_F(cluster_incarnation, a_goodbye_of_the_next_agent_waits_for_the_older_ones_runs) {
  c.start({start_of(1)});
  const auto horizon = c.core.lease_horizon();
  next_agent();
  ASSERT_TRUE(c.take(c.core.goodbye({"c", {2}, "moved"}, 5, c.now)));
  EXPECT_TRUE(c.last_events.empty());
  c.tick(horizon - c.now);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1)));
  c.over(1);
  EXPECT_TRUE(c.knows("cluster_left"));
  next_agent();
  EXPECT_TRUE(c.core.present());
  EXPECT_FALSE(c.core.info().unsettled);
}

TEST_F(cluster_incarnation, is_unsettled_in_the_log_until_all_that_is_over) {
  EXPECT_FALSE(c.core.info().unsettled);
  c.start({start_of(1), start_of(2)});
  next_agent({has(2)});
  EXPECT_TRUE(c.core.info().unsettled);
  ASSERT_TRUE(c.hello({has(2)}));
  EXPECT_TRUE(c.last_events.empty()) << "nothing has changed";
  c.over(1);
  c.tick();
  EXPECT_TRUE(c.knows("cluster_joined"));
  EXPECT_FALSE(c.core.info().unsettled);
  EXPECT_EQ(c.core.info().incarnation.value, 2U);
  c.tick();
  EXPECT_TRUE(c.last_events.empty());
}

TEST_F(cluster_incarnation, an_agent_cannot_say_that_it_is_unsettled) {
  c.hello_message.cluster.unsettled = true;
  ASSERT_TRUE(c.hello());
  EXPECT_TRUE(c.last_events.empty());
  EXPECT_FALSE(c.core.info().unsettled);
}

TEST_F(cluster_incarnation, the_next_leader_waits_while_it_is_unsettled) {
  c.start({start_of(1)});
  next_agent();
  c.start({start_of(2), start_of(3)});
  c.now += 7s;
  c.next_leader({desired_run{start_of(1), stop_cause::none, "", true},
                 desired_run{start_of(2), stop_cause::none, "", false},
                 desired_run{start_of(3), stop_cause::none, "", false}});
  const auto horizon = c.core.lease_horizon();
  ASSERT_TRUE(c.hello({has(3)}));
  EXPECT_THAT(c.started(), IsEmpty()) << "to whom 2 was sent is not known any more";
  pass(horizon - c.now);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1), run_of(2)));
  c.start({start_of(4)});
  EXPECT_THAT(c.started(), ElementsAre(run_of(4)));
}

TEST_F(cluster_incarnation, the_next_leader_lets_the_older_one_lapse_if_another_comes_then) {
  c.start({start_of(1)});
  c.now += 60s;
  c.next_leader({desired_run{start_of(1), stop_cause::none, "", false}});
  const auto horizon = c.core.lease_horizon();
  EXPECT_GE(horizon, c.now + c.config.lease);
  next_agent();
  EXPECT_THAT(c.started(), IsEmpty());
  pass(horizon - c.now - 1ns);
  EXPECT_THAT(lapsed(), IsEmpty());
  c.tick(1ns);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(1)));
}

TEST_F(cluster_incarnation, is_given_by_the_control_plane_and_grows_with_its_time) {
  cluster_driver fresh;
  const auto first = fresh.take(fresh.core.hello(fresh.hello_message, 1'000, fresh.now));
  EXPECT_EQ(first->incarnation.value, 1'000U);
  fresh.hello_message.take_over = true;
  EXPECT_EQ(fresh.take(fresh.core.hello(fresh.hello_message, 7, fresh.now))->incarnation.value,
            1'001U)
      << "also if the time has gone back";
}

TEST_F(cluster_incarnation, is_given_once_to_a_process_whose_first_answer_was_lost) {
  cluster_driver fresh;
  fresh.hello_message.cluster.process = {9};
  ASSERT_TRUE(fresh.hello());
  fresh.hello_message.cluster.incarnation = {};
  EXPECT_EQ(fresh.hello()->incarnation.value, 1U);
  EXPECT_TRUE(fresh.last_events.empty());
}

TEST_F(cluster_incarnation, that_is_not_known_begins_anew_and_locks_nothing) {
  for (const auto told : {std::uint64_t{7}, ~std::uint64_t{0}}) {
    cluster_driver fresh;
    fresh.hello_message.cluster.incarnation = {told};
    const auto ack = fresh.hello();
    ASSERT_TRUE(ack);
    EXPECT_TRUE(ack->begin_anew);
    EXPECT_EQ(ack->lease_ns, 0);
    EXPECT_TRUE(fresh.last_events.empty());
    EXPECT_TRUE(fresh.last_effects.empty());
    fresh.hello_message.cluster.incarnation = {};
    EXPECT_EQ(fresh.hello()->incarnation.value, 1U);
  }
  c.hello_message.cluster.incarnation = {~std::uint64_t{0}};
  EXPECT_EQ(c.hello().error().code, ec::already_exists);
  c.hello_message.cluster.incarnation = {1};
  EXPECT_TRUE(c.heartbeat()) << "the agent that serves the cluster goes on";
}

}  // namespace
}  // namespace argosy::ledger
