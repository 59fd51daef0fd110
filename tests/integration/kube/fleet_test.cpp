// SPDX-License-Identifier: Apache-2.0
// Goal: clusters of Kubernetes, a machine and simulated nodes under one argosyd are one fleet: the
// queues share all of it, gangs stay in one cluster when they ask for it, and clusters come and go
// under load without a job that is lost or runs twice.
// Method: the real programs on two clusters in memory, or with ARGOSY_REAL_CLUSTER on all those
// whose files KUBECONFIG names (separated by colons). Nodes of the fleet get labels for the test.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <map>
#include <set>

#include "runtime/kube/credentials/kubeconfig.hpp"
#include "runtime/kube/https/https_api.hpp"
#include "tests/integration/kube/programs_fixture.hpp"

namespace argosy::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::ElementsAre;

constexpr const char* fleet_label = "argosy.test/fleet";
constexpr const char* cluster_label = "argosy.test/cluster";
constexpr std::size_t nodes_max = 2;  ///< So many of each cluster take part.

class kube_fleet : public programs_fixture {
 protected:
  struct member {
    std::string name;
    std::string kubeconfig;
    std::unique_ptr<kube::api> client;
    std::vector<std::string> nodes;  ///< The nodes that have labels for the test.
    child agent;
  };

  void SetUp() override {
    programs_fixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ASSERT_EQ(world.ctl({"queue", "create", "r"}).code, 0);
    if (is_real()) {
      std::string all = std::getenv("KUBECONFIG");
      for (std::size_t at = 0; at < all.size();) {
        const auto end = std::min(all.find(':', at), all.size());
        if (end > at) add_member(all.substr(at, end - at));
        at = end + 1;
      }
    } else {
      cluster.add_node("fleet-1", labels_of("kube-1"));
      other_.add_node("fleet-2", labels_of("kube-2"));
      other_server_ = std::make_unique<cluster_server>(other_);
      add_member(kubeconfig);
      add_member(world.write("other-kubeconfig", other_server_->kubeconfig()));
    }
  }
  void TearDown() override {
    for (auto& each : members)
      for (const auto& node : each.nodes)
        patch(each, node, {{fleet_label, nullptr}, {cluster_label, nullptr}});
    programs_fixture::TearDown();
  }

  static json labels_of(const std::string& name) {
    return {{fleet_label, "yes"}, {cluster_label, name}};
  }
  void add_member(const std::string& file) {
    member out;
    out.name = "kube-" + std::to_string(members.size() + 1);
    out.kubeconfig = file;
    const auto access = kube::read_kubeconfig(content_of(file), file, {});
    ASSERT_TRUE(access) << access.error().detail;
    auto made = kube::make_https_api(*access, {}, system_clock_source(), 7);
    ASSERT_TRUE(made) << made.error().detail;
    out.client = std::move(*made);
    if (is_real()) {
      kube::request what;
      what.path =
          "/api/v1/nodes?labelSelector=" + selector() + "&limit=" + std::to_string(nodes_max);
      const auto got = ask(*out.client, what);
      ASSERT_TRUE(got && got->ok());
      const auto all = json::parse(got->body);
      for (const auto& node : all["items"]) {
        out.nodes.push_back(node["metadata"]["name"]);
        patch(out, out.nodes.back(), labels_of(out.name));
      }
      ASSERT_FALSE(out.nodes.empty()) << file << " has no node of ARGOSY_TEST_NODES";
    }
    members.push_back(std::move(out));
  }
  void patch(const member& of, const std::string& node, const json& labels) const {
    kube::request what;
    what.verb = "PATCH";
    what.path = "/api/v1/nodes/" + node;
    what.content_type = "application/merge-patch+json";
    what.body = json{{"metadata", {{"labels", labels}}}}.dump();
    const auto got = ask(*of.client, what);
    EXPECT_TRUE(got && got->ok()) << (got ? got->body : got.error().detail);
  }

  void start(member& of) const {
    const auto config = world.write(of.name + ".yaml", "kubernetes: {kubeconfig: " + of.kubeconfig +
                                                           ", namespaces: [" + name_space +
                                                           "], countOtherPods: false}\n");
    of.agent = world.start_agent(of.name, {"--backend", "kubernetes", "--config", config});
  }
  child start_machine() const {
    return world.start_agent("machine", {"--backend", "process", "--config",
                                         world.write("machine.yaml",
                                                     "process:\n"
                                                     "  capacity: {cpu: 2, memory: 4Gi}\n"
                                                     "  labels: {argosy.test/fleet: \"yes\", "
                                                     "argosy.test/cluster: machine}\n")});
  }
  child start_simulated(const std::string& name) const {
    return world.start_agent(
        name, {"--backend", "simulated", "--config",
               world.write(
                   name + ".yaml",
                   "simulated:\n"
                   "  nodes:\n"
                   "    - name: " +
                       name +
                       "\n      labels: {argosy.test/fleet: \"yes\", argosy.test/cluster: " + name +
                       "}\n      resources: {cpu: 2, memory: 4Gi, ephemeral-storage: 9Gi}\n"
                       "  runTime: 100ms\n")});
  }

  /// The nodes of the fleet.
  [[nodiscard]] std::size_t room() const {
    std::size_t out = 0;
    const auto all = json::parse(world.ctl({"get", "nodes", "-o", "json"}).out, nullptr, false);
    for (const auto& node : all.value("items", json::array()))
      if (node.dump().find(fleet_label) != std::string::npos) ++out;
    return out;
  }

  /// The runs of each job that began, by their clusters, in order.
  using places = std::map<std::string, std::vector<std::string>>;
  [[nodiscard]] places where(const std::vector<std::string>& jobs) const {
    places out;
    std::vector<std::string> words{"get", "jobs", "-o", "jsonl"};
    words.insert(words.end(), jobs.begin(), jobs.end());
    for (const auto& line : lines_of(world.ctl(std::move(words)).out)) {
      const auto job = json::parse(line, nullptr, false);
      const auto id = job.value("jobId", std::string{});
      // One that was given back before it began is none. One that ended while no agent looked at
      // its pod was never seen to run.
      for (const auto& run : job.value("jobRuns", json::array()))
        if ((run.contains("startedTs") && !run["startedTs"].is_null()) ||
            run.value("state", std::string{}) == "RUN_STATE_SUCCEEDED")
          out[id].push_back(run.value("cluster", std::string{}));
    }
    return out;
  }

  /// Submits jobs that the table shows as of this kind.
  void submit_as(const std::string& kind, const std::string& queue, std::size_t count,
                 const std::string& nodes, const std::string& annotations = {}) {
    pod_job job{"true"};
    if (!annotations.empty()) job.item = "annotations: {" + annotations + "}";
    job.nodes = nodes;
    job.cpu = "250m";
    job.queue = queue;
    for (auto& id : submit(job, count)) submitted[kind].push_back(std::move(id));
  }

  /// The clusters that had work.
  [[nodiscard]] std::set<std::string> all_places() const {
    std::set<std::string> out;
    for (const auto& [kind, ids] : submitted)
      for (const auto& [id, clusters] : where(ids)) out.insert(clusters.begin(), clusters.end());
    return out;
  }

  /// Prints how many runs of each kind were in which cluster, and returns how many jobs did not
  /// have exactly one.
  [[nodiscard]] std::size_t print_places() const {
    const auto clusters = all_places();
    constexpr int wide = 24;
    constexpr int narrow = 10;
    std::cout << std::left << std::setw(wide) << "jobs" << std::right;
    for (const auto& name : clusters) std::cout << std::setw(narrow) << name;
    std::cout << std::setw(narrow) << "jobs" << std::setw(narrow) << "not once"
              << "\n";
    std::size_t out = 0;
    for (const auto& [kind, ids] : submitted) {
      std::map<std::string, std::size_t> counts;
      std::size_t odd = ids.size();
      for (const auto& [id, ran] : where(ids)) {
        if (ran.size() == 1) --odd;
        for (const auto& name : ran) ++counts[name];
      }
      std::cout << std::left << std::setw(wide) << kind << std::right;
      for (const auto& name : clusters) std::cout << std::setw(narrow) << counts[name];
      std::cout << std::setw(narrow) << ids.size() << std::setw(narrow) << odd << "\n";
      out += odd;
    }
    return out;
  }

  std::vector<member> members;
  std::map<std::string, std::vector<std::string>> submitted;  ///< Jobs by their kind.

 private:
  virtual_cluster other_;
  std::unique_ptr<cluster_server> other_server_;
};

TEST_F(kube_fleet, is_shared_by_all_queues_while_clusters_come_and_go) {
  if (members.size() < 2)
    GTEST_SKIP() << "KUBECONFIG names no cluster beside the first, and one has to stay";
  const std::string anywhere = std::string{fleet_label} + ": \"yes\"";
  auto machine = start_machine();
  auto simulated = start_simulated("simulated");
  auto& leaving = members.front();
  auto& late = members.back();
  for (auto& each : members)
    if (&each != &late) start(each);
  ASSERT_TRUE(eventually([&] { return room() >= members.size() + 1; }, 60s)) << world.log();
  const std::size_t many = is_real() ? 200 : 60;
  submit_as("of queue q", "q", many, anywhere);
  submit_as("of queue r", "r", many, anywhere);
  // Two are added while there is work, and one goes and comes back.
  start(late);
  auto added = start_simulated("added");
  leaving.agent.signal(SIGTERM);
  ASSERT_EQ(leaving.agent.wait(20s), 0);
  submit_as("submitted without it", "q", many, anywhere);
  start(leaving);
  for (int i = 0; i < 3; ++i)
    submit_as("gangs of two", "r", 2, anywhere,
              "armadaproject.io/gangId: gang-" + std::to_string(i) +
                  ", armadaproject.io/gangCardinality: \"2\", "
                  "armadaproject.io/gangNodeUniformityLabel: " +
                  cluster_label);
  for (const auto& name : {leaving.name, late.name, std::string{"added"}})
    submit_as("only on " + name, "r", 1, std::string{cluster_label} + ": " + name);
  std::vector<std::string> wait{"wait", "--timeout", "50s"};
  for (const auto& [kind, ids] : submitted) wait.insert(wait.end(), ids.begin(), ids.end());
  constexpr int timed_out = 124;
  int ended = timed_out;
  for (int turn = 0; turn < 10 && ended == timed_out; ++turn) ended = world.ctl(wait).code;
  EXPECT_EQ(ended, 0) << world.ctl({"get", "jobs", "--active"}).out;
  EXPECT_EQ(print_places(), 0u) << "jobs with several runs";
  EXPECT_EQ(all_places().size(), members.size() + 3) << "each cluster had work";
  const auto& gangs = submitted.at("gangs of two");
  const auto ran = where(gangs);
  for (std::size_t i = 0; i < gangs.size(); i += 2)
    EXPECT_EQ(ran.at(gangs[i]), ran.at(gangs[i + 1])) << "both members are in one cluster";
  for (const auto& name : {leaving.name, late.name, std::string{"added"}}) {
    const auto& id = submitted.at("only on " + name).front();
    EXPECT_THAT(where({id})[id], ElementsAre(name));
  }
}

}  // namespace
}  // namespace argosy::testing
