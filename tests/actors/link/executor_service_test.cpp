// SPDX-License-Identifier: Apache-2.0
// Goal: what runs on a cluster or a node can be cancelled and preempted there, and nothing else is
// touched. Method: two clusters of two nodes, jobs of two queues, and requests as Armada's command
// line sends them.
#include <gtest/gtest.h>

#include <algorithm>

#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/node.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

struct executor_service : control_plane_test {
  executor_service() {
    start();
    for (const auto* queue : {"a", "b"}) create_queue(queue);
    for (const auto* cluster : {"c1", "c2"})
      add_agent(cluster, {node_of("n1", 2), node_of("n2", 2)});
    for (const auto* queue : {"a", "b"}) {
      submit(queue, {.count = 3, .priority_class = "armada-preemptible"});
      submit(queue);
    }
    submit("a", {.cpu = "100"});
    pass();
  }

  void ask_empty(const std::string& method, const google::protobuf::MessageLite& request) {
    ask<google::protobuf::Empty>(method, request);
    pass();
  }

  /// How many jobs of the queue run at this place; an empty node means all nodes.
  std::int64_t running(const std::string& queue, const std::string& cluster,
                       const std::string& node = {}) {
    const auto all = jobs(queue);
    return std::count_if(all.begin(), all.end(), [&](const v1::JobSummary& each) {
      return each.state() == api::RUNNING && each.cluster() == cluster &&
             (node.empty() || each.node() == node);
    });
  }
  std::int64_t running_in_all() {
    return running("a", "c1") + running("a", "c2") + running("b", "c1") + running("b", "c2");
  }
};

TEST_F(executor_service, cancels_what_the_named_queues_run_on_a_cluster) {
  ASSERT_EQ(running_in_all(), 8);
  const auto others = running("b", "c1");
  const auto elsewhere = running("a", "c2");
  api::ExecutorCancelRequest request;
  request.set_name("c1");
  ask_empty("Executor.CancelOnExecutor", request);
  EXPECT_EQ(running_in_all(), 8) << "an empty list of queues means none";
  request.add_queues("a");
  request.add_queues("nobody");
  ask_empty("Executor.CancelOnExecutor", request);
  EXPECT_EQ(running("a", "c1"), 0);
  EXPECT_EQ(running("b", "c1"), others);
  EXPECT_EQ(running("a", "c2"), elsewhere);
  EXPECT_EQ(count("a", api::QUEUED), 1) << "a job without a run is nowhere";
}

TEST_F(executor_service, preempts_only_classes_that_may_be_on_a_cluster) {
  api::ExecutorPreemptRequest request;
  for (const auto* cluster : {"c1", "c2"}) {
    request.set_name(cluster);
    for (const auto* queue : {"a", "b"}) request.add_queues(queue);
    request.clear_priorityclasses();
    request.add_priorityclasses("armada-default");
    ask_empty("Executor.PreemptOnExecutor", request);
    EXPECT_EQ(count("a", api::PREEMPTED) + count("b", api::PREEMPTED), 0) << cluster;
    request.clear_queues();
  }
  request.clear_priorityclasses();
  for (const auto* cluster : {"c1", "c2"}) {
    request.set_name(cluster);
    request.clear_queues();
    for (const auto* queue : {"a", "b"}) request.add_queues(queue);
    ask_empty("Executor.PreemptOnExecutor", request);
  }
  EXPECT_EQ(count("a", api::PREEMPTED), 3);
  EXPECT_EQ(count("b", api::PREEMPTED), 3);
  EXPECT_EQ(running_in_all(), 2);
}

TEST_F(executor_service, refuses_a_class_that_is_not_there) {
  const auto refuses = [this](const std::string& method, auto request) {
    request.set_name(method.starts_with("Node") ? "n1" : "c1");
    request.add_queues("a");
    request.add_priorityclasses("nosuch");
    EXPECT_EQ(call(method, request).error().detail, "there is no priority class 'nosuch'")
        << method;
  };
  api::NodeCancelRequest cancel_on_node;
  cancel_on_node.set_executor("c1");
  api::NodePreemptRequest preempt_on_node;
  preempt_on_node.set_executor("c1");
  refuses("Executor.CancelOnExecutor", api::ExecutorCancelRequest{});
  refuses("Executor.PreemptOnExecutor", api::ExecutorPreemptRequest{});
  refuses("Node.CancelOnNode", cancel_on_node);
  refuses("Node.PreemptOnNode", preempt_on_node);
  EXPECT_EQ(running_in_all(), 8);
}

TEST_F(executor_service, takes_only_the_pools_that_are_named) {
  api::ExecutorCancelRequest request;
  request.set_name("c1");
  request.add_queues("a");
  request.add_queues("b");
  request.add_pools("elsewhere");
  ask_empty("Executor.CancelOnExecutor", request);
  EXPECT_EQ(running_in_all(), 8);
  request.add_pools("default");
  ask_empty("Executor.CancelOnExecutor", request);
  EXPECT_EQ(running("a", "c1") + running("b", "c1"), 0);
}

TEST_F(executor_service, cancels_what_runs_on_a_node) {
  const auto beside = running("a", "c1", "n2") + running("b", "c1", "n2");
  api::NodeCancelRequest request;
  request.set_name("n1");
  request.set_executor("c1");
  request.add_queues("a");
  request.add_queues("b");
  ask_empty("Node.CancelOnNode", request);
  EXPECT_EQ(running("a", "c1", "n1") + running("b", "c1", "n1"), 0);
  EXPECT_EQ(running("a", "c1", "n2") + running("b", "c1", "n2"), beside);
  EXPECT_EQ(running("a", "c2") + running("b", "c2"), 4);
}

TEST_F(executor_service, preempts_on_a_node_and_says_by_whom) {
  api::NodePreemptRequest request;
  request.set_name("n1");
  request.add_queues("a");
  request.add_queues("b");
  for (const auto* cluster : {"c1", "c2"}) {
    request.set_executor(cluster);
    ask_empty("Node.PreemptOnNode", request);
  }
  const auto all = jobs();
  int ended = 0;
  for (const auto& each : all) {
    if (each.state() != api::PREEMPTED) continue;
    ++ended;
    EXPECT_NE(describe(each.job_id()).summary().reason().find("with what runs on node c"),
              std::string::npos)
        << describe(each.job_id()).summary().reason();
  }
  EXPECT_GT(ended, 0);
}

TEST_F(executor_service, refuses_requests_without_a_name) {
  api::ExecutorCancelRequest on_executor;
  on_executor.add_queues("a");
  EXPECT_EQ(call("Executor.CancelOnExecutor", on_executor).error().code, ec::invalid_argument);
  api::NodePreemptRequest on_node;
  on_node.set_name("n1");
  on_node.add_queues("a");
  EXPECT_EQ(call("Node.PreemptOnNode", on_node).error().detail, "the request names no executor");
  on_node.set_executor("nowhere");
  EXPECT_TRUE(call("Node.PreemptOnNode", on_node)) << "nothing matches, which is no error";
  EXPECT_EQ(running_in_all(), 8);
}

}  // namespace argosy::tests
