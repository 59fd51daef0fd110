// SPDX-License-Identifier: Apache-2.0
// Goal: a drain is an operation of the server: it goes on when its caller has gone and when the
// server was killed, and anybody can ask how far it is. Method: the whole control plane in virtual
// time, with agents that follow a script.
#include <gmock/gmock.h>

#include <limits>

#include "messages/proto/api/executor.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct drains : control_plane_test {
  drains() {
    start();
    create_queue("q");
    add_agent("c", {node_of("n1", 8), node_of("n2", 8)});
  }

  static v1::DrainRequest of_node(const std::string& node = "n1") {
    v1::DrainRequest request;
    request.set_cluster("c");
    request.set_node(node);
    request.set_reason("new disk");
    return request;
  }
  v1::DrainResponse drain(const v1::DrainRequest& request) {
    auto out = ask<v1::DrainResponse>("ClusterService.Drain", request);
    pass(2s);
    return out;
  }
  ec stop(const std::string& node) {
    v1::StopDrainRequest request;
    request.set_cluster("c");
    request.set_node(node);
    const auto got = call("ClusterService.StopDrain", request);
    return got ? ec::none : got.error().code;
  }
  std::vector<v1::Operation> operations(const std::string& id = {}) {
    v1::ListOperationsRequest request;
    request.set_id(id);
    const auto page = ask<v1::ListOperationsResponse>("Query.ListOperations", request);
    return {page.operations().begin(), page.operations().end()};
  }
  /// Starts jobs on node n1 alone, and returns their ids.
  std::vector<std::string> run_on_first_node(int count, const std::string& priority_class) {
    cordon("n2", true);
    auto ids = submit("q", {.count = count, .priority_class = priority_class});
    pass(2s);
    cordon("n2", false);
    for (const auto& id : ids) EXPECT_EQ(job(id).node(), "n1");
    return ids;
  }
  void cordon(const std::string& node, bool on) {
    v1::CordonNodeRequest request;
    request.set_cluster("c");
    request.set_node(node);
    request.set_cordoned(on);
    ask<v1::CordonNodeResponse>("ClusterService.CordonNode", request);
    pass();
  }
};

TEST_F(drains, preempt_what_may_be_and_wait_for_the_rest) {
  const auto soft = run_on_first_node(2, "armada-preemptible");
  const auto hard = run_on_first_node(1, "armada-default").at(0);
  const auto begun = drain(of_node());
  EXPECT_FALSE(begun.joined());
  EXPECT_EQ(begun.operation().total(), 3u);
  for (const auto& id : soft) EXPECT_EQ(job(id).state(), api::PREEMPTED);
  EXPECT_THAT(job(soft[0]).reason(), HasSubstr("who drains node c/n1: new disk"));
  EXPECT_EQ(job(hard).state(), api::RUNNING);
  const auto node = nodes().at("c/n1");
  EXPECT_EQ(node.state(), "cordoned");
  EXPECT_EQ(node.drain().id(), begun.operation().id());
  EXPECT_EQ(node.drain().total() - node.drain().done(), 1u);
  EXPECT_FALSE(nodes().at("c/n2").has_drain());
  const auto later = submit("q", {.count = 20});
  pass(2s);
  for (const auto& id : later) EXPECT_NE(job(id).node(), "n1") << "it is cordoned";
  agents.front().end(hard, model::run_phase::succeeded);
  pass(2s);
  const auto ended = operations(begun.operation().id()).at(0);
  EXPECT_EQ(ended.state(), "done");
  EXPECT_EQ(ended.done(), 3u);
  EXPECT_EQ(ended.by(), "anonymous");
  EXPECT_FALSE(nodes().at("c/n1").has_drain());
  EXPECT_EQ(nodes().at("c/n1").state(), "cordoned") << "the cordon stays";
}

TEST_F(drains, send_back_what_they_preempt) {
  rules.queue_rules.requeue_preempted = true;
  crash();
  start();
  reconnect_agents();
  const auto soft = run_on_first_node(2, "armada-preemptible");
  const auto id = drain(of_node()).operation().id();
  pass(5s);
  EXPECT_EQ(operations(id).at(0).state(), "done");
  for (const auto& each : soft) {
    EXPECT_EQ(job(each).state(), api::RUNNING);
    EXPECT_EQ(job(each).node(), "n2") << "the other one has room";
    EXPECT_EQ(job(each).run(), 2U);
  }
}

TEST_F(drains, go_on_after_a_crash) {
  const auto hard = run_on_first_node(2, "armada-default");
  auto request = of_node();
  request.set_deadline_after_ns(std::chrono::nanoseconds{60s}.count());
  const auto id = drain(request).operation().id();
  agents.front().end(hard[0], model::run_phase::succeeded);
  pass(5s);
  crash();
  start();
  reconnect_agents();
  pass(2s);
  EXPECT_EQ(nodes().at("c/n1").drain().id(), id);
  EXPECT_EQ(nodes().at("c/n1").drain().done(), 1u);
  EXPECT_EQ(nodes().at("c/n1").drain().total(), 2u);
  EXPECT_EQ(job(hard[1]).state(), api::RUNNING);
  pass(60s);
  EXPECT_EQ(job(hard[1]).state(), api::PREEMPTED) << "its deadline has come";
  EXPECT_EQ(operations(id).at(0).state(), "done");
  crash();
  start();
  EXPECT_EQ(operations(id).at(0).state(), "done");
}

TEST_F(drains, whose_preemption_a_crash_cut_off_preempt_after_it) {
  const auto soft = run_on_first_node(2, "armada-preemptible");
  agents.front()->obeys_stops = false;
  const auto before = log->info()->last_position;
  client->request("argosy.api.ClusterService.Drain", of_node().SerializeAsString(), {}, 10s,
                  [](const result<bus::frame>&) {});
  // The drain is in the log, and its server dies before it can do anything more.
  while (log->info()->last_position == before) ASSERT_TRUE(scheduler.try_run_once());
  crash();
  start();
  agents.front()->obeys_stops = true;
  reconnect_agents();
  pass(3s);
  for (const auto& id : soft) EXPECT_EQ(job(id).state(), api::PREEMPTED);
  ASSERT_EQ(operations().size(), 1u);
  EXPECT_EQ(operations()[0].state(), "done");
  broker.advance(11s);
  settle();
}

TEST_F(drains, of_a_cluster_are_shown_with_it_and_its_nodes) {
  const auto hard = run_on_first_node(1, "armada-default");
  auto request = of_node("");
  const auto id = drain(request).operation().id();
  EXPECT_EQ(nodes().at("c/n2").drain().id(), id);
  const auto all = ask<v1::ListClustersResponse>("Query.ListClusters", v1::ListClustersRequest{});
  EXPECT_EQ(all.clusters(0).drain().total(), 1u);
  EXPECT_THAT(all.clusters(0).cordon(), HasSubstr("new disk"));
}

TEST_F(drains, are_joined_stopped_and_ended_by_uncordon) {
  const auto hard = run_on_first_node(1, "armada-default");
  const auto first = drain(of_node());
  const auto again = drain(of_node());
  EXPECT_TRUE(again.joined());
  EXPECT_EQ(again.operation().id(), first.operation().id());
  EXPECT_EQ(stop("n1"), ec::none);
  EXPECT_EQ(stop("n1"), ec::not_found);
  EXPECT_EQ(operations(first.operation().id()).at(0).state(), "stopped");
  EXPECT_EQ(nodes().at("c/n1").state(), "cordoned");
  const auto second = drain(of_node());
  EXPECT_FALSE(second.joined());
  cordon("n1", false);
  EXPECT_EQ(operations(second.operation().id()).at(0).state(), "stopped");
  EXPECT_THAT(operations(second.operation().id()).at(0).detail(), HasSubstr("uncordoned by"));
  EXPECT_EQ(nodes().at("c/n1").state(), "ready");
  EXPECT_EQ(operations().size(), 2u);
  EXPECT_EQ(operations()[0].id(), second.operation().id()) << "the newest first";
}

TEST_F(drains, refuse_what_is_not_there_and_what_makes_no_sense) {
  const auto code = [&](const v1::DrainRequest& request) {
    const auto got = call("ClusterService.Drain", request);
    return got ? ec::none : got.error().code;
  };
  EXPECT_EQ(code(of_node("other")), ec::not_found);
  auto request = of_node();
  request.set_cluster("nowhere");
  EXPECT_EQ(code(request), ec::not_found);
  request.set_cluster("");
  EXPECT_EQ(code(request), ec::invalid_argument);
  request = of_node();
  for (const auto wrong : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    request.set_deadline_after_ns(wrong);
    EXPECT_EQ(code(request), ec::invalid_argument);
  }
  request = of_node();
  request.set_reason(std::string(1'025, 'x'));
  EXPECT_EQ(code(request), ec::invalid_argument);
  EXPECT_EQ(nodes().at("c/n1").state(), "ready") << "nothing was half done";
  v1::ListOperationsRequest page;
  page.set_cursor("nonsense");
  EXPECT_EQ(call("Query.ListOperations", page).error().code, ec::invalid_argument);
}

}  // namespace argosy::tests
