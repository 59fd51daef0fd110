// SPDX-License-Identifier: Apache-2.0
// Goal: who submits to a namespace that no cluster serves is told so, and a namespace that a
// cluster refuses to everybody costs one run for each look at it. Method: texts of boards by hand,
// and a control plane whose agent serves few namespaces or refuses all runs.
#include <gmock/gmock.h>

#include "actors/api/namespace_notes.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace std::chrono_literals;

struct closed_namespaces : control_plane_test {
  static native::submit_request request_for(const std::vector<std::string>& namespaces) {
    native::submit_request out;
    for (const auto& name : namespaces) {
      auto job = std::make_shared<model::job_header>();
      job->name_space = name;
      out.jobs.push_back(std::move(job));
    }
    return out;
  }
  void put(const model::cluster_name& cluster, std::vector<std::string> namespaces,
           std::vector<ledger::closure> closures = {}) {
    native::cluster_contact contact;
    contact.namespaces = std::move(namespaces);
    contact.closures = std::move(closures);
    board.put(cluster, contact);
  }

  native::contact_board board;
};

TEST_F(closed_namespaces, are_told_if_no_cluster_serves_them) {
  const auto one = request_for({"jobs", "mine", "jobs"});
  EXPECT_EQ(actors::namespace_note(one, {}, board), "") << "nobody knows a cluster yet";
  put("east", {"team-*"});
  put("west", {"batch"});
  EXPECT_EQ(actors::namespace_note(one, {}, board),
            "no cluster serves namespace 'jobs', so that the job waits until one does; served are "
            "batch, team-*; no cluster serves namespace 'mine', so that the job waits until one "
            "does; served are batch, team-*");
  EXPECT_EQ(actors::namespace_note(request_for({"team-a", "batch"}), {}, board), "");
  EXPECT_THAT(board.serving("team-a", "west"), ElementsAre("east"));
  EXPECT_THAT(board.serving("team-a", "east"), IsEmpty());
  native::cluster_contact machines;
  machines.traits = model::traits_of("process");
  board.put("machines", machines);
  EXPECT_THAT(board.serving("team-a", "west"), ElementsAre("east")) << "it looks at no namespace";
  board.erase("machines");
  put("north", {});
  EXPECT_EQ(actors::namespace_note(one, {}, board), "") << "it serves all";
}

TEST_F(closed_namespaces, are_told_with_the_words_of_their_clusters) {
  put("a", {"other"});
  put("b", {},
      {{"jobs", "quota", "exceeded quota: q", 1, 5s, 1, false},
       {"others", "quota", "exceeded quota: r", 1, 5s, 1, false}});
  put("c", {}, {{"jobs", "rights", "no right", 1, 2s, 1, true}});
  EXPECT_THAT(
      actors::obstacles_of("jobs", board, 2s + 1ns),
      ElementsAre("cluster 'a' does not serve its namespace 'jobs'",
                  "cluster 'b' takes no jobs of its namespace 'jobs' for now: exceeded quota: q; "
                  "one job tries it in 3 s",
                  "cluster 'c' takes no jobs of its namespace 'jobs' for now: no right; one job "
                  "tries it"));
  put("b", {}, {{"jobs+services", "quota", "exceeded quota: q", 1, 5s, 1, false}});
  put("c", {}, {{"jobs+@alice", "rights", "no right", 1, 2s, 1, true}});
  EXPECT_THAT(actors::obstacles_of("jobs", board, 2s), SizeIs(1));
  EXPECT_THAT(actors::obstacles_of("jobs+services+@alice", board, 2s),
              ElementsAre(HasSubstr("'a' does not serve"),
                          "cluster 'b' takes no jobs with services in its namespace 'jobs' for "
                          "now: exceeded quota: q; one job tries it in 3 s",
                          HasSubstr("'c' takes no jobs of user alice in its namespace 'jobs'")));
  for (int i = 0; i < 9; ++i) put(model::cluster_name{"x" + std::to_string(i)}, {"other"});
  const auto cut = actors::obstacles_of("jobs", board, 2s);
  ASSERT_THAT(cut, SizeIs(6));
  EXPECT_EQ(cut.back(), "5 more clusters do not take jobs of its namespace");
}

TEST_F(closed_namespaces, are_told_at_submission) {
  start();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 64)});
  agent->cluster.namespaces = {"team-*"};
  agent.hello();
  pass(3s);
  const auto reply = exchange("Submit.SubmitJobs", make_submit("a"));
  ASSERT_TRUE(reply);
  EXPECT_THAT(bus::get_text(reply->headers, "argosy-note").value_or(""),
              HasSubstr("no cluster serves namespace 'default'"));
  pass(3s);
  EXPECT_EQ(agent->begun.size(), 0U);
}

TEST_F(closed_namespaces, and_fields_that_processes_cannot_carry_out_are_told) {
  native::submit_request request;
  for (const auto* field : {"podSpec.volumes", "", "podSpec.containers[0].command"}) {
    auto job = std::make_shared<model::job_header>();
    auto shape = std::make_shared<model::job_shape>();
    shape->process_obstacle = field;
    job->shape = std::move(shape);
    request.jobs.push_back(std::move(job));
  }
  EXPECT_EQ(actors::process_note(request, board), "") << "nobody knows a cluster yet";
  native::cluster_contact contact;
  contact.traits = model::traits_of("process");
  board.put("machines", contact);
  EXPECT_EQ(actors::process_note(request, board),
            "a pod without podSpec.containers[0].command, podSpec.volumes cannot be carried out by "
            "processes, and no cluster of pods has joined, so that the job waits until one does");
  contact.traits = model::traits_of(model::kubernetes_backend);
  contact.state = ledger::contact_state::gone;
  board.put("pods", contact);
  EXPECT_NE(actors::process_note(request, board), "") << "it has left";
  contact.state = ledger::contact_state::silent;
  board.put("pods", contact);
  EXPECT_EQ(actors::process_note(request, board), "");
}

TEST_F(closed_namespaces, are_tried_by_one_run_at_a_time) {
  start();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n1", 32), node_of("n2", 32)});
  agent->refuses_starts = true;
  agent->refusal = {std::nullopt, 0, model::reason_cluster_refused, "it is not there", "namespace"};
  pass(3s);
  submit("a", {.count = 40});
  pass(1s);
  const auto at_first = agent->begun.size();
  EXPECT_LE(at_first, 40U);
  pass(130s);
  EXPECT_GE(agent->begun.size(), at_first + 5) << "it was tried";
  EXPECT_LE(agent->begun.size(), at_first + 8) << "after 1, 2, 4, 8, 16, 32 and 64 s";
  std::size_t waiting = 0;
  const std::string closed =
      "the nodes that could take it take no new jobs now; it starts when they do";
  const auto why = closed +
                   ": cluster 'c' takes no jobs of its namespace 'default' for now: it is "
                   "not there; one job tries it";
  for (const auto& job : jobs()) {
    if (job.state() != api::JobState::QUEUED) continue;
    ++waiting;
    if (waiting % 10 != 0) continue;
    v1::ExplainJobRequest asked;
    asked.set_job_id(job.job_id());
    EXPECT_THAT(ask<v1::JobExplanation>("Explain.ExplainJob", asked).verdict(), StartsWith(why));
    v1::DescribeJobRequest of;
    of.set_job_id(job.job_id());
    const auto told = ask<v1::DescribeJobResponse>("Query.DescribeJob", of);
    EXPECT_THAT(told.reason_lines(0), StartsWith(why));
  }
  EXPECT_EQ(waiting, 40U) << "none has failed for it";
  const auto pools = ask<v1::ListPoolsResponse>("Query.ListPools", v1::ListPoolsRequest{});
  ASSERT_EQ(pools.pools_size(), 1);
  ASSERT_EQ(pools.pools(0).closed_nodes_size(), 1);
  EXPECT_EQ(pools.pools(0).closed_nodes().at("default"), 2U);
  agent->refuses_starts = false;
  pass(140s);
  std::size_t running = 0;
  for (const auto& job : jobs()) running += job.state() == api::JobState::RUNNING ? 1 : 0;
  EXPECT_EQ(running, 40U);
}

}  // namespace argosy::tests
