// SPDX-License-Identifier: Apache-2.0
// Goal: the record of a cluster that was forgotten or has left is erased when nothing is left of
// it, by what the log says alone, and no incarnation is ever given twice.
// Method: one core that leaves or is forgotten; ticks with the time of the log; a second core that
// replays what was logged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using model::run_phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class erased_cluster : public ::testing::Test {
 protected:
  erased_cluster() {
    c.hello_message.cluster.process = {9};
    EXPECT_TRUE(c.hello());
  }
  void forget(std::int64_t now_ns) {
    c.tick(c.config.silence_max + 1ns);
    ASSERT_TRUE(c.take(c.core.forget("forgotten by alice", now_ns, c.now)));
  }
  void leave(std::int64_t now_ns) {
    ASSERT_TRUE(c.take(c.core.goodbye({"c", {1}, "shut down", {9}}, now_ns, c.now)));
    ASSERT_FALSE(c.core.present());
  }
  /// Whether the log's being at this time erases the record.
  bool erased_at(std::int64_t now_ns) {
    c.take(c.core.tick(now_ns, c.now));
    return c.knows("cluster_erased");
  }
  result<model::hello_ack> hello_at(std::int64_t now_ns, std::uint64_t incarnation) {
    c.hello_message.cluster.incarnation = {incarnation};
    return c.take(c.core.hello(c.hello_message, now_ns, c.now));
  }

  cluster_driver c;
  const std::int64_t kept = c.config.left_kept.count();
};

TEST_F(erased_cluster, was_forgotten) {
  forget(77);
  EXPECT_FALSE(erased_at(76 + kept));
  ASSERT_TRUE(c.take(c.core.forget("again", 80, c.now))) << "the answer may have been lost";
  ASSERT_TRUE(erased_at(77 + kept));
  EXPECT_EQ(std::get<erase_cluster>(c.changes.back()).name, "c");
  EXPECT_TRUE(c.core.is_unknown());
  EXPECT_FALSE(erased_at(78 + kept)) << "once";
  EXPECT_EQ(c.take(c.core.forget("again", 79 + kept, c.now)).error().code, ec::not_found);
}

TEST_F(erased_cluster, waits_until_the_time_is_above_its_incarnation) {
  forget(1);
  ASSERT_EQ(c.core.info().incarnation.value, 2U) << "the log's time stood still";
  auto config = c.config;
  config.left_kept = {};
  cluster_core next{"c", config};
  next.restore(c.core.info(), false, 1);
  c.core = std::move(next);
  c.take(c.core.lead({{4}}, c.now));
  EXPECT_FALSE(erased_at(2)) << "who joined now would get an incarnation that was there before";
  EXPECT_TRUE(erased_at(3));
}

TEST_F(erased_cluster, accepts_none_of_its_incarnations_again) {
  forget(77);
  ASSERT_TRUE(erased_at(77 + kept));
  for (const std::uint64_t given : {1, 76, 77}) {
    const auto back = hello_at(77 + kept, given);
    ASSERT_TRUE(back);
    EXPECT_TRUE(back->begin_anew) << given;
  }
  EXPECT_THAT(c.last_events, IsEmpty());
  const auto anew = hello_at(77 + kept, 0);
  ASSERT_TRUE(anew);
  EXPECT_EQ(anew->incarnation.value, 77U + kept) << "above each that was given before";
  EXPECT_EQ(hello_at(78 + kept, 77).error().code, ec::conflict);
}

TEST_F(erased_cluster, is_kept_while_its_runs_are_being_settled) {
  c.start({start_of(1)});
  forget(77);
  EXPECT_FALSE(erased_at(100 + kept));
  c.over(1);
  EXPECT_TRUE(erased_at(101 + kept));
}

TEST_F(erased_cluster, left_and_did_not_come_back) {
  leave(50);
  EXPECT_FALSE(erased_at(50 + kept - 1));
  EXPECT_TRUE(erased_at(50 + kept));
}

TEST_F(erased_cluster, keeps_its_incarnation_when_it_comes_back_in_time) {
  leave(50);
  const auto back = hello_at(49 + kept, 1);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->begin_anew);
  EXPECT_EQ(back->incarnation.value, 1U);
  EXPECT_FALSE(erased_at(50 + kept));
}

TEST_F(erased_cluster, is_erased_by_the_next_leader_as_well) {
  leave(50);
  cluster_core next{"c", c.config};
  next.restore(c.core.info(), false, std::get<put_cluster>(c.changes.at(3)).left_ns);
  c.core = std::move(next);
  c.take(c.core.lead({{4}}, c.now));
  EXPECT_FALSE(erased_at(50 + kept - 1));
  EXPECT_TRUE(erased_at(50 + kept));
}

TEST_F(erased_cluster, is_erased_by_every_replay_of_the_log) {
  forget(77);
  ASSERT_TRUE(erased_at(77 + kept));
  ASSERT_TRUE(hello_at(80 + kept, 0));
  forget(90 + kept);
  ASSERT_TRUE(erased_at(90 + 2 * kept));
  cluster_core replayed{"c"};
  change_list changes;
  for (const auto& e : c.log)
    for (auto& change : replayed.apply(e)) changes.push_back(std::move(change));
  EXPECT_EQ(changes.size(), c.changes.size());
  EXPECT_TRUE(replayed.is_unknown());
  EXPECT_EQ(replayed.info(), c.core.info());
}

TEST_F(erased_cluster, is_not_erased_by_an_event_that_is_not_legal) {
  EXPECT_THAT(c.core.apply({99, "", model::cluster_erased{"c", {1}}}), IsEmpty())
      << "it is present";
  forget(77);
  EXPECT_THAT(c.core.apply({99, "", model::cluster_erased{"d", {77}}}), IsEmpty());
  EXPECT_THAT(c.core.apply({99, "", model::cluster_erased{"c", {76}}}), IsEmpty());
  EXPECT_THAT(c.core.apply({77, "", model::cluster_erased{"c", {77}}}), IsEmpty());
  EXPECT_THAT(c.core.apply({78, "", model::cluster_erased{"c", {77}}}), SizeIs(1));
}

TEST_F(erased_cluster, gives_a_start_of_an_old_plan_back) {
  forget(77);
  ASSERT_TRUE(erased_at(77 + kept));
  c.start({start_of(1)});
  ASSERT_THAT(c.forwarded(), SizeIs(1));
  EXPECT_EQ(c.forwarded()[0].phase, run_phase::unknown);
  EXPECT_EQ(c.forwarded()[0].run, run_of(1));
  EXPECT_FALSE(c.core.is_unknown());
  c.over(1);
  EXPECT_TRUE(c.core.is_unknown());
}

}  // namespace
}  // namespace argosy::ledger
