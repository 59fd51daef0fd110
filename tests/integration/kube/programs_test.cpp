// SPDX-License-Identifier: Apache-2.0
// Goal: argosyd and an agent with backend kubernetes run jobs as pods, from the submit to the end,
// also when the agent is killed meanwhile.
// Method: the real programs against a cluster in memory with its API server; with
// ARGOSY_REAL_CLUSTER in the environment, against the cluster that KUBECONFIG names.
#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>

#include "tests/integration/kube/programs_fixture.hpp"

namespace argosy::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using kube_programs = programs_fixture;

constexpr const char* services =
    "services: [{type: NodePort, ports: [8080]}]\ningress: [{ports: [8080]}]";

TEST_F(kube_programs, nodes_join_and_jobs_end_as_their_containers_do) {
  const auto agent = start_agent();
  const auto well = submit({"echo hello"});
  EXPECT_EQ(wait_for(well, "done", limit), 0) << agent_log();
  const auto badly = submit({"echo oh; exit 3"});
  EXPECT_EQ(wait_for(badly, "done", limit), 10) << agent_log();
  EXPECT_THAT(world.job(badly), HasSubstr("\"exitCode\":3"));
  EXPECT_EQ(world.ctl({"logs", well}).out, "hello\n");
  EXPECT_EQ(world.ctl({"logs", badly}).out, "oh\n");
  EXPECT_THAT(world.ctl({"get", "nodes", "-o", "json"}).out, HasSubstr("kubernetes.io/hostname"));
}

TEST_F(kube_programs, a_cancelled_job_loses_its_pod) {
  const auto agent = start_agent();
  const auto id = submit({"echo begun; sleep 600"});
  ASSERT_EQ(wait_for(id, "running", limit), 0) << agent_log();
  EXPECT_THAT(pods_of(id), SizeIs(1));
  ASSERT_EQ(world.ctl({"cancel", id}).code, 0);
  EXPECT_EQ(wait_for(id, "done", limit), 11) << agent_log();
  EXPECT_TRUE(eventually([&] { return pods_of(id).empty(); })) << agent_log();
}

TEST_F(kube_programs, a_killed_agent_adopts_its_pod_when_it_starts_again) {
  auto agent = start_agent();
  const auto id = submit({"echo begun; sleep 600"});
  ASSERT_EQ(wait_for(id, "running", limit), 0) << agent_log();
  const auto before = pods_of(id);
  ASSERT_THAT(before, SizeIs(1));
  agent.kill();
  agent = start_agent();
  EXPECT_EQ(wait_for(submit({"true"}), "done", limit), 0) << agent_log();
  EXPECT_EQ(pods_of(id), before) << "it is the same pod, and the only one";
  EXPECT_TRUE(has_state(id, "RUNNING")) << world.job(id);
  ASSERT_EQ(world.ctl({"cancel", id}).code, 0);
  EXPECT_EQ(wait_for(id, "done", limit), 11) << agent_log();
  EXPECT_TRUE(eventually([&] { return pods_of(id).empty(); })) << agent_log();
}

TEST_F(kube_programs, one_agent_after_replicas_and_replicas_after_it_go_on_with_the_pods) {
  const std::string election = "  leaderElection: always\n  leaseNamespace: " + name_space +
                               "\n  leaseDuration: 3s\n  renewDeadline: 2s\n  retryPeriod: 200ms\n";
  const auto folder = [&](const char* name) { return world.folder() / name; };
  const auto end = [&](child& which, const char* keep_as) {
    which.signal(SIGTERM);
    EXPECT_EQ(which.wait(std::chrono::seconds{20}), 0) << agent_log();
    std::filesystem::rename(folder("agent-kube"), folder(keep_as));
  };
  auto agent = start_agent(election);
  const auto first = submit({"sleep 600"});
  ASSERT_EQ(wait_for(first, "running", limit), 0) << agent_log();
  end(agent, "of-replica");
  agent = start_agent("  leaderElection: never\n");
  const auto second = submit({"sleep 600"});
  ASSERT_EQ(wait_for(second, "running", limit), 0) << agent_log();
  const auto pods = [&] { return std::pair{pods_of(first), pods_of(second)}; };
  const auto before = pods();
  ASSERT_THAT(before.first, SizeIs(1));
  end(agent, "of-one");
  std::filesystem::rename(folder("of-replica"), folder("agent-kube"));
  agent = start_agent(election);
  EXPECT_EQ(wait_for(submit({"true"}), "done", limit), 0) << agent_log();
  EXPECT_THAT(agent_log(), HasSubstr("what this one knew is dropped"));
  EXPECT_EQ(pods(), before) << "they are the same pods, and the only ones";
  for (const auto& id : {first, second}) {
    EXPECT_TRUE(has_state(id, "RUNNING")) << world.job(id);
    ASSERT_EQ(world.ctl({"cancel", id}).code, 0);
    EXPECT_EQ(wait_for(id, "done", limit), 11) << agent_log();
    EXPECT_TRUE(eventually([&] { return pods_of(id).empty(); })) << agent_log();
  }
}

TEST_F(kube_programs, services_and_ingresses_come_with_the_pod_and_go_with_it) {
  const auto agent = start_agent("  ingressHostSuffix: example.com\n");
  const auto id = submit({"sleep 600", services, "[{containerPort: 8080}]"});
  ASSERT_EQ(wait_for(id, "running", limit), 0) << agent_log();
  const auto found = list(id, "services");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0]["metadata"]["name"], "armada-" + id + "-0-service-0");
  EXPECT_GT(found[0]["spec"]["ports"][0]["nodePort"], 0);
  const auto ingresses = list(id, "ingresses");
  ASSERT_THAT(ingresses, SizeIs(1));
  EXPECT_THAT(ingresses[0]["spec"]["rules"][0]["host"].get<std::string>(),
              HasSubstr("main-8080-armada-" + id + "-0."));
  ASSERT_EQ(world.ctl({"cancel", id}).code, 0);
  EXPECT_EQ(wait_for(id, "done", limit), 11) << agent_log();
  EXPECT_TRUE(eventually([&] {
    return pods_of(id).empty() && objects_of(id, "services").empty() &&
           objects_of(id, "ingresses").empty();
  })) << agent_log();
}

TEST_F(kube_programs, a_service_that_the_cluster_refuses_fails_the_job_and_leaves_nothing) {
  const auto agent = start_agent();
  const std::string name(60, 'x');
  if (!is_real()) cluster.refuse({"POST", "/ingresses", 422, "Ingress is invalid: " + name, 1});
  // A host that is longer than names may be.
  const auto id = submit({"sleep 600", services, "[{containerPort: 8080}]", name});
  EXPECT_EQ(wait_for(id, "done", limit), 10) << agent_log();
  EXPECT_THAT(world.ctl({"describe", "job", id}).out, HasSubstr("is invalid"));
  EXPECT_TRUE(eventually([&] {
    return pods_of(id).empty() && objects_of(id, "services").empty() &&
           objects_of(id, "ingresses").empty();
  })) << agent_log();
}

TEST_F(kube_programs, the_output_of_a_cancelled_job_is_kept) {
  const auto agent = start_agent();
  const auto id = submit({"echo begun; sleep 600"});
  ASSERT_EQ(wait_for(id, "running", limit), 0) << agent_log();
  ASSERT_EQ(world.ctl({"cancel", id}).code, 0);
  EXPECT_EQ(wait_for(id, "done", limit), 11) << agent_log();
  ASSERT_TRUE(eventually([&] { return pods_of(id).empty(); })) << agent_log();
  EXPECT_TRUE(eventually([&] { return world.ctl({"logs", id}).out == "begun\n"; })) << agent_log();
}

TEST_F(kube_programs, a_pod_is_made_in_the_name_of_its_owner_where_that_is_wanted) {
  if (is_real()) GTEST_SKIP() << "the owner may have no rights in a real cluster";
  const auto agent = start_agent("  impersonateUsers: true\n");
  const auto id = submit({"true"});
  EXPECT_EQ(wait_for(id, "done", limit), 0) << agent_log();
  const auto made = cluster.asked("POST", "/pods");
  ASSERT_THAT(made, SizeIs(1));
  const auto owner = cluster.object(
      "pods", "jobs", "armada-" + id + "-0")["metadata"]["annotations"]["armada_owner"];
  EXPECT_EQ(made[0].user, owner.get<std::string>());
  EXPECT_FALSE(made[0].user.empty());
}

TEST_F(kube_programs, a_watch_that_is_cut_and_too_old_loses_nothing) {
  if (is_real()) GTEST_SKIP() << "nobody cuts the watches of a real cluster";
  const auto agent = start_agent();
  const auto id = submit({"sleep 600"});
  ASSERT_EQ(wait_for(id, "running", limit), 0) << agent_log();
  cluster.cut_watches(true);
  cluster.delete_by_hand("jobs", "armada-" + id + "-0");
  EXPECT_TRUE(cluster.wait_for("pods", "armada-" + id + "-1"))
      << "the run is lost, and the job begins again" << agent_log();
  EXPECT_THAT(pods_of(id), SizeIs(1)) << agent_log();
}

}  // namespace
}  // namespace argosy::testing
