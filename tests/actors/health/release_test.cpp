// SPDX-License-Identifier: Apache-2.0
// Goal: an operator ends the quarantine of a node; the node takes jobs at once, and no later leader
// quarantines it for what was before. Method: a scripted agent that refuses all starts until it is
// mended, in virtual time, over restarts.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct released_node : control_plane_test {
  released_node() {
    begin();
    create_queue("a");
    agent = &add_agent("c", {node_of("n", 1)});
    (*agent)->refuses_starts = true;
    id = submit("a").at(0);
    pass(12s);
    EXPECT_EQ(state(), "quarantined");
    EXPECT_EQ(job(id).state(), api::QUEUED);
  }
  /// A quarantine that would outlast every test.
  void begin() {
    start([](actors::root_config& with) {
      with.node_rules.quarantine_period = with.node_rules.quarantine_period_max = 1h;
    });
  }
  void next_leader() {
    crash();
    begin();
    reconnect_agents();
    pass(2s);
  }
  std::string state() { return nodes().at("c/n").state(); }
  static v1::ReleaseNodeRequest request_for(const std::string& node) {
    v1::ReleaseNodeRequest request;
    request.set_cluster("c");
    request.set_node(node);
    request.set_reason("its disk was replaced");
    return request;
  }
  void release() { ask<v1::ReleaseNodeResponse>("ClusterService.ReleaseNode", request_for("n")); }
  void expect_refused(const v1::ReleaseNodeRequest& request, ec code, const std::string& why) {
    const auto refused = call("ClusterService.ReleaseNode", request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, code);
    EXPECT_THAT(refused.error().detail, HasSubstr(why));
  }

  scripted_agent* agent = nullptr;
  std::string id;
};

TEST_F(released_node, takes_jobs_at_once) {
  (*agent)->refuses_starts = false;
  release();
  EXPECT_EQ(state(), "ready");
  EXPECT_EQ(nodes().at("c/n").quarantined_until_ns(), 0);
  pass(2s);
  EXPECT_EQ(job(id).state(), api::RUNNING);
}

TEST_F(released_node, is_judged_anew) {
  EXPECT_EQ((*agent).begun(id), 3);
  release();
  pass(10s);
  EXPECT_EQ((*agent).begun(id), 6) << "it may refuse as often as a new node";
  EXPECT_EQ(state(), "quarantined");
}

TEST_F(released_node, stays_so_under_a_new_leader) {
  api::JobCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  cancel.add_job_ids(id);
  ASSERT_TRUE(call("Submit.CancelJobs", cancel));
  pass();
  next_leader();
  ASSERT_EQ(state(), "quarantined") << "a new leader goes on with it";
  release();
  next_leader();
  EXPECT_EQ(state(), "ready") << "no round has come between";
  (*agent)->refuses_starts = false;
  const auto next = submit("a").at(0);
  pass(2s);
  EXPECT_EQ(job(next).state(), api::RUNNING);
  next_leader();
  EXPECT_EQ(state(), "ready") << "rounds have come between";
}

TEST_F(released_node, must_be_quarantined) {
  release();
  expect_refused(request_for("n"), ec::conflict, "node 'c/n' is not quarantined");
  expect_refused(request_for("m"), ec::not_found, "cluster 'c' has no node 'm'");
  auto request = request_for("n");
  request.set_cluster("d");
  expect_refused(request, ec::not_found, "cluster 'd' does not exist; there are: c");
  request = request_for("n");
  request.set_reason(std::string(1025, 'x'));
  expect_refused(request, ec::invalid_argument, "more than 1024 bytes");
}

}  // namespace argosy::tests
