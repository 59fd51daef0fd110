// SPDX-License-Identifier: Apache-2.0
// Goal: Explain.ExplainJobOnNode says what stands in the way of a job on one node, and
// Explain.ExplainNode which waiting jobs a node could run. Method: a control plane in virtual time
// with scripted agents.
#include <gmock/gmock.h>

#include "messages/proto/argosy/control.pb.h"
#include "messages/proto/argosy/explain.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

struct node_questions : control_plane_test {
  node_questions() {
    start();
    create_queue("a");
    create_queue("b");
  }
  v1::JobOnNode on_node(const std::string& id, const std::string& node) {
    v1::ExplainJobOnNodeRequest request;
    request.set_job_id(id);
    request.set_cluster("c");
    request.set_node(node);
    return ask<v1::JobOnNode>("Explain.ExplainJobOnNode", request);
  }
  v1::NodeExplanation of_node(const std::string& node, const std::string& queue = "") {
    v1::ExplainNodeRequest request;
    request.set_cluster("c");
    request.set_node(node);
    request.set_queue(queue);
    return ask<v1::NodeExplanation>("Explain.ExplainNode", request);
  }
  template <class Answer>
  static std::vector<std::string> codes(const Answer& of) {
    std::vector<std::string> out;
    for (const auto& each : of.obstacles()) out.push_back(each.code());
    return out;
  }
  void cordon(const std::string& node, bool on) {
    v1::CordonNodeRequest request;
    request.set_cluster("c");
    request.set_node(node);
    request.set_cordoned(on);
    request.set_reason("its fan");
    ASSERT_TRUE(call("ClusterService.CordonNode", request));
    pass(2s);
  }
};

TEST_F(node_questions, are_answered_with_figures_for_a_job_that_waits) {
  auto tainted = node_of("n2", 8);
  tainted.taints = {{"gpu", "true", "NoSchedule"}};
  add_agent("c", {node_of("n1", 4), tainted, node_of("n3", 1)});
  submit("a", {.cpu = "3"});
  pass(2s);
  const auto waits = submit("a", {.cpu = "2"}).at(0);
  pass(2s);
  const auto full = on_node(waits, "n1");
  EXPECT_THAT(codes(full), ElementsAre("NO_ROOM"));
  EXPECT_EQ(full.verdict(), "it needs 2 cores, and the node has 1 core free of 4 cores");
  EXPECT_FALSE(full.fits());
  EXPECT_EQ(full.code(), "JOB_DOES_NOT_FIT");
  EXPECT_GT(full.round(), 0U);
  ASSERT_GE(full.room_size(), 1);
  EXPECT_EQ(full.room(0).resource(), "cpu");
  EXPECT_EQ(full.room(0).asked(), 2);
  EXPECT_EQ(full.room(0).free(), 1);
  EXPECT_EQ(full.room(0).total(), 4);
  EXPECT_GT(full.room(0).at_priority_size(), 0);
  EXPECT_THAT(codes(on_node(waits, "n2")), ElementsAre("TAINT"));
  EXPECT_THAT(codes(on_node(waits, "n3")), ElementsAre("NODE_TOO_SMALL"));
}

TEST_F(node_questions, tell_who_has_cordoned_the_node_and_that_its_cluster_is_silent) {
  auto& agent = add_agent("c", {node_of("n1", 4)});
  pass(1s);
  cordon("n1", true);
  const auto id = submit("a").at(0);
  pass(2s);
  auto got = on_node(id, "n1");
  EXPECT_THAT(codes(got), ElementsAre("NODE_CORDONED"));
  EXPECT_THAT(got.verdict(), HasSubstr("its fan"));
  EXPECT_THAT(of_node("n1").verdict(),
              HasSubstr("so that no job starts there; 1 of 1 waiting job fits there otherwise"));
  agent->silent = true;
  pass(40s);
  got = on_node(id, "n1");
  EXPECT_THAT(codes(got), ElementsAre("CLUSTER_SILENT", "NODE_CORDONED"));
  EXPECT_THAT(got.obstacles(0).text(), HasSubstr("cluster 'c' has not been heard for"));
  EXPECT_THAT(codes(of_node("n1")), ElementsAre("CLUSTER_SILENT", "NODE_CORDONED"));
  agent->silent = false;
}

TEST_F(node_questions, say_why_a_job_runs_there_and_not_here) {
  add_agent("c", {node_of("n1", 4), node_of("n2", 1)});
  const auto id = submit("a", {.cpu = "2"}).at(0);
  pass(2s);
  const auto here = on_node(id, "n1");
  EXPECT_TRUE(here.runs_here());
  EXPECT_THAT(here.verdict(), HasSubstr("chose node n1"));
  EXPECT_THAT(here.obstacles(), IsEmpty());
  const auto there = on_node(id, "n2");
  EXPECT_FALSE(there.runs_here());
  EXPECT_THAT(there.verdict(), HasSubstr("could not take it now: it needs 2 cores"));
}

TEST_F(node_questions, say_that_jobs_of_lower_priority_would_have_to_leave) {
  add_agent("c", {node_of("n1", 2)});
  const auto low = submit("a", {.cpu = "2", .priority_class = "armada-preemptible"}).at(0);
  pass(2s);
  ASSERT_EQ(job(low).state(), api::RUNNING);
  const auto equal = submit("a", {.priority_class = "armada-preemptible"}).at(0);
  pass(2s);
  EXPECT_FALSE(on_node(equal, "n1").fits_by_preemption());
  EXPECT_EQ(on_node(equal, "n1").room(0).at_priority_size(), 2);
  EXPECT_EQ(on_node(equal, "n1").room(0).at_priority(0).free(), 0);
  EXPECT_EQ(on_node(equal, "n1").room(0).at_priority(1).free(), 2);
}

TEST_F(node_questions, name_the_waiting_jobs_that_fit_and_count_the_others) {
  add_agent("c", {node_of("n1", 4)});
  submit("a", {.cpu = "3"});
  pass(2s);
  const auto large = submit("a", {.cpu = "2"}).at(0);
  pass(2s);
  const auto none = of_node("n1");
  EXPECT_EQ(none.state(), "ready");
  EXPECT_EQ(none.waiting(), 1U);
  EXPECT_EQ(none.could_run(), 0U);
  ASSERT_EQ(none.others_size(), 1);
  EXPECT_EQ(none.others(0).code(), "NO_ROOM");
  EXPECT_THAT(none.others(0).why(), HasSubstr("1 job needs more cpu than is free (1 core)"));
  EXPECT_EQ(of_node("n1", "b").waiting(), 0U);
  EXPECT_THAT(of_node("n1", "b").verdict(), HasSubstr("no job of queue b waits"));

  cordon("n1", true);
  const auto small = submit("b").at(0);
  pass(2s);
  const auto some = of_node("n1");
  EXPECT_EQ(some.waiting(), 2U);
  EXPECT_EQ(some.could_run(), 1U);
  ASSERT_EQ(some.jobs_size(), 1);
  EXPECT_EQ(some.jobs(0).job_id(), small);
  EXPECT_EQ(some.jobs(0).queue(), "b");
  EXPECT_EQ(some.jobs(0).place_in_queue(), 1U);
  EXPECT_NE(some.jobs(0).code(), "");
}

TEST_F(node_questions, of_members_of_an_open_gang_say_what_is_missing) {
  add_agent("c", {node_of("n1", 4)});
  const auto id = submit("a", {.gang = "g", .cardinality = 3}).at(0);
  pass(2s);
  EXPECT_THAT(on_node(id, "n1").verdict(), HasSubstr("1 of the 3 members of its gang"));
}

TEST_F(node_questions, about_what_is_not_there_are_refused) {
  add_agent("c", {node_of("n1", 4)});
  const auto id = submit("a").at(0);
  pass(2s);
  const auto refusal = [&](const std::string& job, const std::string& cluster,
                           const std::string& node) {
    v1::ExplainJobOnNodeRequest request;
    request.set_job_id(job);
    request.set_cluster(cluster);
    request.set_node(node);
    const auto answer = call("Explain.ExplainJobOnNode", request);
    return answer ? ec::none : answer.error().code;
  };
  EXPECT_EQ(refusal("01arz3ndektsv4rrffq69g5fav", "c", "n1"), ec::not_found);
  EXPECT_EQ(refusal("x", "c", "n1"), ec::invalid_argument);
  EXPECT_EQ(refusal(id, "d", "n1"), ec::not_found);
  EXPECT_EQ(refusal(id, "c", "n9"), ec::not_found);
  EXPECT_EQ(refusal(id, "", ""), ec::invalid_argument);
  v1::ExplainNodeRequest request;
  request.set_cluster("c");
  request.set_node("n1");
  request.set_queue("nobody");
  EXPECT_EQ(call("Explain.ExplainNode", request).error().code, ec::not_found);
  request.set_queue("");
  request.set_node("n9");
  EXPECT_EQ(call("Explain.ExplainNode", request).error().code, ec::not_found);
}

}  // namespace argosy::tests
