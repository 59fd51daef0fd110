// SPDX-License-Identifier: Apache-2.0
// Goal: whoever looks at nodes, pools, clusters or jobs is told when their agent is out of contact.
// Method: a scripted agent that falls silent, beside one that does not, in virtual time.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct contact : control_plane_test {
  contact() {
    start();
    create_queue("a");
    near = &add_agent("near", {node_of("n1", 4)});
    far = &add_agent("far", {node_of("n1", 2), node_of("n2", 2)});
  }

  v1::PoolSummary pool() {
    const auto reply = ask<v1::ListPoolsResponse>("Query.ListPools", v1::ListPoolsRequest{});
    EXPECT_EQ(reply.pools_size(), 1);
    return reply.pools(0);
  }
  static std::int64_t cpu(const google::protobuf::RepeatedPtrField<log::v1::Amount>& amounts) {
    for (const auto& one : amounts)
      if (one.resource() == "cpu") return one.amount();
    return 0;
  }
  std::string state_of(const std::string& cluster) {
    const auto reply =
        ask<v1::ListClustersResponse>("Query.ListClusters", v1::ListClustersRequest{});
    for (const auto& one : reply.clusters())
      if (one.name() == cluster) return one.state();
    return "";
  }
  static std::vector<std::string> lines(const v1::DescribeJobResponse& described) {
    return {described.reason_lines().begin(), described.reason_lines().end()};
  }

  scripted_agent* near = nullptr;
  scripted_agent* far = nullptr;
};

namespace {

TEST_F(contact, of_a_silent_cluster_is_missing_in_every_list) {
  const auto ids = submit("a", {.count = 8});
  pass();
  const auto on_far = to_string((*far)->live.begin()->first.job);
  const auto on_near = to_string((*near)->live.begin()->first.job);
  EXPECT_EQ(pool().silent_nodes(), 0U);
  (*far)->silent = true;
  pass(20s);
  EXPECT_EQ(state_of("far"), "silent");
  EXPECT_TRUE(job(on_far).cluster_silent());
  EXPECT_GT(job(on_far).cluster_heard_ns(), 0);
  EXPECT_FALSE(job(on_near).cluster_silent());
  EXPECT_EQ(nodes().at("far/n1").state(), "silent");
  EXPECT_GT(nodes().at("far/n1").cluster_heard_ns(), 0);
  EXPECT_EQ(nodes().at("near/n1").cluster_heard_ns(), 0);
  EXPECT_EQ(pool().nodes(), 3U);
  EXPECT_EQ(pool().silent_clusters(), 1U);
  EXPECT_EQ(pool().silent_nodes(), 2U);
  EXPECT_EQ(cpu(pool().total()), 8'000);
  EXPECT_EQ(cpu(pool().silent_total()), 4'000);
  EXPECT_EQ(cpu(pool().silent_used()), 4'000);
  EXPECT_THAT(lines(describe(on_far)),
              ElementsAre(HasSubstr("cluster 'far', where it runs, has not been heard for")));
  const auto waiting = submit("a").at(0);
  pass();
  EXPECT_THAT(lines(describe(waiting)),
              Contains(AllOf(HasSubstr("cluster 'far' of pool default has not been heard for"),
                             HasSubstr("its 2 nodes take no jobs"))));
  (*far)->silent = false;
  pass(5s);
  EXPECT_EQ(state_of("far"), "connected");
  EXPECT_FALSE(job(on_far).cluster_silent());
  EXPECT_EQ(pool().silent_nodes(), 0U);
  EXPECT_THAT(lines(describe(waiting)), Not(Contains(HasSubstr("has not been heard"))));
}

TEST_F(contact, with_an_agent_that_does_not_reach_its_backend_gives_no_work) {
  const model::backend_trouble away{"the API server https://k:6443 does not answer (no route)",
                                    to_nanos(clock.wall())};
  (*far)->trouble = away;
  far->hello();
  pass(1s);
  EXPECT_EQ(state_of("far"), "away");
  EXPECT_EQ(nodes().at("far/n1").state(), "silent");
  EXPECT_EQ(nodes().at("far/n1").reason(), "its cluster is away, since " + away.why);
  EXPECT_EQ(pool().silent_nodes(), 2U);
  const auto ids = submit("a", {.count = 8});
  pass(20s);
  EXPECT_EQ(state_of("far"), "away") << "its agent is heard all the time";
  EXPECT_THAT((*near)->begun, SizeIs(4));
  EXPECT_THAT((*far)->begun, SizeIs(0));
  EXPECT_THAT(lines(describe(ids.at(7))),
              Contains(AllOf(HasSubstr("cluster 'far' of pool default is away, since the API"),
                             HasSubstr("its 2 nodes take no jobs"))));
  (*far)->trouble = {};
  far->hello();
  pass(1s);
  EXPECT_EQ(state_of("far"), "connected");
  EXPECT_EQ(nodes().at("far/n1").state(), "ready");
  EXPECT_THAT((*far)->begun, SizeIs(4));
  (*far)->trouble = away;
  far->hello();
  pass(1s);
  const auto on_far = to_string((*far)->live.begin()->first.job);
  EXPECT_TRUE(job(on_far).cluster_silent());
  EXPECT_EQ(job(on_far).cluster_heard_ns(), away.since_ns);
  EXPECT_THAT(lines(describe(on_far)),
              ElementsAre(HasSubstr("cluster 'far', where it runs, is away, since the API")));
}

TEST_F(contact, with_an_agent_that_lacks_something_tells_of_it_and_gives_work) {
  (*far)->trouble.lacks = "the API server denies the agent a right";
  far->hello();
  pass(1s);
  EXPECT_EQ(state_of("far"), "connected");
  const auto told = ask<v1::ListClustersResponse>("Query.ListClusters", v1::ListClustersRequest{});
  std::map<std::string, std::string> lacks;
  for (const auto& each : told.clusters()) lacks[each.name()] = each.lacks() + each.trouble();
  EXPECT_EQ(lacks.at("far"), "the API server denies the agent a right");
  EXPECT_EQ(lacks.at("near"), "");
  submit("a", {.count = 8});
  pass(1s);
  EXPECT_THAT((*far)->begun, SizeIs(4));
}

TEST_F(contact, that_is_lost_leaves_the_output_of_runs_where_it_is) {
  submit("a", {.count = 8});
  pass();
  v1::ReadLogRequest request;
  request.set_job_id(to_string((*far)->live.begin()->first.job));
  ASSERT_TRUE(call("Logs.Read", request));
  (*far)->silent = true;
  pass(20s);
  const auto read = call("Logs.Read", request);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ec::unavailable);
  EXPECT_THAT(read.error().detail,
              AllOf(HasSubstr("cluster 'far' has not been heard for"),
                    HasSubstr("the output that it has can be read when it is back")));
}

TEST_F(contact, is_missed_after_a_restart) {
  submit("a", {.count = 8});
  pass();
  const auto on_far = to_string((*far)->live.begin()->first.job);
  crash();
  start();
  near->hello();
  pass(1s);
  EXPECT_EQ(state_of("far"), "expected");
  EXPECT_TRUE(job(on_far).cluster_silent());
  pass(20s);
  EXPECT_EQ(state_of("far"), "silent");
  EXPECT_THAT(lines(describe(on_far)),
              ElementsAre(HasSubstr("has not been heard since the server started")));
}

TEST_F(contact, of_a_cluster_that_left_is_not_missed) {
  far->goodbye();
  pass();
  EXPECT_EQ(state_of("far"), "gone");
  EXPECT_EQ(pool().silent_clusters(), 0U);
  const auto waiting = submit("a", {.cpu = "100"}).at(0);
  pass();
  EXPECT_THAT(lines(describe(waiting)), Not(Contains(HasSubstr("has not been heard"))));
}

TEST_F(contact, of_a_forgotten_cluster_is_over_and_its_jobs_start_elsewhere_at_once) {
  submit("a", {.count = 8});
  pass();
  const auto on_far = to_string((*far)->live.begin()->first.job);
  v1::ForgetClusterRequest request;
  request.set_name("far");
  request.set_reason("the rack burnt");
  auto refused = call("ClusterService.ForgetCluster", request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::conflict);
  EXPECT_THAT(refused.error().detail, HasSubstr("is connected"));
  (*far)->silent = true;
  pass(20s);
  ASSERT_EQ(state_of("far"), "silent");
  ASSERT_EQ(job(on_far).state(), api::RUNNING);
  for (const auto& [run, order] : std::map{(*near)->live})
    near->end(to_string(run.job), run_phase::succeeded);
  pass();
  const auto reply = ask<v1::ForgetClusterResponse>("ClusterService.ForgetCluster", request);
  EXPECT_EQ(reply.runs(), 4U);
  pass(2s);
  EXPECT_EQ(state_of("far"), "") << "no list has it";
  EXPECT_EQ(nodes().count("far/n1"), 0U);
  EXPECT_EQ(pool().nodes(), 1U);
  EXPECT_EQ(job(on_far).cluster(), "near");
  EXPECT_EQ(ask<v1::ForgetClusterResponse>("ClusterService.ForgetCluster", request).runs(), 0U)
      << "repeating it changes nothing";
}

TEST_F(contact, of_a_cluster_that_nobody_knows_cannot_be_forgotten) {
  v1::ForgetClusterRequest request;
  request.set_name("fra");
  const auto refused = call("ClusterService.ForgetCluster", request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::not_found);
  EXPECT_EQ(refused.error().detail, "cluster 'fra' does not exist; there are: far, near");
}

TEST_F(contact, is_not_lost_to_an_agent_that_was_started_by_mistake) {
  submit("a", {.count = 8});
  pass();
  auto& other = agents.emplace_back(system, model::cluster_info{"far", "default", "simulated", {}},
                                    std::vector{node_of("m", 1)});
  other->root = root;
  other.hello();
  pass();
  ASSERT_THAT(other->errors, SizeIs(1));
  EXPECT_EQ(other->errors[0].code, ec::already_exists);
  EXPECT_THAT(other->errors[0].detail, HasSubstr("--take-over"));
  EXPECT_TRUE(nodes().contains("far/n1"));
  EXPECT_FALSE(nodes().contains("far/m"));
  (*far)->silent = true;
  pass(20s);
  other.hello();
  pass();
  EXPECT_TRUE(other->connected) << "a silent cluster may be taken";
}

}  // namespace

}  // namespace argosy::tests
