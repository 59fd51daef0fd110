// SPDX-License-Identifier: Apache-2.0
// Goal: an EXECUTOR whose backend waits for its cluster tells its control plane why, starts
// nothing, and adopts its runs once the cluster has told of them.
// Method: a backend that becomes ready when the test says so.
#include "tests/actors/executor/changing_nodes.hpp"
#include "tests/actors/executor/executor_fixture.hpp"

namespace argosy::actors {

using executor_waiting = executor_fixture;

TEST_F(executor_waiting, says_hello_with_its_trouble_while_it_waits_for_its_cluster) {
  changing_nodes* late = nullptr;
  bool is_ready = false;
  std::string told;
  spawn([&](executor_actor_config& with) {
    with.on_ready = [&] { is_ready = true; };
    with.on_trouble = [&](const auto& trouble) { told = trouble.why; };
    with.make_backend = make_changing_nodes(late, [](auto& made) {
      made.ready = false;
      made.now.clear();
    });
  });
  EXPECT_EQ(script->hellos.size(), 0U) << "it may answer in a moment";
  pass(3s);
  ASSERT_EQ(script->hellos.size(), 1U);
  EXPECT_EQ(script->hellos[0].trouble.why, "it does not answer");
  EXPECT_TRUE(script->hellos[0].nodes.empty());
  EXPECT_EQ(told, "it does not answer");
  EXPECT_FALSE(is_ready);
  EXPECT_TRUE(late->adopted.empty());
  pass(10s);
  EXPECT_GT(script->heartbeats, 2) << "it stays in contact";
  model::agent_orders orders;
  orders.epoch = {1};
  orders.incarnation = own_incarnation;
  orders.start.push_back(order(1));
  const auto refused = give(orders);
  ASSERT_TRUE(refused) << "it does not know yet which runs there are";
  EXPECT_EQ(refused->code, ec::unavailable);
  late->ready = true;
  late->now.push_back({"n-1", {}, {}, {}, {}, false});
  late->tell();
  settle();
  EXPECT_EQ(late->adopted.size(), 1U);
  EXPECT_TRUE(is_ready);
  EXPECT_EQ(told, "");
  EXPECT_EQ(script->hellos.back().trouble.why, "");
  EXPECT_EQ(script->hellos.back().nodes.size(), 1U);
  EXPECT_FALSE(give(orders));
  settle();
  EXPECT_EQ(late->started, 1);
  late->tell();
  settle();
  EXPECT_EQ(late->adopted.size(), 1U) << "once";
}

/// Whoever may create pods could tell it otherwise to which control plane it belongs.
TEST_F(executor_waiting, asks_to_whom_it_belongs_before_it_takes_over_what_others_have_left) {
  changing_nodes* heir = nullptr;
  const auto spawn_heir = [&] {
    spawn([&](executor_actor_config& with) {
      with.make_backend = make_changing_nodes(heir, [](auto& made) { made.left = true; });
    });
  };
  script->control_plane = "ours";
  script->silent = true;
  spawn_heir();
  EXPECT_TRUE(heir->adopted.empty());
  script->silent = false;
  pass(10s);
  ASSERT_EQ(script->hellos.size(), 2U);
  EXPECT_THAT(script->hellos[0].trouble.why, ::testing::HasSubstr("to which control plane"));
  EXPECT_FALSE(script->hellos[0].all_runs);
  EXPECT_EQ(script->hellos[1].trouble.why, "");
  EXPECT_EQ(heir->adopted.size(), 1U);
  EXPECT_EQ(heir->inherits_of, "ours");
  kill_executor();
  script->hellos.clear();
  spawn_heir();
  EXPECT_EQ(script->hellos.size(), 1U) << "it knows that from its disk";
  EXPECT_EQ(heir->adopted.size(), 1U);
}

TEST_F(executor_waiting, has_no_trouble_with_a_cluster_that_tells_of_its_runs_soon) {
  changing_nodes* late = nullptr;
  spawn([&](executor_actor_config& with) {
    with.make_backend = make_changing_nodes(late, [](auto& made) { made.ready = false; });
  });
  pass(1s);
  late->ready = true;
  late->tell();
  settle();
  ASSERT_EQ(script->hellos.size(), 1U);
  EXPECT_EQ(script->hellos[0].trouble.why, "");
}

}  // namespace argosy::actors
