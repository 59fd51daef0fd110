// SPDX-License-Identifier: Apache-2.0
// Goal: fairness and urgency take room through all actors, and the room is used only when it is
// free.
// Method: full nodes, then a second queue or a higher class; agents that stop runs at once or not.
#include <gmock/gmock.h>

#include <set>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct preemption : control_plane_test {
  preemption() {
    start();
    for (const auto* queue : {"a", "b", "c"}) create_queue(queue);
  }
};

TEST_F(preemption, higher_class_takes_the_room_of_a_lower_one) {
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto low = submit("a", {.count = 2, .priority_class = "armada-preemptible"});
  pass();
  agent->obeys_stops = false;
  const auto high = submit("a", {.cpu = "2"}).at(0);
  pass(10s);
  // The room is taken until the stopped runs have ended.
  EXPECT_EQ(job(high).state(), api::LEASED);
  EXPECT_EQ(agent.begun(high), 0);
  ASSERT_FALSE(agent->stops.empty());
  EXPECT_EQ(agent->stops[0].cause, model::stop_cause::preempt);
  agent.end(low[0], run_phase::stopped, {143, 15, "", ""});
  pass();
  EXPECT_EQ(agent.begun(high), 0);
  agent.end(low[1], run_phase::stopped, {143, 15, "", ""});
  pass();
  EXPECT_EQ(agent.begun(high), 1);
  EXPECT_EQ(job(high).state(), api::RUNNING);
  for (const auto& id : low) {
    EXPECT_EQ(job(id).state(), api::PREEMPTED);
    EXPECT_THAT(job(id).reason(), HasSubstr("higher priority class"));
  }
}

TEST_F(preemption, costs_a_queue_no_more_while_its_stopped_runs_end) {
  auto& agent = add_agent("c", {node_of("n1", 4), node_of("n2", 4)});
  submit("a", {.count = 8, .priority_class = "armada-preemptible"});
  pass();
  agent->obeys_stops = false;
  submit("c", {.cpu = "4"});
  pass(2s);
  const auto stopped = [&] {
    std::set<model::run_key> runs;
    for (const auto& stop : agent->stops) runs.insert(stop.run);
    return runs.size();
  };
  ASSERT_EQ(stopped(), 4U);
  // Four of a's runs go on; it is due as much as b.
  submit("b", {.count = 4, .priority_class = "armada-preemptible"});
  pass(5s);
  EXPECT_EQ(stopped(), 6U);
  EXPECT_EQ(count("b", api::LEASED), 2);
  EXPECT_EQ(count("b", api::QUEUED), 2);
}

TEST_F(preemption, default_class_is_not_preempted_for_balance) {
  add_agent("c", {node_of("n", 2)});
  submit("a", {.count = 2});
  pass();
  submit("b", {.count = 2});
  pass(5s);
  EXPECT_EQ(count("a", api::RUNNING), 2);
  EXPECT_EQ(count("b", api::QUEUED), 2);
}

}  // namespace argosy::tests
