// SPDX-License-Identifier: Apache-2.0
// Goal: credentials are read from where they are, again when they change, and what goes wrong is
// said without a secret. Method: files in a folder of the test, and plugins that are short scripts.
#include "runtime/kube/credentials/credentials.hpp"

#include <gmock/gmock.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "runtime/kube/credentials/base64.hpp"
#include "runtime/kube/credentials/exec_credential.hpp"
#include "runtime/kube/credentials/in_cluster.hpp"
#include "runtime/kube/credentials/run_program.hpp"
#include "runtime/kube/rfc3339.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::kube {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

const std::string version = "client.authentication.k8s.io/v1";
const wall_time noon = *read_rfc3339("2026-01-31T12:00:00Z");

class credentials_test : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const auto path = (folder_.path() / name).string();
    // A new file takes the place of the old one, as the kubelet does it.
    std::ofstream{path + ".new"} << text;
    std::filesystem::rename(path + ".new", path);
    return path;
  }

  std::string folder() const { return folder_.path().string(); }

  /// An access whose plugin is a shell script.
  cluster_access plugin(const std::string& script) const {
    cluster_access out{.server = "https://h:6443", .tls_name = "kube"};
    out.plugin = {
        .command = "/bin/sh", .arguments = {write("plugin", script)}, .api_version = version};
    return out;
  }

  static std::string printing(const std::string& status) {
    return R"(echo '{"kind":"ExecCredential","apiVersion":")" + version + R"(","status":)" +
           status + "}'\n";
  }

 private:
  testing::temp_folder folder_;
};

TEST(base64, is_read_and_written) {
  const std::pair<std::string, std::string> rows[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"\xff\xfe", "//4="}};
  for (const auto& [bytes, text] : rows) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
  EXPECT_EQ(decode_base64("Zm\n9v\r\n "), "foo");
  EXPECT_EQ(decode_base64("Zg"), "f");
  for (const auto* const bad : {"Z", "Zg=", "Zg===", "Zm9v=", "=", "Zg==Zg==", "Z-g="})
    EXPECT_EQ(decode_base64(bad), std::nullopt) << bad;
}

TEST(rfc3339, is_read) {
  EXPECT_EQ(to_nanos(*read_rfc3339("1970-01-01T00:00:01Z")), 1'000'000'000);
  EXPECT_EQ(read_rfc3339("2026-01-31T13:30:00.25+01:30"), noon + 250ms);
  EXPECT_EQ(read_rfc3339("2026-01-31T11:00:00.1234567891-01:00"), noon + 123'456'789ns);
  for (const auto* const bad :
       {"", "2026-01-31", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z", "2026-01-31T24:00:00Z",
        "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00+1", "9999-01-31T12:00:00Z", "noon"})
    EXPECT_EQ(read_rfc3339(bad), std::nullopt) << bad;
}

TEST(exec_credential, is_read_or_refused_without_repeating_it) {
  const auto object = [](const std::string& status) {
    return R"({"kind":"ExecCredential","apiVersion":")" + version + R"(","status":)" + status + "}";
  };
  const auto good = read_exec_credential(
      object(R"({"token":"t","expirationTimestamp":"2026-01-31T12:00:00Z"})"), version);
  ASSERT_TRUE(good) << good.error().detail;
  EXPECT_EQ(good->token, "t");
  EXPECT_EQ(good->expires, noon);
  const std::pair<std::string, std::string> rows[] = {
      {"sesame", "no JSON object"},
      {R"({"kind":"Secret"})", "no JSON object of kind ExecCredential"},
      {R"({"kind":"ExecCredential","apiVersion":"v2"})", "another apiVersion"},
      {object("null"), "without status"},
      {object("{}"), "neither a token nor a client certificate"},
      {object(R"({"token":7})"), "neither a token nor a client certificate"},
      {object(R"({"token":"sesame\n"})"), "a token of more than one line"},
      {object(R"({"clientCertificateData":"sesame"})"), "only one of"},
      {object(R"({"token":"t","expirationTimestamp":"sesame"})"), "no time of RFC 3339"}};
  for (const auto& [text, mistake] : rows) {
    const auto got = read_exec_credential(text, version);
    ASSERT_FALSE(got) << text;
    EXPECT_EQ(got.error().code, ec::denied);
    EXPECT_THAT(got.error().detail, HasSubstr(mistake));
    EXPECT_THAT(got.error().detail, Not(HasSubstr("sesame")));
  }
}

TEST_F(credentials_test, come_from_files_and_are_stale_when_one_changes) {
  cluster_access access{.server = "https://h"};
  access.authorities.file = write("ca", "ca");
  access.token.file = write("token", "one\n");
  credentials these{access};
  EXPECT_FALSE(these.fresh(noon));
  auto got = these.read();
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->token, "one");
  EXPECT_EQ(got->authorities, "ca");
  EXPECT_TRUE(these.fresh(noon));
  EXPECT_TRUE(these.renewable());
  write("token", "two\n");
  EXPECT_FALSE(these.fresh(noon));
  EXPECT_EQ(these.read()->token, "two");
  std::filesystem::remove(access.token.file);
  EXPECT_TRUE(these.fresh(noon));
}

TEST_F(credentials_test, and_their_server_are_those_of_the_file_that_the_access_was_read_from) {
  const auto file = write("kubeconfig", "one");
  const access_origin origin{{file, folder() + "/missing"}, [file]() -> result<cluster_access> {
                               std::string word;
                               std::ifstream{file} >> word;
                               if (word == "broken")
                                 return fail(ec::invalid_argument, file + ":1:1: it is broken");
                               return cluster_access{.server = "https://" + word,
                                                     .token = {.text = "t-" + word}};
                             }};
  credentials these{*origin.read(), {}, origin};
  EXPECT_FALSE(these.fresh(noon));
  auto got = these.read();
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->at.server + " " + got->token, "https://one t-one");
  EXPECT_TRUE(these.fresh(noon));
  write("kubeconfig", "broken");
  EXPECT_FALSE(these.fresh(noon));
  EXPECT_EQ(these.read().error(), (error{ec::denied, file + ":1:1: it is broken"}));
  EXPECT_FALSE(these.fresh(noon));
  write("kubeconfig", "two");
  got = these.read();
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->at.server + " " + got->token, "https://two t-two");
  EXPECT_TRUE(these.fresh(noon));
  write("missing", "it is there now");
  EXPECT_FALSE(these.fresh(noon));
}

TEST_F(credentials_test, name_the_file_that_is_at_fault) {
  cluster_access access{.server = "https://h"};
  access.token.file = "/nowhere/token";
  EXPECT_EQ(credentials{access}.read().error(),
            (error{ec::denied, "'/nowhere/token' cannot be read: No such file or directory"}));
  access.token.file = "/";
  EXPECT_THAT(credentials{access}.read().error().detail, HasSubstr("it is no file"));
  for (const std::string text : {"", "\n", "sesame street", "sesame\nsesame"}) {
    access.token.file = write("token", text);
    const auto got = credentials{access}.read();
    ASSERT_FALSE(got) << text;
    EXPECT_THAT(got.error().detail, HasSubstr("a token in one line"));
    EXPECT_THAT(got.error().detail, Not(HasSubstr("sesame")));
  }
}

TEST_F(credentials_test, that_are_texts_never_change) {
  cluster_access access{.server = "https://h"};
  access.token.text = "t";
  credentials these{access};
  EXPECT_FALSE(these.renewable());
  EXPECT_EQ(these.read()->token, "t");
  EXPECT_TRUE(these.fresh(noon));
}

TEST_F(credentials_test, of_a_plugin_hold_until_shortly_before_they_expire) {
  credentials these{
      plugin(printing(R"({"token":"t","expirationTimestamp":"2026-01-31T12:00:00Z"})")),
      {.renewed_before = 10s}};
  const auto got = these.read();
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->token, "t");
  EXPECT_TRUE(these.fresh(noon - 11s));
  EXPECT_FALSE(these.fresh(noon - 10s));
}

TEST_F(credentials_test, of_a_plugin_are_made_with_what_it_has_to_know) {
  auto access = plugin("echo \"$KUBERNETES_EXEC_INFO $MORE $1\" > \"$0.told\"\n" +
                       printing(R"({"clientCertificateData":"c","clientKeyData":"k"})"));
  access.plugin.wants_cluster = true;
  access.plugin.environment = {{"MORE", "more"}};
  access.plugin.arguments.emplace_back("argument");
  access.authorities.text = "ca";
  const auto got = credentials{access}.read();
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->certificate, "c");
  EXPECT_EQ(got->key, "k");
  std::ifstream told{access.plugin.arguments[0] + ".told"};
  const std::string text{std::istreambuf_iterator<char>{told}, {}};
  EXPECT_EQ(text,
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
            R"("spec":{"cluster":{"certificate-authority-data":"Y2E=","server":"https://h:6443",)"
            R"("tls-server-name":"kube"},"interactive":false}} more argument)"
            "\n");
}

TEST_F(credentials_test, say_what_is_wrong_with_a_plugin) {
  const std::pair<std::string, std::string> rows[] = {
      {"echo sesame; exit 3", "ended with exit code 3"},
      {"kill -9 $$", "was ended by signal 9"},
      {"echo sesame", "no JSON object of kind ExecCredential ('/bin/sh')"},
      {"exec cat /dev/zero", "printed too much"}};
  for (const auto& [script, mistake] : rows) {
    const auto got = credentials{plugin(script)}.read();
    ASSERT_FALSE(got) << script;
    EXPECT_EQ(got.error().code, ec::denied);
    EXPECT_THAT(got.error().detail, HasSubstr(mistake));
    EXPECT_THAT(got.error().detail, Not(HasSubstr("sesame")));
  }
  auto missing = plugin("");
  missing.plugin.command = "no-such-plugin-of-argosy";
  missing.plugin.install_hint = "ask the operators";
  EXPECT_EQ(to_string(credentials{missing}.read().error()),
            "denied: the credential plugin 'no-such-plugin-of-argosy' is not installed: ask the "
            "operators");
}

TEST_F(credentials_test, do_not_wait_for_a_plugin_that_hangs) {
  const auto got =
      credentials{plugin("cat /dev/stdin; exec sleep 1000"), {.plugin_within = 50ms}}.read();
  ASSERT_FALSE(got);
  EXPECT_THAT(got.error().detail, HasSubstr("did not end within 50 ms"));
  const int stop = ::eventfd(1, EFD_CLOEXEC);
  EXPECT_EQ(credentials{plugin("exec sleep 1000")}.read(stop).error().code, ec::cancelled);
  ::close(stop);
}

TEST_F(credentials_test, do_not_wait_for_what_a_plugin_leaves_behind) {
  const auto script = "sleep 1000 & echo $! > \"$0.pid\"\n" + printing(R"({"token":"t"})");
  const auto access = plugin(script);
  const auto got = credentials{access, {.plugin_within = 60s}}.read();
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->token, "t");
  int left = 0;
  std::ifstream{access.plugin.arguments[0] + ".pid"} >> left;
  ASSERT_GT(left, 1);
  ::kill(left, SIGKILL);
}

TEST_F(credentials_test, of_a_pod_come_from_its_service_account) {
  const auto folder = std::filesystem::path{write("token", "t\n")}.parent_path().string();
  write("ca.crt", "ca");
  write("namespace", "jobs\n");
  std::string host = "10.96.0.1";
  const auto variables = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "KUBERNETES_SERVICE_HOST") return host;
    if (name == "KUBERNETES_SERVICE_PORT") return "443";
    return std::nullopt;
  };
  const auto got = in_cluster_access(variables, folder);
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->server, "https://10.96.0.1");
  EXPECT_EQ(got->space, "jobs");
  EXPECT_EQ(credentials{*got}.read()->token, "t");
  host = "fd00::1";
  EXPECT_EQ(in_cluster_access(variables, folder)->server, "https://[fd00::1]");
  host = "a b";
  EXPECT_EQ(in_cluster_access(variables, folder).error().code, ec::invalid_argument);
  host = "h";
  EXPECT_THAT(in_cluster_access(variables, "/nowhere").error().detail,
              HasSubstr("'/nowhere/token' cannot be read"));
  host = "";
  EXPECT_THAT(in_cluster_access(variables, folder).error().detail,
              HasSubstr("name a kubeconfig file"));
}

}  // namespace

}  // namespace argosy::kube
