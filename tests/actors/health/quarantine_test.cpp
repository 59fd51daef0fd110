// SPDX-License-Identifier: Apache-2.0
// Goal: a node that fails runs or refuses starts gets no jobs for a while, so that it costs no job,
// and users' own failures slow their queue alone. Method: scripted agents that refuse all starts or
// lose runs, beside some that do not, in virtual time.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct quarantined_nodes : control_plane_test {};

TEST_F(quarantined_nodes, are_tried_again_after_the_period) {
  start([](actors::root_config& with) { with.node_rules.quarantine_period = 60s; });
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 5)});
  model::run_outcome lost;
  lost.reason = model::reason_lost;
  lost.message = "the shim was killed";
  const auto end_all = [&](run_phase phase, const model::run_outcome& outcome) {
    while (!agent->live.empty())
      agent.end(to_string(agent->live.begin()->first.job), phase, outcome);
    pass();
  };
  for (int i = 0; i < 20 && nodes().at("c/n").state() == "ready"; ++i) {
    submit("a");
    pass();
    end_all(run_phase::failed, lost);
  }
  ASSERT_EQ(nodes().at("c/n").state(), "quarantined");
  EXPECT_THAT(nodes().at("c/n").reason(), HasSubstr("were refused or lost; the last: "));
  end_all(run_phase::failed, lost);
  submit("a");
  pass(55s);
  EXPECT_EQ(count("a", api::RUNNING), 0);
  pass(5s);
  EXPECT_GT(count("a", api::RUNNING), 0);
  end_all(run_phase::succeeded, {});
  EXPECT_EQ(nodes().at("c/n").state(), "ready");
  EXPECT_EQ(nodes().at("c/n").reason(), "");
}

TEST_F(quarantined_nodes, are_told_apart_from_those_out_of_contact) {
  start([](actors::root_config& with) { with.node_rules.quarantine_period = 1h; });
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 1)});
  agent->refuses_starts = true;
  const auto id = submit("a").at(0);
  pass(12s);
  ASSERT_EQ(nodes().at("c/n").state(), "quarantined");
  agent->silent = true;
  pass(20s);
  ASSERT_EQ(nodes().at("c/n").state(), "silent");
  EXPECT_THAT(describe(id).reason_lines(),
              Contains(HasSubstr("pool default: 1 node takes no new jobs")));
}

TEST_F(quarantined_nodes, stay_so_under_a_new_leader) {
  start();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 1)});
  agent->refuses_starts = true;
  const auto id = submit("a").at(0);
  pass(12s);
  const auto before = nodes().at("c/n");
  ASSERT_EQ(before.state(), "quarantined");
  EXPECT_THAT(describe(id).reason_lines(),
              Contains(HasSubstr("pool default: 1 node is quarantined")));
  crash();
  start();
  reconnect_agents();
  pass(2s);
  const auto after = nodes().at("c/n");
  EXPECT_EQ(after.state(), "quarantined");
  EXPECT_EQ(after.quarantined_until_ns(), before.quarantined_until_ns());
  EXPECT_EQ(after.reason(), before.reason());
  EXPECT_EQ(agent.begun(id), 3) << "nothing was placed there meanwhile";
}

TEST_F(quarantined_nodes, are_not_those_where_users_commands_fail) {
  start([](actors::root_config& with) {
    auto limited = scheduling::default_config();
    limited.queue_rate = 1000;
    limited.queue_burst = 1000;
    with.scheduling = std::make_shared<const scheduling::config>(limited);
  });
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 5)});
  for (int i = 0; i < 20; ++i) {
    const auto ids = submit("a", {.count = 5});
    pass();
    for (const auto& id : ids) agent.end(id, run_phase::failed);
    pass();
  }
  EXPECT_EQ(nodes().at("c/n").state(), "ready");
  const auto queues = ask<v1::ListQueuesResponse>("Query.ListQueues", v1::ListQueuesRequest{});
  EXPECT_GT(queues.queues(0).slowed(), 0.2);
}

TEST_F(quarantined_nodes, are_not_slowed_where_queues_have_no_rate) {
  start();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 5)});
  for (int i = 0; i < 20; ++i) {
    const auto ids = submit("a", {.count = 5});
    pass();
    for (const auto& id : ids) agent.end(id, run_phase::failed);
    pass();
  }
  const auto queues = ask<v1::ListQueuesResponse>("Query.ListQueues", v1::ListQueuesRequest{});
  EXPECT_EQ(queues.queues(0).slowed(), 0) << "nothing is slowed, so nothing may be said";
}

TEST_F(quarantined_nodes, cost_no_job_when_they_refuse_every_start) {
  start();
  create_queue("a");
  auto& broken = add_agent("broken", {node_of("n", 20)});
  broken->refuses_starts = true;
  auto& sound = add_agent("sound", {node_of("n", 20)});
  submit("a", {.count = 200});
  for (int i = 0; i < 100 && count("a", api::SUCCEEDED) < 200; ++i) {
    pass(1s);
    while (!sound->live.empty())
      sound.end(to_string(sound->live.begin()->first.job), run_phase::succeeded);
    pass();
  }
  EXPECT_EQ(count("a", api::FAILED), 0);
  EXPECT_EQ(count("a", api::SUCCEEDED), 200);
}

TEST_F(quarantined_nodes, are_tried_less_and_less_often_until_a_start_succeeds) {
  start();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 1)});
  agent->refuses_starts = true;
  const auto id = submit("a").at(0);
  pass(20s);
  EXPECT_EQ(nodes().at("c/n").state(), "quarantined");
  EXPECT_EQ(agent.begun(id), 3);
  pass(20s);
  EXPECT_EQ(agent.begun(id), 4) << "after 30 s";
  pass(50s);
  EXPECT_EQ(agent.begun(id), 4);
  pass(20s);
  EXPECT_EQ(agent.begun(id), 5) << "after another 60 s";
  EXPECT_EQ(job(id).state(), api::QUEUED);
  agent->refuses_starts = false;
  pass(130s);
  EXPECT_EQ(nodes().at("c/n").state(), "ready");
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(job(id).run(), 6U);
}

}  // namespace argosy::tests
