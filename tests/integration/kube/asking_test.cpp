// SPDX-License-Identifier: Apache-2.0
// Goal: single requests reach an API server as they should, are sent again where that is safe, and
// end in time whatever the server does. Method: the client against a server of this process.
#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "tests/integration/kube/client_fixture.hpp"
#include "tests/support/nats/authority.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::kube {

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace testing;
using namespace std::chrono_literals;
using httplib::Request;
using httplib::Response;

void pages_of(const Request& from, Response& to) {
  to.set_content(from.method + " " + from.target + " " + from.body, "application/json");
}

/// One authority for all tests, since openssl takes its time.
const argosy::testing::authority& localhost() {
  static const argosy::testing::authority one{"IP:127.0.0.1"};
  return one;
}

std::string content(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST(kube_asking, sends_requests_with_their_headers_and_gives_any_status) {
  fake_api_server server{[](const Request& from, Response& to) {
    pages_of(from, to);
    if (from.method == "DELETE") to.status = 404;
  }};
  cluster_access access{.server = server.url() + "/prefix/"};
  access.token.text = "sesame";
  const auto client = client_of(access);
  EXPECT_EQ(client->server(), server.url() + "/prefix");
  EXPECT_EQ(asked(*client, {.path = "/api/v1/a%2Fb?x=1"}), "200 GET /prefix/api/v1/a%2Fb?x=1 ");
  EXPECT_EQ(asked(*client, {.verb = "POST", .path = "/p", .body = "{}", .user = "alice"}),
            "200 POST /prefix/p {}");
  EXPECT_EQ(asked(*client, {.verb = "DELETE", .path = "/p"}), "404 DELETE /prefix/p ");
  const auto requests = server.asked.values();
  EXPECT_EQ(requests[0].get_header_value("Authorization"), "Bearer sesame");
  EXPECT_EQ(requests[0].get_header_value("Accept"), "application/json");
  EXPECT_EQ(requests[0].get_header_value("User-Agent"), "argosy");
  EXPECT_FALSE(requests[0].has_header("Impersonate-User"));
  EXPECT_EQ(requests[1].get_header_value("Impersonate-User"), "alice");
  EXPECT_EQ(requests[1].get_header_value("Content-Type"), "application/json");
}

TEST(kube_asking, refuses_what_cannot_be_put_into_a_request) {
  fake_api_server server{pages_of};
  const auto client = client_of({.server = server.url()});
  const std::vector<request> bad = {{.path = "api"},
                                    {.path = "/a b"},
                                    {.path = "/a\r\nX: y"},
                                    {.verb = "BREW", .path = "/a"},
                                    {.path = "/a", .user = "eve\r\nX: y"}};
  for (const auto& one : bad)
    EXPECT_THAT(asked(*client, one), StartsWith("invalid_argument")) << one.path;
  EXPECT_TRUE(server.asked.values().empty());
}

TEST(kube_asking, trusts_the_given_authority_alone) {
  fake_api_server server{pages_of, localhost().certificate(), localhost().key()};
  cluster_access access{.server = server.url()};
  access.authorities.file = localhost().ca_file();
  EXPECT_EQ(asked(*client_of(access), {.path = "/a"}), "200 GET /a ");
  access.authorities = {.text = content(localhost().ca_file())};
  EXPECT_EQ(asked(*client_of(access), {.path = "/a"}), "200 GET /a ");
  // The certificate of the server itself is not an authority that signed another one.
  const argosy::testing::authority other{"IP:127.0.0.1"};
  access.authorities = {.file = other.ca_file()};
  auto options = quick_options();
  options.retries.tries_max = 2;
  EXPECT_THAT(asked(*client_of(access, options), {.path = "/a"}),
              ::testing::AllOf(StartsWith("unreachable: https://127.0.0.1:"),
                               HasSubstr("cannot be reached: SSL certificate problem")));
  EXPECT_EQ(server.asked.values().size(), 2);
  access.verified = false;
  EXPECT_EQ(asked(*client_of(access), {.path = "/a"}), "200 GET /a ");
}

TEST(kube_asking, checks_the_name_that_it_is_told) {
  const argosy::testing::authority named{"DNS:kube.example"};
  fake_api_server server{pages_of, named.certificate(), named.key()};
  cluster_access access{.server = server.url()};
  access.authorities.file = named.ca_file();
  auto options = quick_options();
  options.retries.tries_max = 1;
  EXPECT_THAT(asked(*client_of(access, options), {.path = "/a"}), HasSubstr("cannot be reached"));
  access.tls_name = "kube.example";
  EXPECT_EQ(asked(*client_of(access), {.path = "/a"}), "200 GET /a ");
  EXPECT_EQ("https://" + server.asked.values()[0].get_header_value("Host"), server.url());
}

TEST(kube_asking, shows_its_certificate) {
  fake_api_server server{pages_of, localhost().certificate(), localhost().key(),
                         localhost().ca_file()};
  cluster_access access{.server = server.url()};
  access.authorities.file = localhost().ca_file();
  auto options = quick_options();
  options.retries.tries_max = 1;
  EXPECT_THAT(asked(*client_of(access, options), {.path = "/a"}), StartsWith("unreachable"));
  access.certificate.file = localhost().certificate();
  access.key.text = content(localhost().key());
  EXPECT_EQ(asked(*client_of(access), {.path = "/a"}), "200 GET /a ");
}

TEST(kube_asking, reads_a_token_again_when_its_file_changes) {
  fake_api_server server{[](const Request& from, Response& to) {
    to.set_content(from.get_header_value("Authorization"), "text/plain");
  }};
  const argosy::testing::temp_folder folder;
  cluster_access access{.server = server.url()};
  access.token.file = folder.path() / "token";
  std::ofstream{access.token.file} << "one\n";
  const auto client = client_of(access);
  EXPECT_EQ(asked(*client, {.path = "/a"}), "200 Bearer one");
  std::ofstream{access.token.file + ".new"} << "two\n";
  std::filesystem::rename(access.token.file + ".new", access.token.file);
  EXPECT_EQ(asked(*client, {.path = "/a"}), "200 Bearer two");
}

/// An access whose plugin gives the token "t1", then "t2" and so on.
cluster_access counting_plugin(const std::string& server, const std::filesystem::path& folder) {
  cluster_access out{.server = server};
  out.plugin.command = "/bin/sh";
  out.plugin.api_version = "client.authentication.k8s.io/v1";
  out.plugin.arguments = {
      "-c",
      R"(echo >> "$0"; n=$(wc -l < "$0"); echo '{"kind":"ExecCredential",)"
      R"("apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t'$n'"}}')",
      (folder / "runs").string()};
  return out;
}

TEST(kube_asking, asks_a_plugin_once_and_again_when_the_server_refuses_its_token) {
  std::atomic<const char*> good = "Bearer t1";
  fake_api_server server{[&](const Request& from, Response& to) {
    to.set_content(from.get_header_value("Authorization"), "text/plain");
    to.status = from.get_header_value("Authorization") == good.load() ? 200 : 401;
  }};
  const argosy::testing::temp_folder folder;
  const auto client = client_of(counting_plugin(server.url(), folder.path()));
  EXPECT_EQ(asked(*client, {.path = "/a"}), "200 Bearer t1");
  EXPECT_EQ(asked(*client, {.path = "/a"}), "200 Bearer t1");
  good = "Bearer t2";
  EXPECT_EQ(asked(*client, {.verb = "POST", .path = "/a", .body = "{}"}), "200 Bearer t2");
  EXPECT_EQ(server.asked.values().size(), 4);
  // What is refused as soon as it was read anew is refused for good.
  good = "none";
  EXPECT_EQ(asked(*client, {.path = "/a"}), "401 Bearer t2");
  EXPECT_EQ(server.asked.values().size(), 5);
}

TEST(kube_asking, says_why_it_has_no_credentials) {
  fake_api_server server{pages_of};
  cluster_access access{.server = server.url()};
  access.token.file = "/nowhere/token";
  EXPECT_EQ(asked(*client_of(access), {.path = "/a"}),
            "denied: '/nowhere/token' cannot be read: No such file or directory");
  EXPECT_TRUE(server.asked.values().empty());
}

TEST(kube_asking, comes_back_when_a_busy_server_says_so) {
  std::atomic<int> left = 2;
  fake_api_server server{[&](const Request& from, Response& to) {
    pages_of(from, to);
    if (left-- <= 0) return;
    to.status = from.target == "/pods" ? 429 : 503;
    to.set_header("Retry-After", "0");
  }};
  const auto client = client_of({.server = server.url()});
  EXPECT_EQ(asked(*client, {.verb = "POST", .path = "/pods", .body = "x"}), "200 POST /pods x");
  EXPECT_EQ(server.asked.values().size(), 3);
  left = 1;
  EXPECT_EQ(asked(*client, {.verb = "DELETE", .path = "/b"}), "200 DELETE /b ");
  left = 1'000;
  EXPECT_THAT(asked(*client, {.path = "/pods"}), StartsWith("429"));
}

TEST(kube_asking, sends_only_a_get_again_after_a_connection_was_cut) {
  std::atomic<int> left = 1;
  fake_api_server* at = nullptr;
  fake_api_server server{[&](const Request& from, Response& to) {
    if (left-- > 0)
      at->stream(to)->cut();
    else
      pages_of(from, to);
  }};
  at = &server;
  const auto client = client_of({.server = server.url()});
  EXPECT_EQ(asked(*client, {.path = "/a"}), "200 GET /a ");
  left = 1;
  EXPECT_THAT(asked(*client, {.verb = "POST", .path = "/a", .body = "x"}), StartsWith("timeout"));
  EXPECT_EQ(server.asked.values().size(), 3);
}

TEST(kube_asking, does_not_wait_for_a_server_that_is_too_slow) {
  fake_api_server* at = nullptr;
  fake_api_server server{[&](const Request&, Response& to) { at->stream(to); }};
  at = &server;
  auto options = quick_options();
  options.try_within = 50ms;
  options.retries.tries_max = 2;
  const auto client = client_of({.server = server.url()}, options);
  EXPECT_EQ(asked(*client, {.path = "/a"}),
            "timeout: " + server.url() + " did not answer within 50 ms");
  EXPECT_EQ(server.asked.values().size(), 2);
  options.try_within = 60s;
  options.ask_within = 50ms;
  const auto other = client_of({.server = server.url()}, options);
  EXPECT_EQ(asked(*other, {.verb = "POST", .path = "/a"}),
            "timeout: the API server did not answer within 50 ms");
}

TEST(kube_asking, says_when_nobody_is_there) {
  std::string url;
  {
    const fake_api_server gone{pages_of};
    url = gone.url();
  }
  EXPECT_THAT(asked(*client_of({.server = url}), {.verb = "POST", .path = "/a"}),
              StartsWith("unreachable: " + url + " cannot be reached: "));
}

TEST(kube_asking, refuses_an_answer_that_is_too_long) {
  fake_api_server server{[](const Request&, Response& to) {
    to.set_content(std::string(100'000, 'x'), "text/plain");
  }};
  auto options = quick_options();
  options.answer_bytes_max = 99'999;
  EXPECT_EQ(asked(*client_of({.server = server.url()}, options), {.path = "/a"}),
            "too_large: the answer of " + server.url() + " has more than 99999 bytes");
  EXPECT_EQ(server.asked.values().size(), 1);
  options.answer_bytes_max = 100'000;
  EXPECT_EQ(ask(*client_of({.server = server.url()}, options), {.path = "/a"})->body.size(),
            100'000);
}

TEST(kube_asking, limits_its_requests) {
  fake_api_server server{pages_of};
  auto options = quick_options();
  options.qps = 0.001;
  options.burst = 2;
  options.ask_within = 2s;
  options.asks_max = 3;
  const auto client = client_of({.server = server.url()}, options);
  EXPECT_EQ(asked(*client, {.path = "/1"}), "200 GET /1 ");
  EXPECT_EQ(asked(*client, {.path = "/2"}), "200 GET /2 ");
  auto third = begin(*client, {.path = "/3"});
  auto fourth = begin(*client, {.path = "/4"});
  auto fifth = begin(*client, {.path = "/5"});
  EXPECT_THAT(asked(*client, {.path = "/6"}), StartsWith("overloaded"));
  EXPECT_THAT(third.get().error().detail, HasSubstr("too many wait for their turn"));
  EXPECT_EQ(server.asked.values().size(), 2);
}

TEST(kube_asking, answers_what_is_under_way_when_it_ends) {
  fake_api_server* at = nullptr;
  fake_api_server server{[&](const Request&, Response& to) { at->stream(to); }};
  at = &server;
  auto client = client_of({.server = server.url()});
  auto first = begin(*client, {.path = "/a"});
  ASSERT_TRUE(server.asked.wait_for(1));
  auto second = begin(*client, {.path = "/b"});
  client.reset();
  EXPECT_EQ(first.get().error().code, ec::cancelled);
  EXPECT_EQ(second.get().error().code, ec::cancelled);
}

TEST(kube_asking, asks_for_the_metadata_alone_where_that_is_enough) {
  fake_api_server server{pages_of};
  const auto client = client_of({.server = server.url()});
  EXPECT_EQ(asked(*client, {.path = "/a", .metadata_only = true}), "200 GET /a ");
  EXPECT_EQ(server.asked.values()[0].get_header_value("Accept"),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

}  // namespace

}  // namespace argosy::kube
