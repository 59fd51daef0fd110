// SPDX-License-Identifier: Apache-2.0
// Goal: anybody can ask what happened lately to a cluster or node: who cordoned it, when it was
// silent, what failed there. Method: the whole control plane in virtual time, with agents that
// follow a script.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;

struct cluster_events : control_plane_test {
  cluster_events() {
    start();
    create_queue("q");
  }

  v1::ListClusterEventsResponse known(const std::string& node = {}, std::uint32_t limit = 0) {
    v1::ListClusterEventsRequest request;
    request.set_cluster("c");
    request.set_node(node);
    request.set_limit(limit);
    return ask<v1::ListClusterEventsResponse>("Query.ListClusterEvents", request);
  }
  /// The kinds of the events, the oldest first.
  std::vector<std::string> kinds(const std::string& node = {}) {
    std::vector<std::string> out;
    const auto response = known(node);
    for (const auto& event : response.events())
      out.insert(out.begin(), (event.node().empty() ? "" : event.node() + " ") + event.kind());
    return out;
  }
  void cordon(const std::string& node, bool on) {
    v1::CordonNodeRequest request;
    request.set_cluster("c");
    request.set_node(node);
    request.set_cordoned(on);
    request.set_reason("new disk");
    ask<v1::CordonNodeResponse>("ClusterService.CordonNode", request);
  }
};

TEST_F(cluster_events, tell_what_was_done_and_what_failed_there) {
  auto& agent = add_agent("c", {node_of("n1", 8), node_of("n2", 8)});
  pass();
  cordon("n1", true);
  const auto failing = submit("q").at(0);
  pass(2s);
  agent.end(failing, run_phase::failed);
  pass();
  v1::DrainRequest drain;
  drain.set_cluster("c");
  drain.set_node("n2");
  ask<v1::DrainResponse>("ClusterService.Drain", drain);
  pass(2s);
  cordon("n1", false);
  agent->silent = true;
  pass(30s);
  agent->silent = false;
  pass(10s);
  EXPECT_THAT(kinds(), ElementsAre("joined", "n1 nodeJoined", "n2 nodeJoined", "n1 cordoned",
                                   "n2 runFailed", "n2 cordoned", "n2 drainBegun", "n2 drainEnded",
                                   "n1 uncordoned", "silent", "heard"));
  EXPECT_THAT(kinds("n1"), ElementsAre("joined", "n1 nodeJoined", "n1 cordoned", "n1 uncordoned",
                                       "silent", "heard"));
  const auto all = known("n2").events();
  const auto failed = std::ranges::find(all, "runFailed", &v1::ClusterEvent::kind);
  ASSERT_NE(failed, all.end());
  EXPECT_EQ(failed->job_id(), failing);
  EXPECT_EQ(failed->run(), 1U);
  EXPECT_EQ(known({}, 2).events_size(), 2);
  const auto first = known("n1").events(3);
  EXPECT_EQ(first.by(), "anonymous");
  EXPECT_EQ(first.text(), "cordoned by anonymous: new disk");
}

TEST_F(cluster_events, of_before_a_crash_are_those_that_still_hold) {
  auto& agent = add_agent("c", {node_of("n1", 1)});
  agent->refuses_starts = true;
  submit("q");
  pass(12s);
  EXPECT_THAT(kinds(), Contains("n1 quarantined"));
  EXPECT_THAT(kinds(), Contains("n1 runRefused"));
  cordon("n1", true);
  const auto before = known();
  crash();
  start();
  reconnect_agents();
  pass(2s);
  EXPECT_THAT(kinds(), ElementsAre("n1 quarantined", "n1 cordoned", "heard"));
  const auto after = known();
  EXPECT_GT(after.since_ns(), before.since_ns());
  EXPECT_EQ(after.events(1).time_ns(), before.events(0).time_ns()) << "the cordon keeps its time";
  EXPECT_LT(after.events(2).time_ns(), after.since_ns()) << "and the quarantine its begin";
}

TEST_F(cluster_events, of_an_unknown_cluster_are_not_found) {
  v1::ListClusterEventsRequest request;
  EXPECT_EQ(call("Query.ListClusterEvents", request).error().code, ec::invalid_argument);
  request.set_cluster("nowhere");
  EXPECT_EQ(call("Query.ListClusterEvents", request).error().code, ec::not_found);
  add_agent("c", {node_of("n1", 1)});
  pass();
  EXPECT_THAT(known("n1").events(),
              testing::Contains(testing::Property(&v1::ClusterEvent::kind, "joined")))
      << "what concerns the whole cluster";
  request.set_cluster("c");
  request.set_node("n9");
  EXPECT_EQ(call("Query.ListClusterEvents", request).error().code, ec::not_found);
}

}  // namespace argosy::tests
