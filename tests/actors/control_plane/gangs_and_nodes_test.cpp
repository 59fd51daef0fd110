// SPDX-License-Identifier: Apache-2.0
// Goal: gangs start and end as a whole, and NODEs follow what their cluster says.
// Method: a control plane in virtual time with scripted agents; messages are crossed on purpose.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

struct gangs : control_plane_test {
  gangs() {
    start();
    create_queue("a");
  }
  std::ptrdiff_t alive(const std::string& type) {
    const auto all = trace::live_actors(system);
    return std::count_if(all.begin(), all.end(),
                         [&](const trace::live_actor& actor) { return actor.type == type; });
  }
};
struct cluster_nodes : gangs {};

TEST_F(gangs, submitted_in_two_requests_starts_as_a_whole) {
  auto& agent = add_agent("c", {node_of("n", 2), node_of("m", 2)});
  submit("a", {.count = 2, .gang = "g", .cardinality = 3});
  pass(3s);
  EXPECT_EQ(count("a", api::QUEUED), 2);
  EXPECT_TRUE(agent->begun.empty());
  EXPECT_THAT(describe(jobs("a")[0].job_id()).summary().reason(), HasSubstr("member"));
  submit("a", {.gang = "g", .cardinality = 3});
  pass();
  EXPECT_EQ(count("a", api::RUNNING), 3);
  EXPECT_EQ(agent->begun.size(), 3U);
  EXPECT_EQ(alive("argosy.gang"), 1);
  for (const auto& one : jobs("a")) agent.end(one.job_id(), run_phase::succeeded);
  pass();
  EXPECT_EQ(count("a", api::SUCCEEDED), 3);
  EXPECT_EQ(alive("argosy.gang"), 0);
}

TEST_F(gangs, wait_for_members_only_while_some_are_missing) {
  submit("a", {.count = 2, .gang = "half", .cardinality = 3});
  // Nothing has been looked at yet within the gap between two cycles.
  const auto whole = submit("a", {.count = 3, .gang = "whole", .cardinality = 3}).at(0);
  const auto single = submit("a").at(0);
  EXPECT_THAT(describe(whole).summary().reason(), HasSubstr("looked at"));
  EXPECT_THAT(describe(single).summary().reason(), HasSubstr("looked at"));
  pass(2s);
  for (const auto& one : jobs("a")) {
    const auto reason = describe(one.job_id()).summary().reason();
    if (one.gang() == "half")
      EXPECT_THAT(reason, HasSubstr("2 of the 3 members of its gang are there"));
    else
      EXPECT_THAT(reason, Not(AnyOf(HasSubstr("member"), HasSubstr("looked at"))));
  }
}

TEST_F(gangs, whose_annotation_asks_for_a_minimum_start_without_the_members_that_do_not_fit) {
  const auto submit_with = [&](const std::string& gang, const char* minimum) {
    auto request = make_submit("a", {.count = 3, .gang = gang, .cardinality = 3});
    for (auto& item : *request.mutable_job_request_items())
      if (minimum != nullptr)
        (*item.mutable_annotations())["armadaproject.io/gangMinimumCardinality"] = minimum;
    return ask<api::JobSubmitResponse>("Submit.SubmitJobs", request);
  };
  add_agent("c", {node_of("n", 2)});
  EXPECT_EQ(submit_with("whole", nullptr).job_response_items_size(), 3);
  pass(2s);
  EXPECT_EQ(count("a", api::QUEUED), 3) << "without the annotation all members are the minimum";
  EXPECT_EQ(submit_with("part", "2").job_response_items_size(), 3);
  pass(2s);
  std::map<api::JobState, int> part;
  for (const auto& one : jobs("a"))
    if (one.gang() == "part") ++part[one.state()];
  EXPECT_EQ(part, (std::map<api::JobState, int>{{api::RUNNING, 2}, {api::REJECTED, 1}}));
  EXPECT_EQ(count("a", api::QUEUED), 3);
}

TEST_F(gangs, that_does_not_fit_as_a_whole_waits) {
  auto& agent = add_agent("c", {node_of("n", 2)});
  submit("a", {.count = 3, .gang = "g", .cardinality = 3});
  pass(2s);
  EXPECT_EQ(count("a", api::QUEUED), 3);
  EXPECT_TRUE(agent->begun.empty());
  add_agent("d", {node_of("n", 1)});
  pass(2s);
  EXPECT_EQ(count("a", api::RUNNING), 3);
}

TEST_F(gangs, whose_members_do_not_come_are_told_and_end) {
  const auto half = submit("a", {.count = 2, .gang = "half", .cardinality = 3});
  auto request = make_submit("a", {.count = 3, .gang = "lost", .cardinality = 3});
  for (auto& item : *request.mutable_job_request_items())
    (*item.mutable_annotations())["armadaproject.io/gangMinimumCardinality"] = "2";
  const auto lost = ask<api::JobSubmitResponse>("Submit.SubmitJobs", request);
  api::JobCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  cancel.add_job_ids(lost.job_response_items(0).job_id());
  ASSERT_TRUE(call("Submit.CancelJobs", cancel));
  add_agent("c", {node_of("n", 4)});
  pass(2s);
  EXPECT_EQ(count("a", api::RUNNING), 0);
  EXPECT_THAT(jobs("a")[0].reason(), HasSubstr("within 10 min, "));
  pass(11min);
  EXPECT_EQ(count("a", api::RUNNING), 2);
  EXPECT_THAT(describe(half[0]).summary().reason(), HasSubstr("only 2 of the 3 members"));
}

TEST_F(gangs, survive_a_restart_half_submitted) {
  add_agent("c", {node_of("n", 4)});
  submit("a", {.count = 2, .gang = "g", .cardinality = 3});
  crash();
  start();
  reconnect_agents();
  pass(2s);
  EXPECT_EQ(count("a", api::QUEUED), 2);
  submit("a", {.gang = "g", .cardinality = 3});
  pass();
  EXPECT_EQ(count("a", api::RUNNING), 3);
}

TEST_F(gangs, id_that_is_used_again_while_the_last_member_ends) {
  create_queue("b");
  auto& agent = add_agent("c", {node_of("n", 4)});
  const auto first = submit("a", {.count = 2, .gang = "g", .cardinality = 2});
  pass();
  // While the log hangs, the ends and the new members gather and become one batch.
  log->set_broken(error{ec::unreachable, "no server"});
  bool other_answered = false;
  client->request("argosy.api.Submit.SubmitJobs",
                  make_submit("b", {.cpu = "64"}).SerializeAsString(), {}, 10s,
                  [&](const result<bus::frame>& reply) { other_answered = reply.has_value(); });
  settle();
  for (const auto& id : first) agent.end(id, run_phase::succeeded);
  settle();
  bool answered = false;
  client->request("argosy.api.Submit.SubmitJobs",
                  make_submit("a", {.count = 2, .gang = "g", .cardinality = 2}).SerializeAsString(),
                  {}, 10s, [&](const result<bus::frame>& reply) { answered = reply.has_value(); });
  settle();
  EXPECT_FALSE(other_answered || answered);
  log->set_broken({});
  pass(3s);
  EXPECT_TRUE(other_answered && answered);
  EXPECT_EQ(count("a", api::SUCCEEDED), 2);
  EXPECT_EQ(count("a", api::RUNNING), 2);
  EXPECT_EQ(alive("argosy.gang"), 1);
}

TEST_F(gangs, cancelled_members_end_and_leave_no_actor) {
  submit("a", {.count = 2, .gang = "g", .cardinality = 3});
  EXPECT_EQ(alive("argosy.gang"), 1);
  api::JobSetCancelRequest request;
  request.set_queue("a");
  request.set_job_set_id("set");
  ASSERT_TRUE(call("Submit.CancelJobSet", request));
  pass();
  EXPECT_EQ(count("a", api::CANCELLED), 2);
  EXPECT_EQ(alive("argosy.gang"), 0);
}

TEST_F(cluster_nodes, removed_with_a_run_stays_until_the_run_ends) {
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto id = submit("a").at(0);
  pass();
  agent->nodes = {node_of("m", 2)};
  agent.hello();
  pass();
  ASSERT_TRUE(nodes().contains("c/n"));
  EXPECT_EQ(nodes().at("c/n").state(), "gone");
  EXPECT_EQ(nodes().at("c/n").runs(), 1U);
  EXPECT_EQ(nodes().at("c/m").state(), "ready");
  agent.end(id, run_phase::succeeded);
  pass(2s);
  EXPECT_FALSE(nodes().contains("c/n"));
  EXPECT_EQ(alive("argosy.node"), 1);
}

TEST_F(cluster_nodes, removed_and_back_before_its_run_ends) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto id = submit("a").at(0);
  pass();
  agent->nodes = {};
  agent.hello();
  pass();
  agent->nodes = {node_of("n", 1)};
  agent.hello();
  pass();
  EXPECT_EQ(nodes().at("c/n").state(), "ready");
  EXPECT_EQ(nodes().at("c/n").runs(), 1U);
  EXPECT_EQ(alive("argosy.node"), 1);
  // The room is taken until the run ends.
  const auto next = submit("a").at(0);
  pass(2s);
  EXPECT_EQ(job(next).state(), api::QUEUED);
  agent.end(id, run_phase::succeeded);
  pass();
  EXPECT_EQ(job(next).state(), api::RUNNING);
}

TEST_F(cluster_nodes, removed_and_back_at_once) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  for (int i = 0; i < 3; ++i) {
    agent->nodes = {};
    agent.hello();
    agent->nodes = {node_of("n", 1)};
    agent.hello();
  }
  pass();
  const auto id = submit("a").at(0);
  pass();
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(alive("argosy.node"), 1);
}

TEST_F(cluster_nodes, follow_their_cluster_to_another_pool) {
  auto& agent = add_agent("c", {node_of("n", 2)});
  agent->cluster.pool = "other";
  agent.hello();
  pass();
  EXPECT_EQ(nodes().at("c/n").pool(), "other");
  const auto id = submit("a").at(0);
  pass();
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(job(id).pool(), "other");
}

TEST_F(cluster_nodes, come_without_a_hello) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto ids = submit("a", {.count = 3});
  pass();
  EXPECT_EQ(count("a", api::RUNNING), 1);
  agent->nodes = {node_of("n", 1), node_of("m", 2)};
  agent.tell_nodes();
  pass();
  EXPECT_EQ(count("a", api::RUNNING), 3);
  EXPECT_EQ(agent->hellos, 1);
}

TEST_F(cluster_nodes, of_a_silent_cluster_take_no_work) {
  auto& agent = add_agent("c", {node_of("n", 2)});
  pass(20s);
  EXPECT_EQ(nodes().at("c/n").state(), "ready");
  agent->silent = true;
  pass(20s);
  EXPECT_EQ(nodes().at("c/n").state(), "silent");
  const auto id = submit("a").at(0);
  pass(5s);
  EXPECT_EQ(job(id).state(), api::QUEUED);
  EXPECT_THAT(describe(id).reason_lines(),
              Contains(HasSubstr("pool default: 1 node takes no new jobs")));
  agent->silent = false;
  pass(5s);
  EXPECT_EQ(nodes().at("c/n").state(), "ready");
  EXPECT_EQ(job(id).state(), api::RUNNING);
}

TEST_F(cluster_nodes, runs_of_a_lost_cluster_begin_elsewhere_after_the_lease) {
  auto& lost = add_agent("c", {node_of("n", 1)});
  const auto id = submit("a").at(0);
  pass();
  EXPECT_EQ(lost.begun(id), 1);
  lost->silent = true;
  auto& other = add_agent("d", {node_of("n", 1)});
  pass(10min);
  EXPECT_EQ(other.begun(id), 0);
  pass(2min);
  EXPECT_EQ(other.begun(id), 1);
  EXPECT_EQ(job(id).run(), 2U);
  // The agent comes back and is told to stop what it still has.
  lost->silent = false;
  lost.hello();
  pass(10s);
  EXPECT_TRUE(lost->live.empty());
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_EQ(job(id).cluster(), "d");
}

TEST_F(cluster_nodes, leave_when_the_agent_says_goodbye) {
  auto& agent = add_agent("c", {node_of("n", 1)});
  agent.goodbye();
  pass(2s);
  EXPECT_TRUE(nodes().empty());
  EXPECT_EQ(alive("argosy.node"), 0);
  agent.hello();
  const auto id = submit("a").at(0);
  pass();
  EXPECT_EQ(job(id).state(), api::RUNNING);
}

}  // namespace argosy::tests
