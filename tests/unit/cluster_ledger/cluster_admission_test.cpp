// SPDX-License-Identifier: Apache-2.0
// Goal: one agent serves a cluster: neither another agent of its name nor a copy of its store takes
// it away while it is heard, and the agent itself is known again in every process.
// Method: one core, and hellos of other agents and other processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using model::run_phase;
using ::testing::IsEmpty;

/// An agent in process 1, and another process with its store.
class copied_store : public cluster_test {
 protected:
  void SetUp() override {
    c.hello_message.cluster.place = "machine/directory";
    c.hello_message.cluster.boot = "monday";
    c.hello_message.cluster.process = {1};
    ASSERT_TRUE(c.hello());
    c.start({start_of(1)});
  }
  result<model::hello_ack> other_process(const char* boot,
                                         const char* place = "machine/directory") {
    auto message = c.hello_message;
    message.cluster.process = {2};
    message.cluster.boot = boot;
    message.cluster.place = place;
    return c.take(c.core.hello(message, 1, c.now));
  }
};

TEST_F(copied_store, in_a_restarted_agent_goes_on_with_its_incarnation) {
  const auto ack = other_process("monday");
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->incarnation.value, 1U);
  EXPECT_EQ(c.core.lapsing_count(), 0U);
  c.start({start_of(2)});
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.process.value, 2U);
  EXPECT_EQ(c.heartbeat().error().code, ec::conflict) << "the first process must not go on";
  EXPECT_EQ(c.report(1, {{1, run_phase::running}}).error().code, ec::conflict);
  EXPECT_EQ(c.core.goodbye({"c", {1}, "", {1}}, 1, c.now).reply.error().code, ec::conflict);
}

TEST_F(copied_store, elsewhere_waits_and_is_refused_when_the_first_is_heard_again) {
  for (const auto* place : {"machine/directory", "machine/copy"}) {
    const auto waits = other_process("tuesday", place);
    ASSERT_FALSE(waits);
    EXPECT_EQ(waits.error().code, ec::unavailable);
    EXPECT_TRUE(c.last_effects.empty());
  }
  c.now += 1s;
  ASSERT_TRUE(c.heartbeat());
  const auto refused = other_process("tuesday");
  EXPECT_EQ(refused.error().code, ec::already_exists);
  EXPECT_NE(refused.error().detail.find("a copy of its machine or of its data directory"),
            std::string::npos);
  c.start({start_of(2)});
  EXPECT_EQ(c.effects<send_orders>().at(0).orders.process.value, 1U);
}

TEST_F(copied_store, after_a_restart_of_the_machine_is_the_same_agent) {
  ASSERT_FALSE(other_process("tuesday"));
  c.now += c.config.silence_max + 1ns;
  const auto ack = other_process("tuesday");
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->incarnation.value, 1U) << "so that it can report that its runs are lost";
}

TEST_F(copied_store, is_watched_for_by_a_new_leader_too) {
  cluster_core next{"c", c.config};
  next.restore(c.core.info(), true);
  c.core = std::move(next);
  c.take(c.core.lead({{4}}, c.now));
  EXPECT_EQ(other_process("tuesday").error().code, ec::unavailable);
  EXPECT_TRUE(c.hello());
  c.now += 1s;
  ASSERT_TRUE(c.heartbeat());
  EXPECT_EQ(other_process("tuesday").error().code, ec::unavailable);
  c.now += 1s;
  ASSERT_TRUE(c.heartbeat());
  EXPECT_EQ(other_process("tuesday").error().code, ec::already_exists);
}

class lost_incarnation : public copied_store {
 protected:
  /// A hello of process 2, whose store knows no incarnation.
  result<model::hello_ack> restarted(const char* boot, const char* place = "machine/directory") {
    const auto kept = std::exchange(c.hello_message.cluster.incarnation, {});
    auto answer = other_process(boot, place);
    c.hello_message.cluster.incarnation = kept;
    return answer;
  }
};

TEST_F(lost_incarnation, of_an_agent_killed_before_it_kept_it_is_followed_by_another_at_once) {
  const auto ack = restarted("monday");
  ASSERT_TRUE(ack) << "the lock on the directory says that process 1 has ended";
  EXPECT_EQ(ack->incarnation.value, 2U);
  EXPECT_EQ(c.core.lapsing_count(), 1U) << "nobody can tell what became of run 1";
  EXPECT_TRUE(c.core.info().unsettled);
  EXPECT_EQ(c.heartbeat().error().code, ec::conflict) << "process 1 must not go on";
}

TEST_F(lost_incarnation, elsewhere_is_that_of_another_agent) {
  EXPECT_EQ(restarted("tuesday").error().code, ec::already_exists);
  EXPECT_EQ(restarted("monday", "machine/copy").error().code, ec::already_exists);
  EXPECT_EQ(restarted("monday", "").error().code, ec::already_exists);
}

class taken_over_cluster : public cluster_test {
 protected:
  /// The answer to another agent, which has an incarnation of its own.
  result<model::hello_ack> another(bool take_over = false) {
    auto message = c.hello_message;
    message.cluster.incarnation = {};
    message.take_over = take_over;
    return c.take(c.core.hello(message, 1, c.now));
  }
};

TEST_F(taken_over_cluster, is_not_while_its_agent_is_heard) {
  c.start({start_of(1)});
  c.now += c.config.silence_max;
  const auto refused = another();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::already_exists);
  EXPECT_EQ(refused.error().detail,
            "cluster 'c' is served by another agent, which was heard 15 s ago; stop that one "
            "first, give this one a cluster name of its own, or start it with --take-over");
  EXPECT_THAT(c.last_events, IsEmpty());
  EXPECT_THAT(c.last_effects, IsEmpty());
  EXPECT_EQ(c.core.info().incarnation.value, 1U);
  EXPECT_EQ(c.core.lapsing_count(), 0U);
  EXPECT_TRUE(c.heartbeat()) << "the one that serves it goes on";
}

TEST_F(taken_over_cluster, is_by_an_agent_that_is_told_to) {
  ASSERT_TRUE(another(true));
  EXPECT_EQ(c.core.info().incarnation.value, 2U);
}

TEST_F(taken_over_cluster, is_when_its_agent_is_silent_or_has_said_goodbye) {
  c.now += c.config.silence_max + 1ns;
  ASSERT_TRUE(another()) << "though no tick has noticed the silence yet";
  cluster_driver other;
  ASSERT_TRUE(other.hello());
  other.start({start_of(1)});
  ASSERT_TRUE(other.take(other.core.goodbye({"c", {1}, "stopped"}, 5, other.now)));
  other.hello_message.cluster.incarnation = {};
  EXPECT_TRUE(other.hello());
}

TEST_F(taken_over_cluster, waits_for_the_agent_that_a_new_leader_expects) {
  cluster_core next{"c", c.config};
  next.restore(c.core.info(), true);
  c.core = std::move(next);
  c.take(c.core.lead({{4}}, c.now));
  c.now += 5s;
  const auto refused = another();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::unavailable);
  EXPECT_NE(refused.error().detail.find("it may come back for 10 s"), std::string::npos)
      << refused.error().detail;
  c.now += c.config.silence_max;
  EXPECT_TRUE(another());
}

TEST_F(taken_over_cluster, knows_its_own_agent_again) {
  EXPECT_TRUE(c.hello());
}

TEST(cluster_admission, of_an_agent_that_lacks_what_no_run_needs_leaves_its_nodes_in_use) {
  cluster_driver c;
  ASSERT_TRUE(c.hello());
  c.hello_message.trouble.lacks = "it may not read output";
  ASSERT_TRUE(c.hello());
  EXPECT_TRUE(c.last_effects.empty());
  EXPECT_TRUE(c.core.takes_work());
  EXPECT_EQ(c.core.trouble().lacks, "it may not read output");
  c.hello_message.trouble = {};
  ASSERT_TRUE(c.hello());
  EXPECT_TRUE(c.last_effects.empty());
  EXPECT_EQ(c.core.trouble().lacks, "");
}

}  // namespace
}  // namespace argosy::ledger
