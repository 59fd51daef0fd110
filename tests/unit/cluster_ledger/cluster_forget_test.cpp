// SPDX-License-Identifier: Apache-2.0
// Goal: an operator can say that a silent cluster is gone for good. Its runs then count as stopped,
// the next leader knows it as well, and the agent may come back only as a new one. An operator can
// also release a node.
// Method: one core that falls silent with runs, and a second one that leads with what was logged.
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
using ::testing::SizeIs;

class forgotten_cluster : public ::testing::Test {
 protected:
  forgotten_cluster() {
    c.hello_message.cluster.process = {9};
    EXPECT_TRUE(c.hello());
  }
  void fall_silent() { c.tick(c.config.silence_max + 1ns); }
  result<bool> forget() { return c.take(c.core.forget("forgotten by alice", 77, c.now)); }
  /// The runs that were reported as stopped by the last input.
  std::vector<model::run_key> settled() const {
    std::vector<model::run_key> out;
    for (const auto& report : c.forwarded()) {
      EXPECT_EQ(report.phase, run_phase::stopped);
      EXPECT_EQ(report.outcome.reason, "LeaseExpired");
      EXPECT_EQ(report.sequence, 0U);
      out.push_back(report.run);
    }
    return out;
  }

  cluster_driver c;
};

TEST_F(forgotten_cluster, settles_its_runs_at_once_and_leaves) {
  c.start({start_of(1), start_of(2, 1000, "r", "n2")});
  fall_silent();
  ASSERT_TRUE(forget());
  EXPECT_THAT(settled(), ElementsAre(run_of(1), run_of(2)));
  EXPECT_THAT(c.effects<remove_nodes>().at(0).nodes, ElementsAre("n1", "n2"));
  EXPECT_FALSE(c.core.present());
  EXPECT_THAT(c.core.node_infos(), IsEmpty());
  const auto* left = std::get_if<model::cluster_left>(&c.last_events.back().payload);
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(left->reason, "forgotten by alice");
  EXPECT_EQ(c.last_events.back().time_ns, 77);
  c.over(1);
  EXPECT_THAT(c.effects<unbind_run>(), SizeIs(1));
  EXPECT_THAT(c.effects<retire_cluster>(), IsEmpty());
  c.over(2);
  EXPECT_THAT(c.effects<retire_cluster>(), SizeIs(1)) << "when its last run is settled";
}

TEST_F(forgotten_cluster, without_runs_is_retired_at_once) {
  fall_silent();
  ASSERT_TRUE(forget());
  EXPECT_THAT(c.effects<retire_cluster>(), SizeIs(1));
  ASSERT_TRUE(forget());
  EXPECT_THAT(c.last_events, IsEmpty()) << "it is forgotten once";
}

TEST_F(forgotten_cluster, may_have_left_before) {
  ASSERT_TRUE(c.take(c.core.goodbye({"c", {1}, "shut down", {9}}, 5, c.now)));
  ASSERT_FALSE(c.core.present());
  ASSERT_TRUE(forget());
  EXPECT_FALSE(c.core.present());
  EXPECT_TRUE(c.hello()->begin_anew);
}

TEST_F(forgotten_cluster, is_refused_while_its_agent_is_or_may_be_there) {
  const auto connected = forget();
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().code, ec::conflict);
  EXPECT_THAT(connected.error().detail, HasSubstr("stop its agent"));
  c.next_leader({});
  const auto expected = forget();
  ASSERT_FALSE(expected);
  EXPECT_EQ(expected.error().code, ec::unavailable);
  EXPECT_THAT(c.last_events, IsEmpty());
  cluster_core unknown{"nobody"};
  (void)unknown.lead({{3}}, c.now);
  EXPECT_EQ(unknown.forget("forgotten", 1, c.now).reply.error().code, ec::not_found);
}

TEST_F(forgotten_cluster, tells_a_queue_again_that_did_not_settle_a_run) {
  c.start({start_of(1)});
  fall_silent();
  ASSERT_TRUE(forget());
  c.tick(c.config.resend_after - 1ns);
  EXPECT_THAT(settled(), IsEmpty());
  c.tick(1ns);
  EXPECT_THAT(settled(), ElementsAre(run_of(1)));
}

TEST_F(forgotten_cluster, is_known_to_the_next_leader) {
  c.start({start_of(1)});
  fall_silent();
  ASSERT_TRUE(forget());
  c.next_leader({desired_run{start_of(1), model::stop_cause::none, "", false}});
  EXPECT_THAT(settled(), ElementsAre(run_of(1)));
  EXPECT_THAT(c.started(), IsEmpty());
  c.over(1);
  EXPECT_THAT(c.effects<retire_cluster>(), SizeIs(1));
}

TEST_F(forgotten_cluster, settles_a_start_that_was_under_way) {
  fall_silent();
  ASSERT_TRUE(forget());
  c.start({start_of(1)});
  EXPECT_THAT(settled(), ElementsAre(run_of(1)));
  c.stop({stop_of(1)});
  EXPECT_THAT(c.stopped(), IsEmpty());
}

TEST_F(forgotten_cluster, takes_its_agent_back_only_as_a_new_one) {
  c.start({start_of(1)});
  fall_silent();
  ASSERT_TRUE(forget());
  const auto beat = c.heartbeat();
  ASSERT_TRUE(beat) << "an error would make the agent give up instead of beginning anew";
  EXPECT_TRUE(beat->hello_wanted);
  EXPECT_EQ(c.report(1, {{1, run_phase::succeeded}}).error().code, ec::unavailable);
  EXPECT_TRUE(c.hello()->begin_anew);
  EXPECT_THAT(c.last_events, IsEmpty());
  c.hello_message.cluster.incarnation = {};
  EXPECT_EQ(c.hello().error().code, ec::unavailable) << "the run is not settled yet";
  c.over(1);
  const auto anew = c.hello();
  ASSERT_TRUE(anew);
  EXPECT_GT(anew->incarnation.value, 77U) << "above each that was given before";
  EXPECT_TRUE(c.core.present());
  c.start({start_of(2)});
  EXPECT_THAT(c.started(), ElementsAre(run_of(2)));
}

TEST(node_that_is_released, is_in_the_log_as_one_that_comes_anew) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  const auto events = c.core.release_node("n1", 77);
  ASSERT_TRUE(events);
  change_list changes;
  for (const auto& event : *events) {
    EXPECT_EQ(event.time_ns, 77);
    for (auto& change : c.core.apply(event)) changes.push_back(std::move(change));
  }
  EXPECT_TRUE(c.core.node_infos().contains("n1"));
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(std::get<erase_node>(changes[0]).node, "n1");
  const auto& health = std::get<put_carried>(changes[1]).entry;
  EXPECT_EQ(health.what, model::carried_entry::kind::node_health);
  EXPECT_EQ(health.name, "c/n1");
  EXPECT_TRUE(health.gone);
  EXPECT_EQ(std::get<put_node>(changes[2]).node, node_named("n1"));
}

TEST(node_that_is_released, must_be_a_node_of_the_cluster) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  const auto unknown = c.core.release_node("n7", 77);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ec::not_found);
  EXPECT_EQ(unknown.error().detail, "cluster 'c' has no node 'n7'");
}

}  // namespace
}  // namespace argosy::ledger
