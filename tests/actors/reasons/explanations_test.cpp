// SPDX-License-Identifier: Apache-2.0
// Goal: Explain.ExplainJob says of a job in any state why it stands where it does. Method: a
// control plane in virtual time with scripted agents.
#include <gmock/gmock.h>

#include "messages/proto/argosy/explain.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct explanations : control_plane_test {
  explanations() {
    start();
    create_queue("a");
    create_queue("b");
  }
  v1::JobExplanation explain(const std::string& id) {
    v1::ExplainJobRequest request;
    request.set_job_id(id);
    return ask<v1::JobExplanation>("Explain.ExplainJob", request);
  }
};

TEST_F(explanations, of_a_job_that_waits_have_nodes_by_cause_place_and_shares) {
  add_agent("c", {node_of("n1", 4), node_of("n2", 1)});
  submit("a", {.count = 2, .cpu = "2"});
  submit("b");
  pass(2s);
  submit("a", {.cpu = "2"});
  const auto id = submit("a", {.cpu = "2"}).at(0);
  pass(2s);
  const auto got = explain(id);
  EXPECT_EQ(got.state(), "QUEUED");
  EXPECT_EQ(got.queue(), "a");
  EXPECT_FALSE(got.verdict().empty());
  EXPECT_EQ(got.place_in_queue(), 2U);
  ASSERT_EQ(got.ahead_size(), 1);
  EXPECT_EQ(got.ahead(0).why(), "it was submitted earlier");
  ASSERT_EQ(got.pools_size(), 1);
  std::uint32_t nodes = 0;
  for (const auto& cause : got.pools(0).nodes()) nodes += cause.nodes();
  EXPECT_EQ(nodes, 2U);
  EXPECT_EQ(got.pools(0).queue().queue(), "a");
  EXPECT_NEAR(got.pools(0).queue().actual_share(), 0.8, 0.001);
  EXPECT_GT(got.pools(0).round(), 0U);
  EXPECT_FALSE(got.has_past());
}

TEST_F(explanations, of_a_gang_that_lacks_members_say_how_many) {
  add_agent("c", {node_of("n1", 4)});
  const auto id = submit("a", {.gang = "g", .cardinality = 3}).at(0);
  pass(2s);
  EXPECT_THAT(explain(id).verdict(), HasSubstr("1 of the 3 members of its gang"));
}

TEST_F(explanations, of_members_that_run_say_which_of_their_gang_have_failed) {
  auto& agent = add_agent("c", {node_of("n1", 8)});
  const auto ids = submit("a", {.count = 3, .gang = "g", .cardinality = 3});
  pass(3s);
  ASSERT_EQ(explain(ids[0]).notes_size(), 0);
  agent.end(ids[1], run_phase::failed, {3, 0, "Error", "it broke"});
  pass(2s);
  const auto says =
      AllOf(HasSubstr("its gang 'g' is not whole any more: member " + ids[1] + " failed at "),
            HasSubstr("(it broke); the others run on"));
  EXPECT_THAT(explain(ids[0]).notes(), Contains(says));
  v1::DescribeJobRequest request;
  request.set_job_id(ids[2]);
  EXPECT_THAT(ask<v1::DescribeJobResponse>("Query.DescribeJob", request).reason_lines(),
              Contains(says));
  EXPECT_EQ(explain(ids[1]).notes_size(), 0);
}

TEST_F(explanations, of_a_run_say_where_and_that_its_cluster_is_silent) {
  auto& agent = add_agent("c", {node_of("n1", 4)});
  const auto id = submit("a").at(0);
  pass(2s);
  auto got = explain(id);
  EXPECT_THAT(got.verdict(), HasSubstr("chose node n1 of cluster c"));
  EXPECT_EQ(got.run().node(), "n1");
  EXPECT_EQ(got.notes_size(), 0);
  agent->silent = true;
  pass(40s);
  EXPECT_THAT(explain(id).notes(), Contains(HasSubstr("'c'")));
  agent->silent = false;
}

TEST_F(explanations, of_a_preempted_job_name_the_job_that_took_its_place) {
  add_agent("c", {node_of("n1", 2)});
  const auto low = submit("a", {.cpu = "2", .priority_class = "armada-preemptible"}).at(0);
  pass(2s);
  const auto high = submit("b", {.cpu = "2"}).at(0);
  pass(4s);
  const auto got = explain(low);
  EXPECT_EQ(got.state(), "PREEMPTED");
  EXPECT_EQ(got.run().preemptor(), high);
  EXPECT_THAT(got.verdict(), HasSubstr("job " + high + " took its place"));
}

TEST_F(explanations, of_a_job_that_queues_again_name_the_job_that_took_its_place) {
  rules.queue_rules.requeue_preempted = true;
  crash();
  start();
  add_agent("c", {node_of("n1", 2)});
  const auto low = submit("a", {.cpu = "2", .priority_class = "armada-preemptible"}).at(0);
  pass(2s);
  const auto high = submit("b", {.cpu = "2"}).at(0);
  pass(4s);
  const auto got = explain(low);
  EXPECT_EQ(got.state(), "QUEUED");
  EXPECT_THAT(got.notes(),
              Contains(AllOf(HasSubstr("its last run was preempted"), HasSubstr(high))));
}

TEST_F(explanations, of_what_is_not_there_are_refused) {
  v1::ExplainJobRequest request;
  request.set_job_id("01arz3ndektsv4rrffq69g5fav");
  EXPECT_EQ(call("Explain.ExplainJob", request).error().code, ec::not_found);
  request.set_job_id("nonsense");
  EXPECT_EQ(call("Explain.ExplainJob", request).error().code, ec::invalid_argument);
  request.set_job_id("01arz3ndektsv4rrffq69g5fav");
  request.set_round(1);
  EXPECT_EQ(call("Explain.ExplainJob", request).error().code, ec::unavailable)
      << "this server has no archive";
}

}  // namespace argosy::tests
