// SPDX-License-Identifier: Apache-2.0
// Goal: the EXECUTOR writes before it acts, keeps speaking to its CLUSTER, and survives the loss of
// either the CLUSTER or itself.
#include "tests/actors/executor/changing_nodes.hpp"
#include "tests/actors/executor/executor_fixture.hpp"

namespace argosy::actors {

using executor_test = executor_fixture;

TEST_F(executor_test, says_hello_and_renews) {
  bool ready = false;
  spawn([&](auto& with) { with.on_ready = [&] { ready = true; }; });
  EXPECT_TRUE(ready);
  ASSERT_EQ(script->hellos.size(), 1u);
  EXPECT_EQ(script->hellos[0].cluster.incarnation, own_incarnation);
  EXPECT_EQ(script->hellos[0].nodes.size(), 2u);
  pass(10s);
  EXPECT_EQ(script->heartbeats, 5);
  EXPECT_EQ(script->hellos.size(), 1u);
}

TEST_F(executor_test, tells_of_nodes_that_have_come_at_once) {
  changing_nodes* changing = nullptr;
  spawn([&](executor_actor_config& with) { with.make_backend = make_changing_nodes(changing); });
  ASSERT_EQ(script->hellos.size(), 1U);
  EXPECT_EQ(script->hellos.back().nodes.size(), 1U);
  changing->now.push_back({"n-2", {}, {}, {}, {}, false});
  changing->tell();
  settle();
  ASSERT_EQ(script->hellos.size(), 2U);
  EXPECT_EQ(script->hellos.back().nodes.size(), 2U);
  const auto tell = changing->tell;
  kill_executor();
  tell();
}

TEST_F(executor_test, goes_on_while_its_backend_reads_output) {
  changing_nodes* slow = nullptr;
  spawn([&](executor_actor_config& with) { with.make_backend = make_changing_nodes(slow); });
  caf::scoped_actor asker{system};
  asker->send(executor, atom::read_log_v, model::log_request{});
  asker->send(executor, atom::read_log_v, model::log_request{});
  settle();
  ASSERT_EQ(slow->readers.size(), 2U) << "the first question holds up nothing";
  slow->readers[1](fail(ec::not_found, "gone"));
  slow->readers[0](model::log_chunk{"hello", 5, false});
  settle();
  std::vector<std::string> answers;
  for (int i = 0; i < 2; ++i)
    asker->receive([&](const native::log_chunk_ptr& chunk) { answers.push_back(chunk->data); },
                   [&](const caf::error& why) { answers.push_back(from_caf(why).detail); },
                   caf::after(0s) >> [] {});
  EXPECT_EQ(answers, (std::vector<std::string>{"gone", "hello"}));
}

TEST_F(executor_test, runs_a_job_and_reports_each_phase_once) {
  spawn();
  EXPECT_EQ(give({{1}, {order(1)}, {}}), std::nullopt);
  EXPECT_EQ(give({{1}, {order(1)}, {}}), std::nullopt);
  pass(3s);
  EXPECT_EQ(reported(),
            (std::vector{run_phase::pending, run_phase::running, run_phase::succeeded}));
  EXPECT_EQ(script->reports[2].sequence, 3u);
  EXPECT_EQ(script->reports[2].queue, "q");
}

TEST_F(executor_test, refuses_orders_of_a_lower_epoch) {
  spawn();
  EXPECT_EQ(give({{3}, {}, {}}), std::nullopt);
  const auto refused = give({{2}, {order(1)}, {}});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ec::fenced);
}

TEST_F(executor_test, leaves_orders_for_another_agent_of_its_name_alone) {
  spawn();
  const auto refused = give({{1}, {order(1)}, {}, 0, own_incarnation.next()});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ec::conflict);
  pass(2s);
  EXPECT_TRUE(script->reports.empty());
}

TEST_F(executor_test, ends_when_its_lease_has_lapsed_if_another_agent_took_its_name) {
  std::optional<error> failure;
  bool outdated = false;
  spawn([&](auto& with) {
    with.on_outdated = [&] { outdated = true; };
    with.on_failure = [&](const error& why) {
      failure = why;
      backend = nullptr;
    };
  });
  give({{1}, {order(1, "1h")}, {}});
  pass(1s);
  script->superseded = true;
  pass(50s);
  EXPECT_EQ(script->heartbeats, 0) << "it has been told";
  EXPECT_FALSE(failure) << "its lease of a minute has not lapsed";
  const auto refused = give({{1}, {order(2)}, {}});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ec::conflict);
  pass(12s);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ec::conflict);
  EXPECT_FALSE(outdated) << "the other one came while it served";
  EXPECT_NE(failure->detail.find("give each agent a cluster name of its own"), std::string::npos)
      << failure->detail;
  EXPECT_EQ(script->goodbyes, 0);
  EXPECT_EQ(reported(), (std::vector{run_phase::pending, run_phase::running}));
}

TEST_F(executor_test, ends_at_once_if_nothing_runs_when_another_agent_took_its_name) {
  std::optional<error> failure;
  bool outdated = false;
  script->superseded = true;
  spawn([&](auto& with) {
    with.on_outdated = [&] { outdated = !failure; };
    with.on_failure = [&](const error& why) { failure = why; };
  });
  ASSERT_TRUE(failure);
  EXPECT_TRUE(outdated) << "it has served nobody";
  EXPECT_EQ(failure->code, ec::conflict);
  EXPECT_TRUE(script->hellos.empty());
}

TEST_F(executor_test, starts_nothing_that_it_cannot_record) {
  std::optional<error> failure;
  spawn([&](auto& with) { with.on_failure = [&](const error& why) { failure = why; }; });
  database->fail_next_commit({ec::out_of_space, "full"});
  const auto refused = give({{1}, {order(1)}, {}});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ec::out_of_space);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ec::out_of_space);
  EXPECT_TRUE(script->reports.empty());
}

TEST_F(executor_test, keeps_reports_until_the_control_plane_is_back) {
  spawn();
  give({{1}, {order(1)}, {}});
  script->silent = true;
  pass(5s);
  EXPECT_TRUE(script->reports.empty());
  script->silent = false;
  pass(3s);
  EXPECT_EQ(script->hellos.size(), 2u);
  EXPECT_EQ(reported(),
            (std::vector{run_phase::pending, run_phase::running, run_phase::succeeded}));
}

TEST_F(executor_test, reports_after_its_own_death_what_was_left) {
  script->commits = false;
  spawn();
  give({{1}, {order(1), order(2, "1h")}, {}});
  pass(3s);
  kill_executor();
  script->commits = true;
  spawn();
  pass(1s);
  ASSERT_EQ(script->hellos.size(), 2u);
  EXPECT_EQ(script->hellos[1].cluster.incarnation, own_incarnation);
  EXPECT_EQ(script->hellos[1].runs.size(), 2u);
  ASSERT_EQ(script->reports.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(script->reports[i].sequence, i + 1);
  EXPECT_EQ(script->reports[4].phase, run_phase::succeeded);
  EXPECT_EQ(script->reports[5].phase, run_phase::refused);
  EXPECT_EQ(script->reports[5].run, order(2).run);
}

TEST_F(executor_test, stops_a_run) {
  spawn();
  give({{1}, {order(1, "1h")}, {}});
  pass(1s);
  model::stop_run stop;
  stop.run = order(1).run;
  stop.cause = model::stop_cause::cancel;
  stop.reason = "enough";
  give({{1}, {}, {stop}});
  pass(1s);
  EXPECT_EQ(script->reports.back().phase, run_phase::stopped);
  EXPECT_EQ(script->reports.back().outcome.message, "enough");
}

TEST_F(executor_test, refuses_a_specification_that_does_not_decode) {
  spawn();
  auto broken = order(1);
  broken.spec = std::make_shared<const std::string>("\xff\xff\xff");
  give({{1}, {broken}, {}});
  pass(1s);
  ASSERT_EQ(script->reports.size(), 1u);
  EXPECT_EQ(script->reports[0].phase, run_phase::refused);
}

}  // namespace argosy::actors
