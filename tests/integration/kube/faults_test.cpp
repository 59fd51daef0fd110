// SPDX-License-Identifier: Apache-2.0
// Goal: no job is lost and none runs twice, whatever happens to the API server, the agent and the
// pods (lost and doubled are printed by each case).
// Method: the real programs with proxies between agent, API server and argosyd, on a cluster in
// memory or on a real one as programs_test.cpp has it; a watch that sees the pods past the proxies.
#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>

#include "runtime/kube/credentials/kubeconfig.hpp"
#include "runtime/kube/https/https_api.hpp"
#include "tests/integration/kube/faults_fixture.hpp"

namespace argosy::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST_F(kube_faults, lose_no_run_while_the_api_server_is_gone) {
  const auto agent = start_agent();
  auto jobs = submit({"true"}, many());
  ASSERT_EQ(wait_for(jobs.front(), "done", limit), 0) << agent_log();
  api_link->set({.accepts = false});
  api_link->cut();
  const auto later = submit({"true"}, many());
  // They are on the agent, which cannot make their pods.
  ASSERT_TRUE(eventually([&] { return !has_state(later.front(), "QUEUED"); })) << agent_log();
  ASSERT_TRUE(eventually([&] {
    return agent_log().find("does not tell of a collection") != std::string::npos;
  })) << agent_log();
  api_link->set({});
  jobs.insert(jobs.end(), later.begin(), later.end());
  expect_kept(jobs);
}

TEST_F(kube_faults, lose_no_run_while_the_api_server_is_silent) {
  const auto agent = start_agent();
  auto jobs = submit({"true"}, many());
  ASSERT_EQ(wait_for(jobs.front(), "done", limit), 0) << agent_log();
  api_link->set({.to_server = false, .to_client = false});
  const auto later = submit({"true"}, many());
  ASSERT_TRUE(eventually([&] { return !has_state(later.front(), "QUEUED"); })) << agent_log();
  api_link->set({});
  jobs.insert(jobs.end(), later.begin(), later.end());
  expect_kept(jobs);
}

TEST_F(kube_faults, an_agent_that_begins_while_the_api_server_is_silent_waits_for_it) {
  const auto ready = world.folder() / "ready-kube";
  const auto waits = [&] {
    return agent_log().find("the cluster does not answer yet; trying on") != std::string::npos;
  };
  api_link->set({.to_server = false, .to_client = false});
  auto agent = start_agent();
  ASSERT_TRUE(eventually(waits, 60s)) << agent_log();
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(20s), 0) << agent_log();
  agent = start_agent();
  ASSERT_TRUE(eventually(waits, 60s)) << agent_log();
  EXPECT_FALSE(std::filesystem::exists(ready));
  EXPECT_TRUE(eventually(
      [&] { return world.ctl({"status"}).out.find("cluster kube is away") != std::string::npos; }));
  api_link->cut();
  api_link->set({});
  expect_kept(submit({"true"}, many()));
  EXPECT_TRUE(std::filesystem::exists(ready));
}

TEST_F(kube_faults, lose_no_run_when_connections_are_cut_again_and_again) {
  const auto agent = start_agent();
  const auto jobs = submit({"true"}, many());
  std::size_t before = 0;
  // Each pod that comes, runs or ends is a reason to cut everything once more.
  EXPECT_TRUE(eventually(
      [&] {
        const auto now = witness.count() + witness.live() + witness.succeeded();
        if (now != std::exchange(before, now)) api_link->cut();
        return witness.succeeded() >= jobs.size();
      },
      120s))
      << agent_log();
  expect_kept(jobs);
  EXPECT_GT(api_link->resets(), 0u);
}

TEST_F(kube_faults, an_agent_follows_its_kubeconfig_to_another_address) {
  const auto name = "disturbed-kubeconfig";
  const auto text = content_of(kubeconfig);
  const auto here = "127.0.0.1:" + std::to_string(api_link->port());
  const auto with = [&](int port) {
    auto out = text;
    for (auto at = out.find(here); at != std::string::npos; at = out.find(here, at + 1))
      out.replace(at, here.size(), "127.0.0.1:" + std::to_string(port));
    return out;
  };
  api_link->set({.accepts = false});
  const auto agent = start_agent();
  ASSERT_TRUE(eventually(
      [&] {
        return agent_log().find("the cluster does not answer yet; trying on") != std::string::npos;
      },
      60s))
      << agent_log();
  tcp_proxy second{port_of(client->server())};
  world.write(name, with(second.port()));
  auto jobs = submit({"sleep 8"}, many());
  for (const auto& job : jobs) ASSERT_EQ(wait_for(job, "running", limit), 0) << agent_log();
  // A file that is wrong for a while costs nothing.
  world.write(name, "clusters: [{name: c\n");
  tcp_proxy third{port_of(client->server())};
  world.write(name, with(third.port()));
  second.set({.accepts = false});
  second.cut();
  if (!is_real())
    for (const auto& job : jobs) cluster.finish(name_space, "armada-" + job + "-0");
  const auto later = submit({"true"}, many());
  jobs.insert(jobs.end(), later.begin(), later.end());
  expect_kept(jobs);
}

TEST_F(kube_faults, a_killed_agent_makes_each_pod_once_at_whatever_step_it_was) {
  const auto ready = world.folder() / "ready-kube";
  const auto is_ready = [&] { return std::filesystem::exists(ready); };
  auto agent = start_agent();
  ASSERT_TRUE(eventually(is_ready, 60s)) << agent_log();
  std::vector<std::string> jobs;
  const auto kill_and_restart = [&] {
    agent.kill();
    std::filesystem::remove(ready);
    api_link->cut();
    api_link->set({});
    agent = start_agent();
    ASSERT_TRUE(eventually(is_ready, 60s)) << agent_log();
  };
  for (int round = 0; round < (is_real() ? 5 : 1); ++round) {
    // The request to make the pod has not reached the server.
    api_link->set({.to_server = false});
    jobs.push_back(submit({"true"}));
    ASSERT_TRUE(eventually([&] { return !has_state(jobs.back(), "QUEUED"); }, 60s)) << agent_log();
    kill_and_restart();
    ASSERT_EQ(wait_for(jobs.back(), "done", limit), 0) << agent_log();
    // It has, and the answer has not come back.
    auto pods = witness.count();
    api_link->set({.to_client = false});
    jobs.push_back(submit({"true"}));
    ASSERT_TRUE(eventually([&] { return witness.count() > pods; }, 60s)) << agent_log();
    kill_and_restart();
    ASSERT_EQ(wait_for(jobs.back(), "done", limit), 0) << agent_log();
    // The pod is there, and the agent knows it or does not.
    pods = witness.count();
    jobs.push_back(submit({"true"}));
    ASSERT_TRUE(eventually([&] { return witness.count() > pods; }, 60s)) << agent_log();
    kill_and_restart();
    ASSERT_EQ(wait_for(jobs.back(), "done", limit), 0) << agent_log();
    // The pod has ended, and the control plane has heard of it or has not.
    const auto ended = witness.succeeded();
    jobs.push_back(submit({"true"}));
    ASSERT_TRUE(eventually([&] { return witness.succeeded() > ended; }, 60s)) << agent_log();
    kill_and_restart();
  }
  expect_kept(jobs);
}

TEST_F(kube_faults, jobs_whose_pods_are_deleted_by_hand_run_again_and_say_so) {
  const auto agent = start_agent();
  const auto jobs = submit({"sleep 600"}, many());
  for (const auto& job : jobs) ASSERT_EQ(wait_for(job, "running", limit), 0) << agent_log();
  std::size_t told = 0;
  for (const auto& job : jobs) {
    const auto pod = "armada-" + job + "-0";
    if (is_real())
      remove("/api/v1/namespaces/" + name_space + "/pods/" + pod);
    else
      cluster.delete_by_hand(name_space, pod);
  }
  for (const auto& job : jobs) {
    std::string said;
    const bool again = eventually(
        [&] {
          said = world.ctl({"describe", "job", job}).out;
          return said.find("requeued 1 of 16") != std::string::npos;
        },
        60s);
    EXPECT_TRUE(again) << said;
    EXPECT_EQ(wait_for(job, "running", limit), 0) << agent_log();
    EXPECT_THAT(said, HasSubstr("deleted by somebody else"));
    told += again ? 1 : 0;
  }
  expect_once(jobs.size(), jobs.size() - told);
}

/// After the first one jobs are tried one at a time, with pauses that double from 1 s on: so many
/// are over in 15 s.
constexpr int refusals = 4;

TEST_F(kube_faults, jobs_wait_for_a_namespace_that_is_missing) {
  other_namespace = own_namespace();
  const auto agent = start_agent();
  const auto count = many() / 2;
  if (!is_real())
    cluster.refuse(
        {"POST", other_namespace + "/pods", 404, "namespaces \"x\" not found", refusals});
  const auto jobs = submit({.command = "true", .name_space = other_namespace}, count);
  ASSERT_TRUE(eventually([&] { return !has_state(jobs.front(), "QUEUED"); }, 60s)) << agent_log();
  EXPECT_TRUE(eventually(
      [&] {
        return !is_real() || world.ctl({"describe", "job", jobs.front()}).out.find("not found") !=
                                 std::string::npos;
      },
      60s))
      << agent_log();
  if (is_real()) make("/api/v1/namespaces", {{"metadata", {{"name", other_namespace}}}});
  expect_kept(jobs);
  if (is_real()) remove("/api/v1/namespaces/" + other_namespace);
}

TEST_F(kube_faults, jobs_wait_for_a_quota_that_is_used_up) {
  other_namespace = own_namespace();
  const std::string folder = "/api/v1/namespaces/" + other_namespace;
  const auto count = many() / 2;
  if (is_real()) {
    make("/api/v1/namespaces", {{"metadata", {{"name", other_namespace}}}});
    make(folder + "/resourcequotas",
         {{"metadata", {{"name", "few"}}}, {"spec", {{"hard", {{"pods", "1"}}}}}});
    // Where no controller counts, the count begins here.
    kube::request count_from;
    count_from.verb = "PATCH";
    count_from.path = folder + "/resourcequotas/few/status";
    count_from.content_type = "application/merge-patch+json";
    count_from.body = R"({"status":{"hard":{"pods":"1"},"used":{"pods":"0"}}})";
    const auto got = ask(count_from);
    ASSERT_TRUE(got && got->ok()) << (got ? got->body : got.error().detail);
  } else {
    cluster.refuse(
        {"POST", other_namespace + "/pods", 403,
         "pods \"x\" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, "
         "limited: pods=1",
         refusals});
  }
  const auto agent = start_agent();
  const auto jobs = submit({.command = "true", .name_space = other_namespace}, count);
  if (is_real()) {
    const auto is_told = [&](const auto& job) {
      return world.ctl({"describe", "job", job}).out.find("exceeded quota") != std::string::npos;
    };
    EXPECT_TRUE(eventually([&] { return std::ranges::any_of(jobs, is_told); }, 60s)) << agent_log();
    remove(folder + "/resourcequotas/few");
  }
  expect_kept(jobs);
  if (is_real()) remove(folder);
}

/// Leases are short, so that an agent that is cut off soon has none.
class kube_leases : public kube_faults {
 protected:
  void SetUp() override {
    settings =
        "agents: {heartbeat: 200ms, silenceMax: 1s}\n"
        "leases: {length: 3s, killGrace: 2s, margin: 100ms}\n";
    kube_faults::SetUp();
  }
};

TEST_F(kube_leases, let_the_pods_of_a_cut_off_agent_run_on_and_their_ends_are_told_afterwards) {
  const auto agent = start_agent_apart();
  const auto jobs = submit({"sleep 8"}, many() / 2);
  const auto stays = submit({"sleep 600"});
  for (const auto& job : jobs) ASSERT_EQ(wait_for(job, "running", limit), 0) << agent_log();
  ASSERT_EQ(wait_for(stays, "running", limit), 0) << agent_log();
  argosyd_link->set({.to_server = false, .to_client = false});
  const auto long_past = std::chrono::steady_clock::now() + 8s;
  ASSERT_TRUE(eventually([&] { return std::chrono::steady_clock::now() > long_past; }));
  EXPECT_TRUE(have_state(jobs, "RUNNING")) << "nobody knows better";
  if (!is_real())
    for (const auto& job : jobs) cluster.finish(name_space, "armada-" + job + "-0");
  argosyd_link->cut();
  argosyd_link->set({});
  expect_kept(jobs);
  EXPECT_TRUE(has_state(stays, "RUNNING")) << world.job(stays);
  EXPECT_EQ(witness.count(), jobs.size() + 1) << "each has had one pod";
  ASSERT_EQ(world.ctl({"cancel", stays}).code, 0);
  EXPECT_EQ(wait_for(stays, "done", limit), 11) << agent_log();
}

TEST_F(kube_leases, of_pods_lapse_where_that_is_wanted_and_the_jobs_run_in_another_cluster) {
  if (is_real()) GTEST_SKIP() << "the other cluster is in memory";
  virtual_cluster other;
  other.add_node("node-2", {{"lab/pods", "true"}});
  cluster_server other_server{other};
  const auto file = world.write("other-kubeconfig", other_server.kubeconfig());
  const auto access = kube::read_kubeconfig(content_of(file), file, {});
  ASSERT_TRUE(access) << access.error().detail;
  auto other_client = kube::make_https_api(*access, {}, system_clock_source(), 7);
  ASSERT_TRUE(other_client) << other_client.error().detail;
  pod_witness elsewhere;  // Both clusters give their pods the same uids.
  const auto watch = (*other_client)->follow("/api/v1/pods", elsewhere);
  const auto agent = start_agent_apart("  lapse: true\n");
  const auto jobs = submit({"sleep 600"}, many());
  for (const auto& job : jobs) ASSERT_EQ(wait_for(job, "running", limit), 0) << agent_log();
  const auto second = world.start_agent(
      "kube-2",
      {"--backend", "kubernetes", "--config",
       world.write("other.yaml", "kubernetes: {kubeconfig: " + file + ", namespaces: [" +
                                     name_space + "], countOtherPods: false, lapse: true}\n")});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.folder() / "ready-kube-2"); }))
      << agent_log();
  argosyd_link->set({.to_server = false, .to_client = false});
  // The agent reaches its API server, and deletes the pods before anybody begins the jobs anew.
  ASSERT_TRUE(eventually(
      [&] {
        const bool begun = elsewhere.count() > 0;
        const bool gone = cluster.names("pods").empty();
        EXPECT_TRUE(gone || !begun) << "a job runs twice";
        return gone;
      },
      60s))
      << agent_log();
  for (const auto& job : jobs)
    EXPECT_TRUE(other.wait_for("pods", "armada-" + job + "-1")) << world.job(job);
  const auto times_connected = [&] {
    const auto log = agent_log();
    std::size_t out = 0;
    for (auto at = log.find("connected to the"); at != std::string::npos; ++out)
      at = log.find("connected to the", at + 1);
    return out;
  };
  const auto before = times_connected();
  argosyd_link->cut();
  argosyd_link->set({});
  ASSERT_TRUE(eventually([&] { return times_connected() > before; }, 60s)) << agent_log();
  for (const auto& job : jobs) {
    EXPECT_TRUE(has_state(job, "RUNNING")) << world.job(job);
    other.finish(name_space, "armada-" + job + "-1");
  }
  expect_kept(jobs);
  EXPECT_EQ(witness.count(), jobs.size());
  EXPECT_EQ(elsewhere.count(), jobs.size()) << "each has had one pod in each cluster";
}

}  // namespace
}  // namespace argosy::testing
