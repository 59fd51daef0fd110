// SPDX-License-Identifier: Apache-2.0
// Goal: a replica that takes over finds the pods of the one before, whose runs it goes on with;
// runs that are nowhere are given away then, and no run is while its pod may be there.
// Method: one core of backend kubernetes, and replicas played by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using model::run_phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class cluster_replicas : public ::testing::Test {
 protected:
  void SetUp() override {
    c.hello_message.cluster.backend = model::kubernetes_backend;
    ASSERT_TRUE(c.hello());
    c.start({start_of(1), start_of(2)});
    ASSERT_TRUE(c.report(1, {{1, run_phase::running}}));
  }
  /// Another replica has taken the lease and says its first hello.
  void next_replica(bool all_runs, std::vector<model::known_run> runs) {
    c.hello_message.cluster.incarnation = {};
    c.hello_message.take_over = true;
    c.hello_message.all_runs = all_runs;
    ASSERT_TRUE(c.hello(std::move(runs)));
  }
  std::vector<model::run_key> lapsed() const {
    std::vector<model::run_key> out;
    for (const auto& one : c.effects<expire_leases>())
      out.insert(out.end(), one.runs.begin(), one.runs.end());
    return out;
  }
  static model::known_run has(std::uint64_t number) {
    return {run_of(number), "q", run_phase::running, "n1"};
  }
  cluster_driver c;
};

TEST_F(cluster_replicas, one_that_found_all_runs_settles_those_that_are_nowhere) {
  next_replica(true, {has(1)});
  EXPECT_THAT(c.started(), IsEmpty());
  c.tick(1s);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(2)));
  EXPECT_TRUE(c.effects<expire_leases>()[0].abandoned) << "no agent will report them";
  c.tick(1h);
  EXPECT_THAT(lapsed(), IsEmpty()) << "the other one has its pod";
}

TEST_F(cluster_replicas, one_that_does_not_know_all_runs_gives_none_away) {
  next_replica(false, {has(1)});
  c.tick(1h);
  EXPECT_THAT(lapsed(), IsEmpty());
  EXPECT_EQ(c.core.lapsing_count(), 1U);
  c.hello_message.all_runs = true;
  ASSERT_TRUE(c.hello({has(1)})) << "it has found them since";
  c.tick(1s);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(2)));
}

TEST_F(cluster_replicas, runs_that_were_found_are_reported_by_the_new_one) {
  next_replica(true, {has(1), has(2)});
  c.tick(1h);
  EXPECT_THAT(lapsed(), IsEmpty());
  ASSERT_TRUE(c.report(1, {{1, run_phase::succeeded}, {2, run_phase::running}}));
  EXPECT_EQ(c.forwarded().size(), 2U);
}

TEST_F(cluster_replicas, a_new_leader_of_the_control_plane_learns_it_from_the_next_hello) {
  next_replica(false, {has(1)});
  desired_run first;
  first.start = start_of(1);
  desired_run second;
  second.start = start_of(2);
  c.next_leader({first, second});
  c.tick(1h);
  EXPECT_THAT(lapsed(), IsEmpty());
  c.hello_message.all_runs = true;
  ASSERT_TRUE(c.hello({has(1)}));
  c.tick(1s);
  EXPECT_THAT(lapsed(), ElementsAre(run_of(2)));
}

TEST_F(cluster_replicas, what_a_replica_was_just_sent_is_not_taken_for_missing) {
  next_replica(true, {has(1), has(2)});
  c.start({start_of(3)});
  c.hello_message.cluster.incarnation = c.core.info().incarnation;
  ASSERT_TRUE(c.hello({has(1), has(2)})) << "the order is still on its way";
  EXPECT_THAT(c.started(), ElementsAre(run_of(3))) << "it is sent again";
  c.tick(1h);
  EXPECT_THAT(lapsed(), IsEmpty());
}

/// Agents that look for runs by name, of which the first has lost its record.
struct cluster_finds : cluster_replicas {
  void SetUp() override {
    c.hello_message.finds = true;
    cluster_replicas::SetUp();
  }
  std::vector<model::run_key> sought() const {
    std::vector<model::run_key> out;
    for (const auto& sent : c.effects<send_orders>())
      for (const auto& order : sent.orders.find) out.push_back(order.run);
    return out;
  }
  /// Returns what is looked for meanwhile.
  std::vector<model::run_key> pass(boot_time span) {
    std::vector<model::run_key> out;
    for (const auto until = c.now + span; c.now < until;) {
      c.tick(std::min<boot_time>(1s, until - c.now));
      const auto now = sought();
      out.insert(out.end(), now.begin(), now.end());
      EXPECT_TRUE(c.heartbeat());
    }
    return out;
  }
};

TEST_F(cluster_finds, runs_of_an_earlier_agent_once_that_can_begin_none) {
  const auto over = c.core.lease_horizon();
  next_replica(false, {has(1)});
  EXPECT_THAT(pass(over - c.now - 1ns), IsEmpty());
  EXPECT_THAT(pass(1ns), ElementsAre(run_of(2)));
  EXPECT_THAT(pass(4s), IsEmpty());
  EXPECT_THAT(pass(1s), ElementsAre(run_of(2))) << "it may not have heard of it";
  ASSERT_TRUE(c.report(1, {{2, run_phase::failed}}));
  EXPECT_EQ(c.forwarded().size(), 1U);
  EXPECT_THAT(pass(1h), IsEmpty());
  EXPECT_THAT(lapsed(), IsEmpty());
}

TEST_F(cluster_finds, at_once_what_an_agent_of_the_same_place_has_begun) {
  c.hello_message.cluster.place = "m/1";
  c.hello_message.cluster.boot = "b";
  ASSERT_TRUE(c.hello());
  next_replica(false, {});
  EXPECT_THAT(pass(4s), IsEmpty()) << "what it asked for may be under way";
  EXPECT_THAT(pass(1s), ElementsAre(run_of(1), run_of(2)));
}

TEST_F(cluster_finds, what_is_not_among_all_runs_before_it_counts_as_gone) {
  next_replica(true, {has(1)});
  EXPECT_THAT(pass(1s), ElementsAre(run_of(2)));
  EXPECT_THAT(pass(1h), ::testing::Each(run_of(2)));
  EXPECT_THAT(lapsed(), IsEmpty());
  ASSERT_TRUE(c.hello({has(1), has(2)})) << "it was found";
  EXPECT_THAT(pass(1h), IsEmpty());
}

TEST_F(cluster_finds, nothing_by_agents_that_cannot_or_are_away) {
  c.hello_message.trouble = {"it does not answer", 7};
  next_replica(true, {has(1)});
  EXPECT_THAT(pass(1min), IsEmpty());
  c.hello_message.trouble = {};
  c.hello_message.finds = false;
  ASSERT_TRUE(c.hello({has(1)}));
  EXPECT_THAT(pass(2s), IsEmpty());
}

TEST_F(cluster_replicas, no_other_backend_takes_over_while_pods_may_live) {
  c.hello_message.cluster.incarnation = {};
  c.hello_message.cluster.backend = "process";
  c.hello_message.take_over = true;
  c.now += 1h;
  const auto refused = c.hello();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::already_exists);
  EXPECT_THAT(refused.error().detail, HasSubstr("has runs (2) that backend kubernetes was given"));
  EXPECT_THAT(refused.error().detail, HasSubstr("argosyctl cluster forget c"));
  c.tick(1h);
  EXPECT_THAT(lapsed(), IsEmpty()) << "the runs are still those of pods";
  c.over(1);
  c.over(2);
  ASSERT_TRUE(c.hello()) << "nothing is left that it could not end";
  EXPECT_EQ(c.core.info().backend, "process");
}

TEST_F(cluster_replicas, no_pods_take_the_place_of_processes_that_may_live) {
  cluster_driver other;
  ASSERT_TRUE(other.hello());
  other.start({start_of(1)});
  other.hello_message.cluster.incarnation = {};
  other.hello_message.cluster.backend = model::kubernetes_backend;
  other.hello_message.take_over = true;
  other.hello_message.all_runs = true;
  EXPECT_FALSE(other.hello()) << "it would say that all runs are gone which have no pod";
  desired_run open;
  open.start = start_of(1);
  other.next_leader({open});
  EXPECT_FALSE(other.hello()) << "the next leader knows it as well";
  other.hello_message.cluster.backend = "simulated";
  EXPECT_TRUE(other.hello()) << "its runs end by the lease as well";
}

TEST_F(cluster_replicas, a_forgotten_cluster_may_come_back_with_another_backend) {
  c.now += 1h;
  c.tick(1h);
  ASSERT_TRUE(c.take(c.core.forget("gone", 5, c.now)));
  c.over(1);
  c.over(2);
  c.hello_message.cluster.incarnation = {};
  c.hello_message.cluster.backend = "process";
  EXPECT_TRUE(c.hello());
}

TEST_F(cluster_replicas, no_other_backend_can_say_so) {
  cluster_driver other;
  ASSERT_TRUE(other.hello());
  other.start({start_of(1)});
  other.hello_message.cluster.incarnation = {};
  other.hello_message.take_over = true;
  other.hello_message.all_runs = true;
  ASSERT_TRUE(other.hello());
  other.tick(1s);
  EXPECT_TRUE(other.effects<expire_leases>().empty()) << "a process may live without its agent";
}

TEST_F(cluster_finds, what_an_agent_has_in_another_namespace_than_that_of_the_job) {
  auto order = start_of(3);
  order.name_space = "jobs";
  c.start({order});
  ASSERT_TRUE(c.report(2, {{3, run_phase::running}}));
  auto copy = has(3);
  copy.name_space = "another";
  next_replica(true, {has(1), has(2), copy});
  model::report_batch batch{"c", c.hello_message.cluster.incarnation, {}, {}};
  auto& report = batch.reports.emplace_back();
  report.sequence = 1;
  report.run = run_of(3);
  report.phase = run_phase::succeeded;
  report.name_space = "another";
  ASSERT_TRUE(c.take(c.core.reports(batch, c.now)));
  EXPECT_THAT(c.forwarded(), IsEmpty()) << "it is a copy that has ended";
  EXPECT_THAT(pass(1s), ElementsAre(run_of(3)));
  report.sequence = 2;
  report.name_space = "jobs";
  ASSERT_TRUE(c.take(c.core.reports(batch, c.now)));
  EXPECT_EQ(c.forwarded().size(), 1U);
  copy.name_space = "jobs";
  ASSERT_TRUE(c.hello({has(1), has(2), copy}));
  EXPECT_EQ(c.core.lapsing_count(), 0U);
}

TEST_F(cluster_finds, says_of_runs_that_wait_for_the_lease_of_an_earlier_agent_whose_it_is) {
  const auto over = c.core.lease_horizon();
  c.hello_message.trouble.why = "has runs of earlier agents";
  next_replica(false, {});
  c.tick(1s);
  EXPECT_THAT(c.forwarded(), IsEmpty()) << "it may know them once it has looked";
  c.hello_message.trouble = {};
  ASSERT_TRUE(c.hello({has(1)}));
  c.tick(1s);
  ASSERT_EQ(c.forwarded().size(), 1U);
  const auto said = c.forwarded()[0];
  EXPECT_EQ(said.run, run_of(2));
  EXPECT_EQ(said.sequence, 0U);
  EXPECT_EQ(said.phase, run_phase::accepted) << "the run is as it was";
  EXPECT_THAT(said.note, HasSubstr("cluster 'c' has another agent now, which does not know of this "
                                   "run. The earlier one (it joined at 1970-01-01 00:00:00 UTC)"));
  EXPECT_THAT(said.note,
              HasSubstr(" may hold its lease until " + model::utc_text((over - c.now).count())));
  c.tick(1s);
  EXPECT_THAT(c.forwarded(), IsEmpty());
}

TEST_F(cluster_finds, says_nothing_where_it_waits_for_moments_alone) {
  c.hello_message.cluster.place = "m/1";
  c.hello_message.cluster.boot = "b";
  ASSERT_TRUE(c.hello());
  next_replica(false, {});
  for (int i = 0; i < 3; ++i) {
    c.tick(1s);
    EXPECT_THAT(c.forwarded(), IsEmpty());
  }
}

}  // namespace
}  // namespace argosy::ledger
