// SPDX-License-Identifier: Apache-2.0
// Goal: what an unpleasant cluster refuses fails no job, what its users get wrong costs nobody a
// node, and both are said in words; all goes on when it is mended.
// Method: the real programs in front of a cluster in memory.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/integration/kube/programs_fixture.hpp"

namespace argosy::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class kube_bad_day : public programs_fixture {
 protected:
  void SetUp() override {
    if (std::getenv("ARGOSY_REAL_CLUSTER") != nullptr) GTEST_SKIP() << "it is in memory";
    cluster.add_node("node-2", {{"lab/pods", "true"}});
    programs_fixture::SetUp();
  }
  /// Waits until explain says so of the job.
  void expect_explained(const std::string& job, const std::string& words) const {
    std::string out;
    const auto is_told = [&] {
      out = world.ctl({"explain", job}).out;
      return out.find(words) != std::string::npos;
    };
    EXPECT_TRUE(eventually(is_told, 20s)) << words << "\n" << out << world.job(job);
  }
};

TEST_F(kube_bad_day, a_cluster_that_refuses_keeps_jobs_queued_and_says_why) {
  other_namespace = "full, rightless, ending";
  cluster.set_quota({"full", "team", {{"pods", "0"}}});
  cluster.refuse({"POST", "/rightless/pods", 403,
                  "pods is forbidden: User \"agent\" cannot create resource \"pods\"", 0,
                  "Forbidden"});
  cluster.refuse(ending_namespace("ending"));
  cluster.refuse({"POST", "/jobs/services", 403,
                  "services \"s\" is forbidden: exceeded quota: few, requested: services=1, used: "
                  "services=2, limited: services=2",
                  0, "Forbidden"});
  const auto agent = start_agent();
  const auto in = [&](const char* where) {
    return submit({.command = "true", .name_space = where});
  };
  const auto serving =
      submit({"true", "services: [{type: NodePort, ports: [80]}]", "[{containerPort: 80}]"});
  std::vector<std::string> jobs{in("full"), in("rightless"), in("ending"), serving};
  expect_explained(jobs[0],
                   "exceeded quota: team, requested: pods=1, used: pods=0, limited: pods=0");
  expect_explained(jobs[1], "cannot create resource \"pods\"");
  expect_explained(jobs[2], "is being terminated");
  expect_explained(jobs[3], "takes no jobs with services in its namespace 'jobs' for now: the ");
  EXPECT_EQ(wait_for(submit({"true"}), "done", limit), 0) << "it has no services" << agent_log();
  EXPECT_THAT(world.ctl({"status"}).out, HasSubstr("takes no jobs "));
  cluster.remove_quota("full", "team");
  cluster.refusals.lift();
  for (const auto& job : jobs) EXPECT_EQ(wait_for(job, "done", limit), 0) << world.job(job);
}

TEST_F(kube_bad_day, rights_of_owners_and_slips_of_the_operator_fail_no_job) {
  cluster.clock.set_ahead(1h);
  const auto agent =
      start_agent("  impersonateUsers: true\n  podDefaults: [{annotations: {team: x}}]\n");
  cluster.refuse({"POST", "/pods", 403,
                  "pods is forbidden: User \"x\" cannot create resource \"pods\" in API group \"\"",
                  0, "Forbidden"});
  const auto job = submit({"true"});
  expect_explained(job, "takes no jobs of user ");
  cluster.refusals.lift();
  auto busy = out_of_order("POST");
  auto denies = webhook_denies("policy", "annotation team is not allowed");
  busy.times = denies.times = 1;
  cluster.refuse(busy);
  cluster.refuse(denies);
  EXPECT_EQ(wait_for(job, "done", limit), 0) << world.job(job) << agent_log();
  const auto asked = cluster.asked("POST", "/pods");
  EXPECT_TRUE(std::ranges::any_of(asked, [](const auto& each) {
    return each.query.contains("dryRun");
  })) << "the agent asks whether its own settings are to blame";
}

TEST_F(kube_bad_day, rights_that_are_useful_or_needed_are_named_while_they_are_missing) {
  const auto agent = start_agent();
  ASSERT_EQ(wait_for(submit({"true"}), "done", limit), 0) << agent_log();
  const auto says = [&](const std::string& what, bool wanted) {
    std::string status, clusters;
    const bool done = eventually(
        [&] {
          status = world.ctl({"status"}).out;
          clusters = world.ctl({"get", "clusters", "-o", "wide"}).out;
          return (status.find(what) != std::string::npos) == wanted &&
                 (clusters.find(what) != std::string::npos) == wanted;
        },
        30s);
    EXPECT_TRUE(done) << what << "\n" << status << clusters << agent_log();
  };
  struct {
    const char* verb;
    const char* resource;
    std::string name_space;
    const char* told;
  } const useful[] = {
      {"get", "pods/log", name_space, "get pods/log in namespace 'jobs', so that no output of"},
      {"list", "events", name_space, "list events in namespace 'jobs', so that nobody is told why"},
      {"get", "persistentvolumes", "", "get persistentvolumes, so that jobs are tried on nodes"}};
  for (const auto& [verb, resource, where, told] : useful) {
    cluster.refuse(no_right(verb, resource, where));
    says(told, true);
    EXPECT_EQ(wait_for(submit({"true"}), "done", limit), 0) << told << agent_log();
    cluster.refusals.lift();
    says(told, false);
  }
  const auto runs = submit({"sleep 600"});
  ASSERT_EQ(wait_for(runs, "running", limit), 0) << agent_log();
  const std::string needed = "needs: delete pods in namespace 'jobs'";
  cluster.refuse(no_right("delete", "pods", name_space));
  says(needed, true);
  const auto waits = submit({"true"});
  EXPECT_TRUE(has_state(waits, "QUEUED")) << world.job(waits);
  cluster.refusals.lift();
  says(needed, false);
  EXPECT_EQ(wait_for(waits, "done", limit), 0) << world.job(waits);
  EXPECT_TRUE(has_state(runs, "RUNNING")) << world.job(runs);
}

TEST_F(kube_bad_day, drains_give_jobs_back_and_misspelt_claims_close_no_node) {
  const auto agent = start_agent("  nodeWait: 1s\n");
  const auto drained = submit({"sleep 600"});
  ASSERT_EQ(wait_for(drained, "running", limit), 0) << agent_log();
  const auto node_of = [&](int run) {
    const auto name = "armada-" + drained + "-" + std::to_string(run);
    const auto pod = cluster.object("pods", "jobs", name);
    return pod.is_object() ? pod["spec"].value("nodeName", "") : std::string{};
  };
  const auto before = node_of(0);
  cluster.drain(before);
  // It may be sent there once more before the cordon is told.
  const auto is_elsewhere = [&] {
    for (int run = 1; run < 9; ++run)
      if (const auto node = node_of(run); !node.empty()) return node != before;
    return false;
  };
  ASSERT_TRUE(eventually(is_elsewhere, 20s)) << world.job(drained) << agent_log();

  cluster.scheduler_says("armada-", {.message = "0/2 nodes are available: persistentvolumeclaim "
                                                "\"nosuch\" not found."});
  const auto misspelt = submit({"true"}, 12);
  for (const auto& job : misspelt) {
    EXPECT_EQ(wait_for(job, "done", limit), 10) << world.job(job);
    EXPECT_THAT(world.job(job), HasSubstr("nosuch"));
  }
  cluster.scheduler_says_nothing();
  EXPECT_THAT(world.ctl({"get", "nodes"}).out, Not(HasSubstr("quarantined")));
  EXPECT_EQ(wait_for(submit({"true"}), "done", limit), 0) << agent_log();
}

}  // namespace
}  // namespace argosy::testing
