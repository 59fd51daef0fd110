// SPDX-License-Identifier: Apache-2.0
// Goal: a drain cordons, asks once for each run that may be preempted, waits for the rest until its
// deadline at most, says how far it is, and ends by itself or by an operator's word. Method: a
// cluster_core that is driven as its actor does, with times of the log that the tests choose.
#include <gmock/gmock.h>

#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t second_ns = 1'000'000'000;

/// Two runs on node n1 and one on n2.
class cluster_drain : public cluster_test {
 protected:
  void SetUp() override {
    cluster_test::SetUp();
    c.start({start_of(1), start_of(2, 1000, "p"), start_of(3, 1000, "q", "n2")});
  }

  static drain_request of_node(model::node_name node = "n1") {
    drain_request wanted;
    wanted.id = ulid_from_hash(9, 1, 1);
    wanted.node = std::move(node);
    wanted.by = "alice";
    wanted.reason = "new disk";
    return wanted;
  }
  result<drain_reply> drain(const drain_request& wanted, std::int64_t at = second_ns) {
    return c.take(c.core.drain(wanted, at));
  }
  void go_on(std::int64_t at = second_ns) { c.take(c.core.drain_on(at)); }
  /// The queues that are asked, with the numbers of the runs.
  std::map<std::string, std::vector<model::run_key>> asked() const {
    std::map<std::string, std::vector<model::run_key>> out;
    for (const auto& each : c.effects<preempt_runs>()) out[each.queue] = each.runs;
    return out;
  }
  /// The last operation in the log.
  model::operation last() const {
    for (auto at = c.log.rbegin(); at != c.log.rend(); ++at)
      if (const auto* changed = std::get_if<model::operation_changed>(&at->payload))
        return changed->now;
    return {};
  }
};

TEST_F(cluster_drain, cordons_asks_each_queue_once_and_ends_with_the_last_run) {
  const auto begun = drain(of_node());
  ASSERT_TRUE(begun);
  EXPECT_FALSE(begun->joined);
  EXPECT_EQ(begun->drain.total, 2u);
  EXPECT_EQ(begun->drain.left(), 2u);
  ASSERT_NE(c.core.all_cordons().find("n1"), nullptr);
  EXPECT_EQ(c.core.all_cordons().find("n1")->reason, "new disk");
  EXPECT_TRUE(c.effects<set_nodes>().at(0).nodes.at(0).unschedulable);
  go_on();
  EXPECT_THAT(asked(), ElementsAre(std::pair{std::string{"p"}, std::vector{run_of(2)}},
                                   std::pair{std::string{"q"}, std::vector{run_of(1)}}));
  const auto told = c.effects<preempt_runs>().at(0);
  EXPECT_EQ(told.node, "n1");
  EXPECT_FALSE(told.all);
  EXPECT_EQ(told.requestor, "alice");
  EXPECT_EQ(told.reason, "Preempted by alice, who drains node c/n1: new disk");
  go_on();
  EXPECT_THAT(asked(), IsEmpty()) << "they were asked for";
  c.over(1);
  EXPECT_EQ(c.core.drain_for("n1")->left(), 1u);
  EXPECT_EQ(c.core.drain_for("n2"), std::nullopt);
  c.over(2);
  EXPECT_EQ(last().state, model::operation_state::done);
  EXPECT_EQ(last().done, 2u);
  EXPECT_GT(last().ended_ns, 0);
  EXPECT_EQ(c.core.drain_for("n1"), std::nullopt);
  EXPECT_NE(c.core.all_cordons().find("n1"), nullptr) << "the cordon stays";
}

TEST_F(cluster_drain, of_a_cluster_means_all_its_nodes) {
  ASSERT_TRUE(drain(of_node("")));
  go_on();
  EXPECT_THAT(asked()["q"], ElementsAre(run_of(1), run_of(3)));
  EXPECT_EQ(c.core.drain_for("n2")->total, 3u);
  EXPECT_THAT(c.effects<preempt_runs>().at(0).reason, HasSubstr("who drains cluster c"));
  for (const auto run : {1, 2, 3}) c.over(static_cast<std::uint64_t>(run));
  EXPECT_EQ(last().state, model::operation_state::done);
}

TEST_F(cluster_drain, of_an_idle_node_is_done_at_once) {
  c.over(3);
  ASSERT_TRUE(drain(of_node("n2")));
  go_on();
  EXPECT_EQ(last().state, model::operation_state::done);
  EXPECT_EQ(last().total, 0u);
}

TEST_F(cluster_drain, asks_again_for_what_no_queue_has_answered_and_not_for_what_ends) {
  ASSERT_TRUE(drain(of_node()));
  go_on();
  c.core.not_preempted({run_of(2)});
  go_on();
  EXPECT_THAT(asked(), ElementsAre(std::pair{std::string{"p"}, std::vector{run_of(2)}}));
  c.core.not_preempted({run_of(2)});
  c.stop({stop_of(2, model::stop_cause::preempt)});
  go_on();
  EXPECT_THAT(asked(), IsEmpty()) << "it is being stopped";
}

TEST_F(cluster_drain, preempts_what_is_left_when_its_deadline_has_come) {
  auto wanted = of_node();
  wanted.preempts = false;
  wanted.deadline_after_ns = 10 * second_ns;
  ASSERT_TRUE(drain(wanted, second_ns));
  EXPECT_EQ(last().deadline_ns, 11 * second_ns);
  go_on(10 * second_ns);
  EXPECT_THAT(asked(), IsEmpty());
  go_on(11 * second_ns);
  ASSERT_THAT(asked(), SizeIs(2));
  EXPECT_TRUE(c.effects<preempt_runs>().at(0).all);
  EXPECT_THAT(c.effects<preempt_runs>().at(0).reason, HasSubstr("whose time to end is over"));
  go_on(12 * second_ns);
  EXPECT_THAT(asked(), IsEmpty());
}

TEST_F(cluster_drain, asks_twice_for_a_run_that_could_not_be_preempted_before_the_deadline) {
  auto wanted = of_node();
  wanted.deadline_after_ns = 10 * second_ns;
  ASSERT_TRUE(drain(wanted, second_ns));
  go_on(second_ns);
  EXPECT_THAT(asked(), SizeIs(2));
  go_on(11 * second_ns);
  EXPECT_THAT(asked(), SizeIs(2));
}

TEST_F(cluster_drain, is_joined_by_a_second_request_which_may_hurry_it) {
  auto wanted = of_node();
  wanted.preempts = false;
  ASSERT_TRUE(drain(wanted));
  auto second_one = of_node();
  second_one.id = ulid_from_hash(9, 2, 2);
  second_one.preempts = false;
  second_one.by = "bob";
  second_one.reason.clear();
  const auto records = c.log.size();
  auto joined = drain(second_one);
  ASSERT_TRUE(joined);
  EXPECT_TRUE(joined->joined);
  EXPECT_EQ(joined->drain.id, wanted.id);
  EXPECT_EQ(joined->drain.by, "alice");
  EXPECT_EQ(c.log.size(), records) << "it changes nothing";
  second_one.preempts = true;
  second_one.deadline_after_ns = 5 * second_ns;
  joined = drain(second_one, 2 * second_ns);
  EXPECT_EQ(last().deadline_ns, 7 * second_ns);
  go_on(2 * second_ns);
  EXPECT_THAT(asked(), SizeIs(2));
  EXPECT_EQ(c.core.all_cordons().find("n1")->reason, "new disk");
}

TEST_F(cluster_drain, counts_runs_that_come_from_an_older_plan_and_asks_for_them) {
  ASSERT_TRUE(drain(of_node()));
  go_on();
  c.over(1);
  go_on(4 * second_ns);
  c.start({start_of(4)});
  go_on(7 * second_ns);
  EXPECT_THAT(asked()["q"], ElementsAre(run_of(4)));
  EXPECT_EQ(last().total, 3u);
  EXPECT_EQ(last().left(), 2u);
}

TEST_F(cluster_drain, tells_the_log_of_progress_now_and_then) {
  c.start({start_of(4)});
  ASSERT_TRUE(drain(of_node(), second_ns));
  const auto records = c.log.size();
  c.over(1);
  go_on(second_ns + 1);
  EXPECT_EQ(c.log.size(), records);
  go_on(3 * second_ns);
  EXPECT_EQ(c.log.size(), records + 1);
  EXPECT_EQ(last().done, 1u);
  go_on(6 * second_ns);
  EXPECT_EQ(c.log.size(), records + 1) << "nothing has changed";
}

TEST_F(cluster_drain, is_ended_by_stop_or_uncordon_and_may_begin_anew) {
  ASSERT_TRUE(drain(of_node()));
  go_on();
  const auto stopped = c.take(c.core.stop_drain("n1", "bob", 2 * second_ns));
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->state, model::operation_state::stopped);
  EXPECT_EQ(stopped->detail, "stopped by bob");
  EXPECT_NE(c.core.all_cordons().find("n1"), nullptr);
  EXPECT_EQ(c.core.stop_drain("n1", "bob", 2 * second_ns).reply.error().code, ec::not_found);
  ASSERT_TRUE(drain(of_node()));
  go_on();
  EXPECT_THAT(asked(), SizeIs(2)) << "a new drain asks for all";
  ASSERT_TRUE(c.take(c.core.cordon({"c", "n1", false, "eve", ""}, 3 * second_ns)));
  EXPECT_EQ(last().state, model::operation_state::stopped);
  EXPECT_EQ(last().detail, "uncordoned by eve");
  EXPECT_EQ(c.core.drain_for("n1"), std::nullopt);
}

TEST_F(cluster_drain, goes_on_under_the_next_leader) {
  ASSERT_TRUE(drain(of_node()));
  go_on();
  const auto known = last();
  cluster_core next{"c"};
  next.restore(c.core.info(), true);
  for (const auto& [name, node] : c.core.node_infos()) next.restore(node);
  next.restore(put_cordon{"c", "n1", {"alice", "new disk", 1}});
  next.restore(known);
  desired_run run;
  run.start = start_of(1);
  next.restore(run);
  EXPECT_THAT(next.drain_on(second_ns).effects, IsEmpty()) << "it does not lead yet";
  static_cast<void>(next.lead({{4}}, c.now));
  const auto step = next.drain_on(2 * second_ns);
  EXPECT_THAT(tests::effects_of<preempt_runs>(step.effects), SizeIs(1));
  EXPECT_EQ(next.drain_for("n1")->left(), 1u);
  EXPECT_EQ(next.drain_for("n1")->total, 2u);
}

TEST_F(cluster_drain, refuses_a_node_that_is_not_there) {
  EXPECT_EQ(drain(of_node("n7")).error().code, ec::not_found);
}

}  // namespace argosy::ledger
