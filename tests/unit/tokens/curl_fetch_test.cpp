// SPDX-License-Identifier: Apache-2.0
// Goal: requests over HTTP reach the server that the URL names, and only one that is trusted.
// Method: servers of this process on loopback, without and with TLS.
#include "runtime/access/tokens/curl/curl_fetch.hpp"

#include <gmock/gmock.h>

#include <future>

#include "runtime/access/tokens/oidc_users.hpp"
#include "tests/support/nats/authority.hpp"
#include "tests/support/tokens/http_issuer.hpp"

namespace argosy::access {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(safe_urls, are_encrypted_or_of_this_machine) {
  for (const auto* const url :
       {"https://login.example.com", "https://login.example.com:8443/realms/a", "https://10.0.0.1",
        "http://127.0.0.1", "http://127.0.0.1:80/x", "http://localhost/", "http://[::1]:8080/a"})
    EXPECT_TRUE(is_safe_url(url)) << url;
  for (const auto* const url :
       {"", "login.example.com", "http://login.example.com", "http://127.0.0.1.example.com",
        "http://127.0.0.1@evil.example.com/", "http://127.0.0.1:80@evil.example.com/",
        "http://evil.example.com/127.0.0.1", "http://127.0.0.1\\@evil.example.com/", "ftp://x",
        "file:///etc/passwd", "https://", "https:///x", "https://a b", "https://a\r\nX: y",
        "HTTP://127.0.0.1", "http://localhost.evil.example.com"})
    EXPECT_FALSE(is_safe_url(url)) << url;
}

TEST(curl, gets_and_posts_what_it_is_told) {
  testing::local_http server;
  server.pages().Get("/page", [](const httplib::Request& from, httplib::Response& to) {
    EXPECT_FALSE(from.has_header("Authorization"));
    to.status = 404;
    to.set_content("nothing", "text/plain");
  });
  server.pages().Post("/page", [](const httplib::Request& from, httplib::Response& to) {
    EXPECT_EQ(from.get_header_value("Content-Type"), "application/json");
    to.set_content(from.get_header_value("Authorization") + from.body, "text/plain");
  });
  server.start();
  http_request asked;
  asked.url = server.url() + "/page";
  const auto got = curl_fetch(asked).value();
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.body, "nothing");
  asked.body = "{}";
  asked.authorization = "Bearer x";
  EXPECT_EQ(curl_fetch(asked).value().body, "Bearer x{}");
}

TEST(curl, follows_no_redirect_and_takes_no_long_answer) {
  testing::local_http server;
  server.pages().Get("/away", [](const auto&, auto& to) { to.set_redirect("/there"); });
  server.pages().Get("/there", [](const auto&, auto& to) { to.set_content("x", "text/plain"); });
  server.pages().Get("/long", [](const auto&, auto& to) {
    to.set_content(std::string(5'000, 'x'), "text/plain");
  });
  server.start();
  http_request asked;
  asked.url = server.url() + "/away";
  EXPECT_EQ(curl_fetch(asked).value().status, 302);
  asked.url = server.url() + "/long";
  asked.answer_bytes_max = 4'999;
  EXPECT_EQ(curl_fetch(asked).error().code, ec::unreachable);
  asked.answer_bytes_max = 5'000;
  EXPECT_EQ(curl_fetch(asked).value().body.size(), 5'000U);
}

TEST(curl, says_why_nobody_answers) {
  http_request asked;
  {
    testing::local_http server;
    server.start();
    asked.url = server.url();
  }
  const auto gone = curl_fetch(asked).error();
  EXPECT_EQ(gone.code, ec::unreachable);
  EXPECT_THAT(gone.detail, HasSubstr(asked.url));
  asked.url = "http://192.0.2.1/";
  EXPECT_EQ(curl_fetch(asked).error().code, ec::invalid_argument);
}

TEST(curl, gives_up_after_its_time) {
  testing::local_http server;
  std::promise<void> gate;
  auto open = gate.get_future().share();
  server.pages().Get("/slow", [open](const auto&, auto&) { open.wait(); });
  server.start();
  http_request asked;
  asked.url = server.url() + "/slow";
  asked.within = 50ms;
  EXPECT_EQ(curl_fetch(asked).error().code, ec::unreachable);
  gate.set_value();
}

TEST(curl, trusts_only_the_authorities_that_it_is_told) {
  const testing::authority own{"IP:127.0.0.1"};
  const testing::authority other{"IP:127.0.0.1"};
  const testing::authority elsewhere{"IP:192.0.2.1"};
  testing::local_http server{own.certificate(), own.key()};
  server.pages().Get("/", [](const auto&, auto& to) { to.set_content("hello", "text/plain"); });
  server.start();
  http_request asked;
  asked.url = server.url() + "/";
  asked.authorities = own.ca_file();
  EXPECT_EQ(curl_fetch(asked).value().body, "hello");
  asked.authorities = other.ca_file();
  EXPECT_EQ(curl_fetch(asked).error().code, ec::unreachable);
  asked.authorities = "";
  EXPECT_EQ(curl_fetch(asked).error().code, ec::unreachable);
  testing::local_http misnamed{elsewhere.certificate(), elsewhere.key()};
  misnamed.start();
  asked.url = misnamed.url();
  asked.authorities = elsewhere.ca_file();
  EXPECT_EQ(curl_fetch(asked).error().code, ec::unreachable) << "the name has to be right";
}

TEST(curl, fetches_the_keys_of_a_provider) {
  testing::http_issuer provider;
  const auto keys = fetch_keys(provider.url(), "", 5s, curl_fetch);
  ASSERT_TRUE(keys) << keys.error().detail;
  EXPECT_EQ(keys->front().id, "k1");
}

}  // namespace

}  // namespace argosy::access
