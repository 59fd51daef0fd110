// SPDX-License-Identifier: Apache-2.0
// Goal: kubeconfig files are read as kubectl reads them, and each mistake in one is named with its
// place and a remedy, without a secret. Method: files as text, with one part changed at a time.
#include "runtime/kube/credentials/kubeconfig.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "runtime/kube/credentials/base64.hpp"

namespace argosy::kube {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

const std::string pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const std::string usual_cluster = "server: https://10.0.0.1:6443";
const std::string usual_user = "token: sesame-4711";

std::string config(const std::string& cluster = usual_cluster,
                   const std::string& user = usual_user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: work\ncontexts:\n"
         "- {name: work, context: {cluster: c, user: u, namespace: jobs}}\n"
         "- {name: home, context: {cluster: d}}\n"
         "clusters:\n- name: c\n  cluster: {" +
         cluster + "}\n- {name: d, cluster: {server: https://home}}\n" +
         "users:\n- name: u\n  user: {" + user + "}\n";
}

result<cluster_access> read(const std::string& text, const kubeconfig_options& options = {}) {
  return read_kubeconfig(text, "/etc/argosy/kube.yaml", options);
}

std::string mistakes(const std::string& text, const kubeconfig_options& options = {}) {
  const auto got = read(text, options);
  if (got) return "none";
  EXPECT_EQ(got.error().code, ec::invalid_argument);
  EXPECT_THAT(got.error().detail, Not(HasSubstr("sesame")));
  return got.error().detail;
}

TEST(kubeconfig, reads_the_current_context_with_its_cluster_and_user) {
  const auto got = read(config());
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->server, "https://10.0.0.1:6443");
  EXPECT_EQ(got->space, "jobs");
  EXPECT_EQ(got->token.text, "sesame-4711");
  EXPECT_TRUE(got->verified);
}

TEST(kubeconfig, reads_the_context_that_the_caller_names) {
  const auto got = read(config(), {.context = "home"});
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->server, "https://home");
  EXPECT_TRUE(got->token.empty());
}

TEST(kubeconfig, reads_json_as_well) {
  const auto got =
      read(R"({"current-context":"w","contexts":[{"name":"w","context":{"cluster":"c"}}],)"
           R"("clusters":[{"name":"c","cluster":{"server":"https://h:1/k8s/"}}],"users":null})");
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->server, "https://h:1/k8s");
}

TEST(kubeconfig, takes_relative_paths_from_the_folder_of_the_file) {
  const auto got = read(config(usual_cluster + ", certificate-authority: pki/ca.crt",
                               "client-certificate: /abs/c.pem, client-key: k.pem, tokenFile: t"));
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->authorities.file, "/etc/argosy/pki/ca.crt");
  EXPECT_EQ(got->certificate.file, "/abs/c.pem");
  EXPECT_EQ(got->key.file, "/etc/argosy/k.pem");
  EXPECT_EQ(got->token.file, "/etc/argosy/t");
}

TEST(kubeconfig, prefers_data_to_files) {
  const auto data = encode_base64(pem);
  const auto got =
      read(config(usual_cluster + ", certificate-authority: x, certificate-authority-data: " + data,
                  "client-certificate-data: " + data + ", client-key-data: " + data));
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->authorities.text, pem);
  EXPECT_EQ(got->authorities.file, "");
  EXPECT_EQ(got->key.text, pem);
}

TEST(kubeconfig, reads_plugins) {
  const auto got =
      read(config(usual_cluster + ", tls-server-name: kube.example, proxy-url: http://p:3128",
                  "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./get, "
                  "args: [a, b], env: [{name: N, value: v}], provideClusterInfo: true, "
                  "interactiveMode: Never, installHint: ask us}"));
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->plugin.command, "/etc/argosy/./get");
  EXPECT_THAT(got->plugin.arguments, ElementsAre("a", "b"));
  EXPECT_THAT(got->plugin.environment, ElementsAre(Pair("N", "v")));
  EXPECT_TRUE(got->plugin.wants_cluster);
  EXPECT_EQ(got->tls_name, "kube.example");
  EXPECT_EQ(got->proxy, "http://p:3128");
}

TEST(kubeconfig, names_each_mistake_with_its_place_and_a_remedy) {
  const auto plugin = [](const std::string& more) {
    return config(usual_cluster,
                  "exec: {apiVersion: client.authentication.k8s.io/v1, " + more + "}");
  };
  const std::string bad_pem = "client-certificate-data: c2VzYW1l, client-key: k";
  struct row {
    std::string text;
    std::string mistake;
  };
  const std::vector<row> rows = {
      {"", "kube.yaml:1:1: this is no kubeconfig"},
      {"- a", "kube.yaml:1:1: this is no kubeconfig"},
      {"kind: Config", "kube.yaml:1:1: there is no current-context; name the context"},
      {"current-context: a", "there is no context 'a'; the file has no entry under 'contexts:'"},
      {config(""), "kube.yaml:9:12: the cluster has no server; add 'server: https://HOST:PORT'"},
      {config("server: 10.0.0.1"), "'10.0.0.1' is not a URL of https"},
      {config("server: 'http://10.0.0.1'"), "is not encrypted; write https://"},
      {config("server: 'https://u:sesame@h'"), "the URL holds a user"},
      {config("server: 'https://h:0'"), "has no valid port"},
      {config("server: 'https://h:99999'"), "has no valid port"},
      {config("server: 'https:///x'"), "has no valid host"},
      {config("server: 'https://h/a?b'"), "has a query"},
      {config("server: [a]"), "'server' has to be a text"},
      {config(usual_cluster + ", insecure-skip-tls-verify: true"),
       "kube.yaml:9:70: insecure-skip-tls-verify lets anybody"},
      {config(usual_cluster + ", insecure-skip-tls-verify: 1"), "has to be true or false"},
      {config(usual_cluster + ", certificate-authority-data: '%'"), "is not PEM in base64"},
      {config(usual_cluster + ", tls-server-name: 'a b'"), "has to be the name of a host"},
      {config(usual_cluster, bad_pem), "'client-certificate-data' is not PEM in base64"},
      {config(usual_cluster, "client-certificate: c"), "add the one that is missing"},
      {config(usual_cluster, "client-key: c"), "add the one that is missing"},
      {config(usual_cluster, "username: u, password: sesame"), "'password' is not supported; use"},
      {config(usual_cluster, "auth-provider: {name: gcp}"), "'auth-provider' is not supported"},
      {config(usual_cluster, "token: \"sesame\\n1\""), "the token has more than one line"},
      {plugin("args: []"), "exec has no command"},
      {plugin("command: c, args: x"), "'args' has to be a list"},
      {plugin("command: c, args: [[]]"), "an argument has to be a text"},
      {plugin("command: c, env: [{value: x}]"), "a variable needs a name"},
      {plugin("command: c, interactiveMode: Always"), "the plugin wants a terminal"},
      {config(usual_cluster,
              "exec: {command: c, apiVersion: client.authentication.k8s.io/v1alpha1}"),
       "have it speak client.authentication.k8s.io/v1"},
      {config(usual_cluster, usual_user + ", exec: {command: c}"), "exclude each other"},
  };
  for (const auto& one : rows) EXPECT_THAT(mistakes(one.text), HasSubstr(one.mistake)) << one.text;
}

TEST(kubeconfig, suggests_names_that_are_there) {
  EXPECT_THAT(mistakes(config(), {.context = "wrok"}), HasSubstr("did you mean 'work'?"));
  EXPECT_THAT(mistakes(config(), {.context = "x"}), HasSubstr("; there are: work, home"));
}

TEST(kubeconfig, lists_all_mistakes_at_once) {
  const auto all = mistakes(config("server: x", "client-key: k, username: u"));
  EXPECT_THAT(all, HasSubstr("is not a URL"));
  EXPECT_THAT(all, HasSubstr("\n/etc/argosy/kube.yaml:13:"));
}

TEST(kubeconfig, lets_a_server_be_unverified_when_the_caller_allows_it) {
  const auto text = config(usual_cluster + ", insecure-skip-tls-verify: true");
  const auto got = read(text, {.unverified_allowed = true});
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_FALSE(got->verified);
  EXPECT_THAT(
      mistakes(config(usual_cluster + ", certificate-authority: a, insecure-skip-tls-verify: true"),
               {.unverified_allowed = true}),
      HasSubstr("exclude each other"));
}

// The expectations of the next three are what kubectl does with the same files in KUBECONFIG.
TEST(kubeconfig, of_several_files_the_first_word_counts) {
  const std::string first =
      "contexts:\n- {name: work, context: {cluster: c, user: u, namespace: mine}}\n"
      "users:\n- {name: u, user: {token: sesame-first}}\n";
  const auto got = read_kubeconfigs({{"/a/first", first}, {"/b/second", config()}}, {});
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->space, "mine");
  EXPECT_EQ(got->token.text, "sesame-first");
  EXPECT_EQ(got->server, "https://10.0.0.1:6443");
  const std::vector<kubeconfig_file> files{{"/a/1", "current-context: home"}, {"/b/2", config()}};
  const auto other = read_kubeconfigs(files, {});
  ASSERT_TRUE(other) << other.error().detail;
  EXPECT_EQ(other->server, "https://home");
  const auto named = read_kubeconfigs(files, {.context = "work"});
  ASSERT_TRUE(named) << named.error().detail;
  EXPECT_EQ(named->space, "jobs");
}

TEST(kubeconfig, relative_paths_belong_to_the_file_that_has_them) {
  const std::string clusters =
      "clusters:\n- {name: c, cluster: {server: 'https://h', certificate-authority: ca.pem}}\n";
  const std::string users =
      "users:\n- {name: u, user: {tokenFile: t}}\ncurrent-context: w\n"
      "contexts:\n- {name: w, context: {cluster: c, user: u}}\n";
  const auto got = read_kubeconfigs({{"/a/users", users}, {"/b/clusters", clusters}}, {});
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->authorities.file, "/b/ca.pem");
  EXPECT_EQ(got->token.file, "/a/t");
}

TEST(kubeconfig, mistakes_in_several_files_name_the_file) {
  const auto wrong = [](const std::vector<kubeconfig_file>& files) {
    const auto got = read_kubeconfigs(files, {});
    return got ? "none" : got.error().detail;
  };
  EXPECT_THAT(wrong({}), HasSubstr("there is no kubeconfig file"));
  EXPECT_THAT(wrong({{"/a/1", config()}, {"/a/2", "- x"}}), HasSubstr("/a/2:1:1: this is no"));
  EXPECT_THAT(wrong({{"/a/1", config()}, {"/a/2", "a: ["}}), HasSubstr("/a/2:2:1: "));
  EXPECT_THAT(wrong({{"/a/1", "kind: Config"}, {"/a/2", "kind: Config\ncurrent-context: w"}}),
              HasSubstr("/a/2:2:18: there is no context 'w'; no file has an entry under"));
  EXPECT_THAT(wrong({{"/a/1", "current-context: hom"}, {"/a/2", config()}}),
              HasSubstr("/a/1:1:18: there is no context 'hom'; did you mean 'home'?"));
}

TEST(kubeconfig, survives_every_beginning_of_a_file) {
  const auto text = config(usual_cluster, "exec: {command: c, args: [a], env: [{name: N}]}");
  for (std::size_t size = 0; size < text.size(); ++size)
    static_cast<void>(read(text.substr(0, size)));
}

}  // namespace

}  // namespace argosy::kube
