// SPDX-License-Identifier: Apache-2.0
// Goal: the rights that the chart gives to the agent are those that its code uses, no more and no
// less, and each of them is told of when it is missing. A test of the chart compares
// config/kubernetes/rights.txt with the chart; this one compares it with the code.
// Method: a backend that does all that it can do, and the election of replicas, on an API server in
// memory that notes what it is asked and is asked for rights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "runtime/backends/kubernetes/link/cluster_identity.hpp"
#include "runtime/kube/lease/election_core.hpp"
#include "tests/unit/kubernetes/attached_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The words of a path between slashes: "/api/v1/namespaces/jobs/pods/p/log" has seven.
std::vector<std::string> words_of(const std::string& path) {
  std::vector<std::string> out;
  std::istringstream from{path.substr(1, path.find('?') - 1)};
  for (std::string word; std::getline(from, word, '/');) out.push_back(word);
  return out;
}

/// What RBAC calls a request: "create pods", "get pods/log", "update leases.coordination.k8s.io".
std::string right_of(const std::string& verb, const std::string& path) {
  auto words = words_of(path);
  // "api/v1" is the group without a name, "apis/GROUP/VERSION" is any other.
  const auto group = words[0] == "api" ? std::string{} : "." + words[1];
  words.erase(words.begin(), words.begin() + (words[0] == "api" ? 2 : 3));
  if (words[0] == "namespaces" && words.size() > 2) words.erase(words.begin(), words.begin() + 2);
  auto resource = words[0];
  if (words.size() > 2) resource += "/" + words[2];
  const bool named = words.size() > 1;
  const auto name = verb == "POST"     ? "create"
                    : verb == "PUT"    ? "update"
                    : verb == "PATCH"  ? "patch"
                    : verb == "DELETE" ? "delete"
                    : named            ? "get"
                                       : "list";
  return std::string{name} + " " + resource + group;
}

std::set<std::string> listed_rights() {
  std::ifstream file{std::string{ARGOSY_SOURCE_DIR} + "/config/kubernetes/rights.txt"};
  std::set<std::string> out;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') out.insert(line);
  return out;
}

struct kubernetes_rights : attached_fixture {
  void note(const kube::request& what) { used.insert(right_of(what.verb, what.path)); }

  /// All that the election asks: it makes the object, renews it and looks at it.
  void elect() {
    kube::election_core core{{.name_space = "argosy", .name = "agent", .identity = "a"}};
    const auto turn = [&](const kube::answer& got) {
      const auto what = core.tick(clock.boot(), clock.wall());
      ASSERT_TRUE(what);
      note(*what);
      core.answered(got, clock.boot());
      clock.advance(2s);
    };
    const kube::answer held{200, R"({"metadata":{"uid":"u","resourceVersion":"1"},
                                     "spec":{"holderIdentity":"a"}})"};
    turn({404, "{}"});
    turn(held);
    turn(held);
    const auto last = core.release(clock.boot(), clock.wall());
    ASSERT_TRUE(last);
    note(*last);
  }

  std::set<std::string> used;
};

TEST_F(kubernetes_rights, are_those_that_are_listed_for_the_chart) {
  open();
  for (const auto& [path, to] : kube->followers) {
    used.insert(right_of("GET", path));
    used.insert("watch" + right_of("GET", path).substr(4));
  }
  const auto run = start(1);
  kube->output[at(run)] = "text";
  static_cast<void>(read({run}));
  // The claims of a pod are looked at, and the volumes of these.
  kube->attached["/api/v1/namespaces/jobs/persistentvolumeclaims/data"] =
      json::parse(R"({"spec":{"volumeName":"pv"}})");
  auto with_claim = launch_of(run_of(4));
  auto pod = json::parse(with_claim.pod);
  pod["spec"]["volumes"] = {{{"persistentVolumeClaim", {{"claimName", "data"}}}}};
  with_claim.pod = pod.dump();
  backend->start(with_claim);
  backend->advance();
  // A pod that a list lacks is looked at, and one of a run that is stopped is deleted.
  kube->remove(at(run), true);
  kube->list_again();
  backend->advance();
  stop(start(2));
  // Services and ingresses whose names are taken are looked at; those of a run that ends go.
  const auto lost = kube::answer{409, R"({"message":"already exists"})"};
  kube->faults = {{"POST", lost, true}, {"POST", lost, true}};
  set_status(start_with_objects(3), succeeded);
  for (const auto& each : kube->requests) note(each);
  note(cluster_identity::question());
  elect();
  EXPECT_EQ(used, listed_rights());
}

TEST_F(kubernetes_rights, are_each_told_of_while_they_are_missing) {
  open();
  set_status(start_with_objects(1), running);
  take_phases();
  for (const auto& right : listed_rights()) {
    // Without a lease no replica has a backend that could tell.
    if (right.find("leases") != std::string::npos) continue;
    SCOPED_TRACE(right);
    kube->missing_rights = {right};
    for (int i = 0; i < 10; ++i) pass(1s);
    const auto told = backend->trouble();
    EXPECT_THAT(told.why + told.lacks, HasSubstr("denies the agent rights"));
    EXPECT_THAT(told.why + told.lacks, HasSubstr(right));
    EXPECT_THAT(told.why + told.lacks, HasSubstr("config/KUBERNETES.md"));
    kube->missing_rights = {};
    for (int i = 0; i < 5; ++i) pass(1s);
    EXPECT_EQ(backend->trouble().why + backend->trouble().lacks, "");
  }
  EXPECT_THAT(take_phases(), IsEmpty()) << "no run ends for it";
  kube::election_core core{{.name_space = "argosy", .name = "agent", .identity = "a"}};
  ASSERT_TRUE(core.tick(clock.boot(), clock.wall()));
  core.answered(kube::answer{403, R"({"message":"leases is forbidden"})"}, clock.boot());
  ASSERT_TRUE(core.trouble());
  EXPECT_THAT(core.trouble()->detail, HasSubstr("leases is forbidden; give the agent's user"));
}

}  // namespace
}  // namespace argosy::backends
