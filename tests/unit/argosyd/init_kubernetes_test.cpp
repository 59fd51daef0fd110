// SPDX-License-Identifier: Apache-2.0
// Goal: what `argosyd init --kubernetes` writes lets an agent outside of its cluster do what its
// code asks for and nothing else, and is read by the agent as it stands. Method: the plan alone;
// the rights beside config/kubernetes/rights.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "bins/argosyd/init/init_plan.hpp"
#include "runtime/kube/credentials/kubeconfig.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::argosyd {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

init_request request() {
  init_request out;
  out.folder = "/etc/argosy";
  out.clusters = {"east.1"};
  out.kubernetes = kube_target{"gke 'one'", "https://10.0.0.1:6443", "PEM\n", "", ""};
  return out;
}

result<init_outcome> plan(const init_request& wanted) {
  return plan_init(
      wanted,
      [](const std::filesystem::path&) -> result<std::string> { return fail(ec::not_found, ""); },
      access::make_nkey);
}

std::string file_of(const init_outcome& made, const std::string& path) {
  for (const auto& each : made.files)
    if (each.path == path) return each.text;
  return {};
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream from{list};
  for (std::string word; std::getline(from, word, ',');) {
    std::erase_if(word, [](char c) { return c == ' ' || c == '"'; });
    out.push_back(word);
  }
  return out;
}

/// The rights of all roles of a manifest, as rights.txt writes them.
std::set<std::string> rights_of(const std::string& manifest) {
  const std::regex rule{R"(apiGroups: \[(.*?)\], resources: \[(.*?)\],\s+verbs: \[(.*?)\])"};
  std::set<std::string> out;
  for (std::sregex_iterator at{manifest.begin(), manifest.end(), rule}, end; at != end; ++at)
    for (const auto& resource : words_of((*at)[2]))
      for (const auto& verb : words_of((*at)[3])) {
        const auto group = words_of((*at)[1]);
        const bool plain = group.empty() || group[0].empty();
        out.insert(verb + " " + resource + (plain ? "" : "." + group[0]));
      }
  return out;
}

std::set<std::string> listed_rights() {
  std::ifstream file{std::string{ARGOSY_SOURCE_DIR} + "/config/kubernetes/rights.txt"};
  std::set<std::string> out;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#' && !line.ends_with("leases.coordination.k8s.io"))
      out.insert(line);
  return out;
}

TEST(init_kubernetes, gives_the_rights_that_the_code_uses) {
  const auto made = plan(request());
  ASSERT_TRUE(made) << made.error().detail;
  const auto manifest = file_of(*made, "kubernetes/east.1.yaml");
  EXPECT_EQ(rights_of(manifest), listed_rights());
  EXPECT_THAT(manifest, HasSubstr("pod-security.kubernetes.io/enforce: baseline"));
  EXPECT_THAT(manifest, HasSubstr("type: kubernetes.io/service-account-token"));
}

TEST(init_kubernetes, writes_settings_and_a_kubeconfig_file_that_the_agent_reads) {
  const auto made = plan(request());
  ASSERT_TRUE(made) << made.error().detail;
  settings::sources from;
  from.file = {"east.yaml", file_of(*made, "agents/east.1.yaml")};
  const auto agent = settings::load_agent(from);
  ASSERT_TRUE(agent) << agent.error().detail;
  EXPECT_EQ(agent->value.backend, settings::backend_kind::kubernetes);
  const auto& own = agent->value.kubernetes;
  EXPECT_EQ(own.kubeconfig, "/etc/argosy/kubernetes/east.1.kubeconfig");
  EXPECT_EQ(own.rules.namespaces, std::vector<std::string>{"jobs"});
  ASSERT_EQ(own.rules.policies.size(), 1U);
  EXPECT_EQ(own.rules.policies[0].level, access::pod_level::baseline);
  const auto access =
      kube::read_kubeconfig(file_of(*made, "kubernetes/east.1.kubeconfig"), own.kubeconfig, {});
  ASSERT_TRUE(access) << access.error().detail;
  EXPECT_EQ(access->server, "https://10.0.0.1:6443");
  EXPECT_EQ(access->authorities.file, "/etc/argosy/kubernetes/east.1-ca.pem");
  EXPECT_EQ(file_of(*made, "kubernetes/east.1-ca.pem"), "PEM\n");
  EXPECT_EQ(access->token.file, "/etc/argosy/credentials/kubernetes-east.1");
}

TEST(init_kubernetes, says_what_to_call_and_how_long_the_token_holds) {
  const auto made = plan(request());
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_THAT(made->said, HasSubstr("kubectl --context 'gke '\\''one'\\''' apply -f "
                                    "'/etc/argosy/kubernetes/east.1.yaml'"));
  EXPECT_THAT(made->said, HasSubstr("get secret argosy-agent-east.1 -n argosy"));
  EXPECT_THAT(made->said, HasSubstr("> '/etc/argosy/credentials/kubernetes-east.1'"));
  EXPECT_THAT(made->said, HasSubstr("holds until its\nSecret is deleted"));
  auto plain = request();
  plain.kubernetes.reset();
  const auto without = plan(plain);
  ASSERT_TRUE(without);
  EXPECT_EQ(file_of(*without, "kubernetes/east.1.yaml"), "");
  EXPECT_THAT(file_of(*without, "agents/east.1.yaml"), Not(HasSubstr("kubernetes")));
}

TEST(init_kubernetes, leaves_a_file_that_is_there_as_somebody_edited_it) {
  const auto made = plan_init(
      request(),
      [](const std::filesystem::path& file) -> result<std::string> {
        if (file == "kubernetes/east.1.yaml") return "edited";
        return fail(ec::not_found, "");
      },
      access::make_nkey);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(file_of(*made, "kubernetes/east.1.yaml"), "");
  EXPECT_NE(file_of(*made, "kubernetes/east.1.kubeconfig"), "");
  EXPECT_THAT(made->said, HasSubstr("kubernetes/east.1.yaml is there already and stays as it is"));
  const auto apply = made->said.find("kubectl --context");
  EXPECT_LT(made->said.find("  argosyd --config"), apply);
  EXPECT_GT(made->said.find("  argosy-agent --config"), apply);
}

TEST(init_kubernetes, is_for_one_cluster_with_a_name_that_objects_may_have) {
  auto wrong = request();
  wrong.clusters = {"a", "b"};
  EXPECT_THAT(plan(wrong).error().detail, HasSubstr("is for one cluster"));
  wrong.clusters.clear();
  EXPECT_THAT(plan(wrong).error().detail, HasSubstr("is for one cluster"));
  for (const auto* name : {"East", "a_b", "-a", "a..b"}) {
    wrong.clusters = {name};
    EXPECT_THAT(plan(wrong).error().detail, HasSubstr("at most 50 of the characters")) << name;
  }
}

}  // namespace

}  // namespace argosy::argosyd
