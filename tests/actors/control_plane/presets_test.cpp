// SPDX-License-Identifier: Apache-2.0
// Goal: every preset carries jobs through all actors to their ends: single jobs and a gang, of two
// queues, with preemption for balance where the preset has it. Method: a control plane in virtual
// time under each preset; full nodes, then a second queue.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using scheduling::preset;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct presets : control_plane_test, ::testing::WithParamInterface<preset> {
  presets() {
    start([&](actors::root_config& with) {
      with.scheduling =
          std::make_shared<const scheduling::config>(scheduling::default_config(GetParam()));
      counters = with.rounds.counters;
    });
    create_queue("a");
    create_queue("b");
  }
  ~presets() override {
    EXPECT_EQ(counters->failed, 0u);
    EXPECT_EQ(counters->violations, 0u);
  }
  /// Two nodes of four cores, full of jobs of queue a, and a gang of b that needs half of them.
  scripted_agent& fill_and_submit_gang() {
    auto& agent = add_agent("c", {node_of("n1", 4), node_of("n2", 4)});
    submit("a", {.count = 8, .priority_class = "armada-preemptible"});
    pass();
    EXPECT_EQ(count("a", api::RUNNING), 8);
    submit("b", {.count = 2,
                 .cpu = "2",
                 .priority_class = "armada-preemptible",
                 .gang = "g",
                 .cardinality = 2});
    pass(20s);
    return agent;
  }
  void end_what_runs(const scripted_agent& agent, const std::string& queue) {
    for (const auto& one : jobs(queue))
      if (one.state() == api::RUNNING) agent.end(one.job_id(), run_phase::succeeded);
    pass(2s);
  }

  std::shared_ptr<const actors::round_counters> counters;
};

struct presets_that_balance : presets {};
struct presets_that_draw_lots : presets {};

TEST_P(presets_that_balance, give_a_gang_its_share_and_run_all_to_their_ends) {
  auto& agent = fill_and_submit_gang();
  EXPECT_EQ(count("a", api::RUNNING), 4);
  EXPECT_EQ(count("a", api::PREEMPTED), 4);
  EXPECT_EQ(count("b", api::RUNNING), 2);
  for (const auto& one : jobs("a")) {
    if (one.state() != api::PREEMPTED) continue;
    EXPECT_THAT(one.reason(), HasSubstr("balance"));
  }
  end_what_runs(agent, "a");
  end_what_runs(agent, "b");
  EXPECT_EQ(count("a", api::SUCCEEDED), 4);
  EXPECT_EQ(count("b", api::SUCCEEDED), 2);
  EXPECT_EQ(agent->begun.size(), 10u);
  EXPECT_EQ(counters->preemptions, 4u);
}

TEST_P(presets_that_balance, share_two_nodes_fairly) {
  auto& agent = add_agent("c", {node_of("n1", 32), node_of("n2", 32)});
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
  EXPECT_EQ(agent->begun.size(), 72U);
}

TEST_P(presets_that_draw_lots, preempt_nobody_and_run_all_to_their_ends) {
  auto& agent = fill_and_submit_gang();
  EXPECT_EQ(count("a", api::RUNNING), 8);
  EXPECT_EQ(count("b", api::QUEUED), 2);
  end_what_runs(agent, "a");
  EXPECT_EQ(count("b", api::RUNNING), 2);
  end_what_runs(agent, "b");
  EXPECT_EQ(count("a", api::SUCCEEDED), 8);
  EXPECT_EQ(count("b", api::SUCCEEDED), 2);
  EXPECT_EQ(counters->preemptions, 0u);
}

std::string name_of(const ::testing::TestParamInfo<preset>& info) {
  return std::string{scheduling::to_string(info.param)};
}

INSTANTIATE_TEST_SUITE_P(each, presets_that_balance,
                         ::testing::Values(preset::argosy, preset::current, preset::unified,
                                           preset::classic),
                         name_of);
INSTANTIATE_TEST_SUITE_P(each, presets_that_draw_lots, ::testing::Values(preset::lottery), name_of);

}  // namespace argosy::tests
