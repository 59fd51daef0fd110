// SPDX-License-Identifier: Apache-2.0
// Goal: what operators do with argosyctl does on real processes what it says: retry policies, the
// draining of a node, holds, and ending all that a node or a queue has. Method: `argosyd --dev`
// with its own nats-server and data folder; jobs that leave a line for each of their runs.
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

class operators : public deployment_fixture {
 protected:
  void SetUp() override {
    const auto config = world.write("argosyd.yaml", "retries:\n  enabled: true\n");
    start_with_queue({"--config", config});
    ASSERT_TRUE(eventually([&] { return !node().empty(); }));
  }
  /// The only node, as CLUSTER/NODE.
  std::string node() const {
    const auto names = lines_of(world.ctl({"get", "nodes", "-o", "name"}).out);
    return names.size() == 1 && names[0].starts_with("node/") ? names[0].substr(5) : std::string{};
  }
  std::string submit_one(const std::string& command, const std::string& pod = {},
                         const std::string& item = {}) const {
    const auto ids = world.submit({{command, pod, item}});
    EXPECT_EQ(ids.size(), 1u);
    return ids.empty() ? std::string{} : ids[0];
  }
};

constexpr const char* preemptible = "priorityClassName: armada-preemptible";

TEST_F(operators, a_retry_policy_of_two_gives_a_failing_job_three_runs) {
  const auto policy = world.write("policy.yaml",
                                  "kind: RetryPolicy\n"
                                  "name: twice\n"
                                  "retryLimit: 2\n"
                                  "defaultAction: Fail\n"
                                  "rules:\n"
                                  "  - action: Retry\n"
                                  "    onCategory: user_error\n");
  const auto made = world.ctl({"retry-policy", "create", "-f", policy});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto set = world.ctl({"queue", "update", "q", "--retry-policies", "twice"});
  ASSERT_EQ(set.code, 0) << set.err;
  const auto id = submit_one(witness("runs") + "; exit 7");
  EXPECT_EQ(wait_for(id), 10);
  EXPECT_EQ(witnessed("runs").size(), 3u);
  const auto job = world.job(id);
  EXPECT_NE(job.find("\"exitCode\":7"), std::string::npos) << job;
  const auto free = submit_one(witness("once") + "; exit 7", {},
                               "annotations: {armadaproject.io/failFast: \"true\"}");
  EXPECT_EQ(wait_for(free), 10);
  EXPECT_EQ(witnessed("once").size(), 1u) << "a job that fails fast is not tried again";
}

TEST_F(operators, a_node_is_cordoned_drained_and_opened_again) {
  const auto runs = submit_one("sleep 100", preemptible);
  ASSERT_EQ(wait_for(runs, "running"), 0);
  const auto cordoned = world.ctl({"node", "cordon", node(), "--reason", "its fan"});
  ASSERT_EQ(cordoned.code, 0) << cordoned.err;
  const auto waits = submit_one("true");
  EXPECT_EQ(wait_for(waits, "scheduled", "1s"), 124);
  EXPECT_TRUE(has_state(runs, "RUNNING")) << "what runs goes on";
  const auto listed = world.ctl({"get", "nodes", "-o", "wide"}).out;
  EXPECT_NE(listed.find("its fan"), std::string::npos) << listed;
  const auto drained = world.ctl({"node", "drain", node(), "--timeout", "30s"});
  EXPECT_EQ(drained.code, 0) << drained.err;
  EXPECT_TRUE(has_state(runs, "QUEUED")) << "it was preempted, and queues again";
  EXPECT_TRUE(has_state(waits, "QUEUED"));
  EXPECT_EQ(world.ctl({"node", "uncordon", node()}).code, 0);
  EXPECT_EQ(wait_for(waits), 0);
  EXPECT_EQ(wait_for(runs, "running"), 0);
}

TEST_F(operators, a_drain_goes_on_without_its_client_and_after_a_restart) {
  const auto runs = submit_one("sleep 1000");
  ASSERT_EQ(wait_for(runs, "running"), 0);
  const auto place = node();
  const auto begun = world.ctl({"node", "drain", place, "--deadline", "20s", "--detach"});
  EXPECT_EQ(begun.code, 0) << begun.err;
  EXPECT_NE(begun.out.find("is draining, 1 run left: operation/"), std::string::npos) << begun.out;
  const auto listed = world.ctl({"get", "nodes"}).out;
  EXPECT_NE(listed.find("draining, 1 of 1 runs left"), std::string::npos) << listed;
  EXPECT_EQ(world.ctl({"node", "drain", place, "--timeout", "1s"}).code, 124);
  EXPECT_TRUE(has_state(runs, "RUNNING")) << "its class may not be preempted";
  ASSERT_TRUE(world.stop());
  start({"--config", (world.folder() / "argosyd.yaml").string()});
  const auto drained = world.ctl({"node", "drain", place, "--timeout", "60s"});
  EXPECT_EQ(drained.code, 0) << drained.err;
  EXPECT_NE(drained.err.find("goes on already; this joins it"), std::string::npos) << drained.err;
  EXPECT_TRUE(has_state(runs, "QUEUED")) << "its deadline came after the restart";
  const auto told = lines_of(world.ctl({"get", "operations", "--no-headers"}).out);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("done"), std::string::npos) << told[0];
  EXPECT_NE(told[0].find("1/1"), std::string::npos) << told[0];
}

TEST_F(operators, a_held_job_starts_when_it_is_released_also_after_a_restart) {
  const auto id = submit_one(witness("ran"), {}, "annotations: {argosy.io/hold: \"true\"}");
  EXPECT_EQ(wait_for(id, "scheduled", "1s"), 124);
  const auto told = world.ctl({"describe", id}).out;
  EXPECT_NE(told.find("held by "), std::string::npos) << told;
  ASSERT_TRUE(world.stop());
  start({"--config", (world.folder() / "argosyd.yaml").string()});
  EXPECT_EQ(wait_for(id, "scheduled", "1s"), 124);
  const auto released = world.ctl({"release", id});
  EXPECT_EQ(released.out, "released 1 job\n") << released.err;
  EXPECT_EQ(wait_for(id), 0);
  EXPECT_EQ(witnessed("ran").size(), 1u);
}

TEST_F(operators, all_that_a_node_or_a_queue_has_is_ended_in_one_go) {
  const auto some = world.submit({{"sleep 100", preemptible}, {"sleep 100"}});
  ASSERT_EQ(some.size(), 2u);
  for (const auto& id : some) ASSERT_EQ(wait_for(id, "running"), 0);
  const auto would = world.ctl({"preempt", "--node", node(), "--dry-run"});
  EXPECT_EQ(would.out, "would preempt at most 2 jobs\n") << would.err;
  EXPECT_EQ(world.ctl({"preempt", "--node", node()}).code, 2) << "nobody said yes";
  const auto preempted = world.ctl({"preempt", "--node", node(), "--yes"});
  EXPECT_EQ(preempted.out, "preempted 1 job\n") << preempted.err;
  EXPECT_EQ(wait_for(some[0]), 12);
  EXPECT_TRUE(has_state(some[1], "RUNNING")) << "its class may not be preempted";
  const auto cancelled = world.ctl({"cancel", "-q", "q", "--yes", "--wait"});
  EXPECT_EQ(cancelled.code, 0) << cancelled.err;
  EXPECT_EQ(wait_for(some[1]), 11);
}

}  // namespace

}  // namespace argosy::testing
