// SPDX-License-Identifier: Apache-2.0
// Goal: an actor that does not answer stops nobody else: rounds go on without it, give nothing of
// its away, and take it up again when it answers. Method: a control plane in virtual time of which
// one actor is held after each possible number of scheduling steps.
#include <gmock/gmock.h>

#include <caf/event_based_actor.hpp>
#include <set>

#include "actors/interfaces/state/queue.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct silent : control_plane_test {
  silent() {
    start();
    create_queue("stuck");
    create_queue("b");
    stuck = queue_named("stuck");
  }
  ~silent() override {
    let_go_on(stuck);
    stuck = nullptr;
  }

  std::vector<caf::actor> alive(const std::string& type) {
    std::vector<caf::actor> out;
    for (const auto& actor : trace::live_actors(system))
      if (actor.type == type) out.push_back(caf::actor_cast<caf::actor>(actor.handle));
    return out;
  }
  caf::actor queue_named(const std::string& name) {
    caf::actor out;
    for (const auto& each : alive("argosy.queue"))
      system.spawn([&out, &name, each](caf::event_based_actor* self) {
        self->request(caf::actor_cast<actors::queue_actor>(each), 1s, atom::status_v)
            .then([&out, &name, each](const native::queue_status_ptr& status) {
              if (status->settings.name == name) out = each;
            });
      });
    settle();
    return out;
  }
  /// Runs so many steps, also of a few cycles. Returns false if all came to rest before.
  bool run_steps(int steps) {
    int pauses = 0;
    for (int i = 0; i < steps; ++i)
      if (!run_one()) {
        if (++pauses > 3) return false;
        scheduler.advance_time(20ms);
      }
    return true;
  }
  void send_submit(const std::string& queue, const job_wish& wish = {}) {
    client->request("argosy.api.Submit.SubmitJobs", make_submit(queue, wish).SerializeAsString(),
                    {}, 60s, [](const result<bus::frame>&) {});
  }

  caf::actor stuck;
};

TEST_F(silent, a_queue_does_not_stop_the_others) {
  add_agent("c", {node_of("n", 16)});
  const auto waiting = submit("stuck", {.cpu = "32"}).at(0);
  pass(1s);
  send_submit("stuck");
  for (int i = 0; i < 30; ++i) run_one();
  hold(stuck);
  pass(1s);
  send_submit("b", {.count = 3});
  pass(4s);
  EXPECT_EQ(count("b", api::RUNNING), 3);
  send_submit("b");
  pass(1s);
  EXPECT_EQ(count("b", api::RUNNING), 4) << "once it is known to be silent nobody waits for it";
  EXPECT_THAT(describe(waiting).summary().reason(), HasSubstr("has not answered the rounds since"));
  const auto concerns = ask<v1::GetVersionResponse>("Query.GetVersion", v1::GetVersionRequest{});
  ASSERT_EQ(concerns.concerns_size(), 1);
  EXPECT_THAT(concerns.concerns(0).text(), HasSubstr("queue stuck has not answered since"));
  let_go_on(stuck);
  pass(2s);
  EXPECT_EQ(count("stuck", api::QUEUED), 1);
  EXPECT_EQ(count("stuck", api::RUNNING), 1);
  EXPECT_THAT(describe(waiting).summary().reason(), ::testing::Not(HasSubstr("answered")));
}

/// Whatever the queue was doing when it became silent, its room is not given away, its jobs run
/// once, and it goes on when it answers.
TEST_F(silent, a_queue_loses_nothing_wherever_it_was_held) {
  auto& agent = add_agent("c", {node_of("n", 2)});
  int steps = 0;
  std::size_t total = 0;
  for (bool more = true; more && steps < 300; ++steps) {
    send_submit("stuck");
    more = run_steps(steps);
    hold(stuck);
    pass(3s);
    send_submit("b", {.count = 2});
    pass(5s);
    ASSERT_LE(agent->live.size(), 2U) << "held after " << steps << " steps";
    ASSERT_GE(agent->live.size(), 1U) << "held after " << steps << " steps";
    let_go_on(stuck);
    pass(3s);
    ASSERT_EQ(agent->live.size(), 2U) << "held after " << steps << " steps";
    // All jobs run, each once, two at a time.
    std::set<std::string> ended;
    while (!agent->live.empty()) {
      const auto job = to_string(agent->live.begin()->first.job);
      ASSERT_TRUE(ended.insert(job).second) << "held after " << steps << " steps";
      agent.end(job, run_phase::succeeded);
      pass(2s);
    }
    ASSERT_EQ(count("stuck", api::QUEUED) + count("b", api::QUEUED), 0)
        << "held after " << steps << " steps";
    total += ended.size();
  }
  EXPECT_GT(steps, 20);
  EXPECT_GT(total, 5 * static_cast<std::size_t>(steps) / 2) << "most requests of users succeeded";
}

TEST_F(silent, a_node_stops_nobody_wherever_it_was_held) {
  auto& agent = add_agent("c", {node_of("m", 1), node_of("n", 1)});
  pass(1s);
  const auto node = alive("argosy.node").at(0);
  int steps = 0;
  for (bool more = true; more && steps < 300; ++steps) {
    agent->nodes = {node_of("m", 2 + steps % 2), node_of("n", 2 + steps % 2)};
    agent.tell_nodes();
    more = run_steps(steps);
    hold(node);
    pass(3s);
    send_submit("b", {.count = 2});
    pass(3s);
    ASSERT_EQ(agent->live.size(), 2U) << "held after " << steps << " steps";
    let_go_on(node);
    while (!agent->live.empty()) {
      agent.end(to_string(agent->live.begin()->first.job), run_phase::succeeded);
      pass(1s);
    }
    send_submit("b", {.count = 2, .cpu = "2"});
    pass(1s);
    ASSERT_EQ(agent->live.size(), 2U) << "both nodes take jobs, after " << steps << " steps";
    while (!agent->live.empty()) {
      agent.end(to_string(agent->live.begin()->first.job), run_phase::succeeded);
      pass(1s);
    }
  }
  EXPECT_GT(steps, 5);
}

TEST_F(silent, a_queue_whose_runs_nobody_knows_is_waited_for) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto runs = submit("stuck").at(0);
  pass(2s);
  ASSERT_TRUE(agent.has(runs));
  crash();
  start();
  stuck = queue_named("stuck");
  hold(stuck);
  reconnect_agents();
  pass(5s);
  send_submit("b");
  pass(20s);
  EXPECT_EQ(count("b", api::QUEUED), 1) << "there may be no room";
  EXPECT_EQ(agent->live.size(), 1U);
  let_go_on(stuck);
  pass(2s);
  agent.end(runs, run_phase::succeeded);
  pass(2s);
  EXPECT_EQ(count("b", api::RUNNING), 1);
}

/// What people ask is answered by another actor than the one that runs the cycle.
TEST_F(silent, one_who_explains_delays_no_round) {
  auto& agent = add_agent("c", {node_of("n", 4)});
  submit("b", {.cpu = "8"});
  pass(1s);
  const auto explainer = alive("argosy.explainer").at(0);
  hold(explainer);
  for (int i = 0; i < 100; ++i)
    client->request("argosy.api.SchedulerReporting.GetSchedulingReport", {}, {}, 60s,
                    [](const result<bus::frame>&) {});
  pass(1s);
  send_submit("b");
  pass(1s);
  EXPECT_EQ(agent->live.size(), 1U);
  let_go_on(explainer);
  pass(1s);
}

}  // namespace argosy::tests
