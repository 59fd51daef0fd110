// SPDX-License-Identifier: Apache-2.0
// Goal: fairness and urgency take room through all actors, and the room is used only when it is
// free.
// Method: full nodes, then a second queue or a higher class; agents that stop runs at once or not.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct preemption : control_plane_test {
  void begin(scheduling::preset preset = scheduling::preset::argosy) {
    start([&](actors::root_config& with) {
      with.scheduling =
          std::make_shared<const scheduling::config>(scheduling::default_config(preset));
    });
    create_queue("a");
    create_queue("b");
  }
  /// Makes two nodes of 32 cores, and 40 jobs of one core against 50 of another queue.
  void forty_and_fifty() {
    add_agent("c", {node_of("n1", 32), node_of("n2", 32)});
    submit("a", {.count = 40, .priority_class = "armada-preemptible"});
    pass();
    EXPECT_EQ(count("a", api::RUNNING), 40);
    submit("b", {.count = 50, .priority_class = "armada-preemptible"});
    pass(20s);
    EXPECT_EQ(count("a", api::RUNNING), 32);
    EXPECT_EQ(count("a", api::PREEMPTED), 8);
    EXPECT_EQ(count("b", api::RUNNING), 32);
    EXPECT_EQ(count("b", api::QUEUED), 18);
    for (const auto& [name, node] : nodes()) EXPECT_EQ(node.runs(), 32U) << name;
    EXPECT_EQ(agents[0]->begun.size(), 72U);
  }
};

TEST_F(preemption, shares_two_nodes_fairly) {
  begin();
  forty_and_fifty();
}

TEST_F(preemption, shares_two_nodes_fairly_under_preset_current) {
  begin(scheduling::preset::current);
  forty_and_fifty();
}

TEST_F(preemption, higher_class_takes_the_room_of_a_lower_one) {
  begin();
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

TEST_F(preemption, default_class_is_not_preempted_for_balance) {
  begin();
  add_agent("c", {node_of("n", 2)});
  submit("a", {.count = 2});
  pass();
  submit("b", {.count = 2});
  pass(5s);
  EXPECT_EQ(count("a", api::RUNNING), 2);
  EXPECT_EQ(count("b", api::QUEUED), 2);
}

}  // namespace argosy::tests
