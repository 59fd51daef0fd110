// SPDX-License-Identifier: Apache-2.0
// Goal: an EXECUTOR that is told to end leaves its runs as it is told, and says goodbye once, as
// somebody whom its CLUSTER knows.
#include <algorithm>

#include "tests/actors/executor/executor_fixture.hpp"

namespace argosy::actors {

using leaving_executor = executor_fixture;

TEST_F(leaving_executor, leaves_with_a_goodbye_and_lets_runs_be) {
  spawn();
  give({{1}, {order(1, "1h")}, {}});
  pass(1s);
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::keep);
  settle();
  EXPECT_EQ(script->goodbyes, 1);
  for (const auto& report : script->reports) EXPECT_FALSE(is_final(report.phase));
}

TEST_F(leaving_executor, reports_first_what_it_was_gathering) {
  spawn();
  std::vector<model::start_run> orders;
  for (std::uint8_t job = 1; job <= 6; ++job) orders.push_back(order(job, "1h"));
  give({{1}, orders, {}});
  pass(1s);
  // Each of these is told on its own, until no token is left for the last ones.
  for (std::uint8_t job = 1; job <= 6; ++job) {
    model::stop_run stop;
    stop.run = orders[job - 1u].run;
    give({{1}, {}, {stop}});
    backend->advance(clock.boot());
    settle();
  }
  const auto told = std::ranges::count_if(reported(), [](auto phase) { return is_final(phase); });
  ASSERT_LT(told, 6);
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::keep);
  settle();
  EXPECT_EQ(std::ranges::count_if(reported(), [](auto phase) { return is_final(phase); }), 6);
  EXPECT_EQ(script->goodbyes, 1);
}

TEST_F(leaving_executor, says_goodbye_though_its_hello_was_not_answered) {
  script->answers_lost = true;
  spawn();
  settle();
  ASSERT_EQ(script->hellos.size(), 1u);
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::keep);
  settle();
  EXPECT_EQ(script->goodbyes, 1);
}

TEST_F(leaving_executor, says_goodbye_as_whom_the_answer_to_its_first_hello_names) {
  script->answers_late = true;
  spawn([](auto& with) { with.memory.facts.incarnation = {}; });
  settle();
  ASSERT_EQ(script->hellos.size(), 1u);
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::keep);
  settle();
  EXPECT_EQ(script->goodbyes, 0) << "nobody would know who says it";
  caf::anon_send(session, atom::heartbeat_v, model::agent_heartbeat{});
  settle();
  EXPECT_EQ(script->left, std::vector{late_incarnation});
}

TEST_F(leaving_executor, leaves_though_its_first_hello_is_never_answered) {
  script->answers_late = true;
  spawn([](auto& with) { with.memory.facts.incarnation = {}; });
  settle();
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::keep);
  settle();
  EXPECT_EQ(script->goodbyes, 0);
  advance(1s);
  EXPECT_EQ(script->goodbyes, 1);
}

TEST_F(leaving_executor, stops_its_runs_first_when_asked) {
  spawn();
  give({{1}, {order(1, "1h")}, {}});
  pass(1s);
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::stop);
  settle();
  EXPECT_EQ(script->goodbyes, 0);
  backend->advance(clock.boot());
  settle();
  EXPECT_EQ(script->reports.back().phase, run_phase::stopped);
  EXPECT_EQ(script->goodbyes, 1);
}

TEST_F(leaving_executor, starts_nothing_while_it_stops_its_runs) {
  script->answers_lost = true;
  spawn();
  give({{1}, {order(1, "1h")}, {}});
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::stop);
  settle();
  script->answers_lost = false;
  pass(1900ms);
  EXPECT_EQ(reported(), std::vector{run_phase::refused});
  EXPECT_EQ(script->goodbyes, 1) << "there is nothing to wait for";
}

TEST_F(leaving_executor, starts_no_run_whose_record_was_under_way_when_it_stopped) {
  spawn();
  const model::agent_orders orders{{1}, {order(1, "1h")}, {}, 0, own_incarnation};
  caf::anon_send(executor, atom::orders_v,
                 native::orders_ptr{std::make_shared<const model::agent_orders>(orders)});
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::stop);
  settle();
  EXPECT_EQ(reported(), std::vector{run_phase::refused});
  EXPECT_EQ(script->goodbyes, 1);
}

TEST_F(leaving_executor, does_not_wait_for_ever_for_its_runs) {
  spawn([](auto& with) { with.stop_deadline = 2s; });
  script->commits = false;
  give({{1}, {order(1, "1h")}, {}});
  caf::anon_send(executor, atom::shutdown_v, ledger::runs_at_shutdown::stop);
  advance(1s);
  EXPECT_EQ(script->goodbyes, 0);
  advance(2s);
  EXPECT_EQ(script->goodbyes, 1);
}

}  // namespace argosy::actors
