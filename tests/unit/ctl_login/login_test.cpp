// SPDX-License-Identifier: Apache-2.0
// Goal: a user logs in at an OpenID provider in his browser and then works with the token, which is
// renewed before it ends; whatever goes wrong is told with what to do, and leaves everything as it
// was. Method: the whole command line against a scripted provider and a scripted server, where time
// passes at once.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <deque>
#include <fstream>
#include <nlohmann/json.hpp>

#include "messages/proto/argosy/access.pb.h"
#include "runtime/access/tokens/base64url.hpp"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto issuer = "https://login.example.com";

class oidc_login : public cli_fixture {
 protected:
  oidc_login() {
    variables.erase("ARGOSY_SERVER");
    argosy::v1::WhoAmIResponse me;
    me.set_name("ann");
    server->always("Access.WhoAmI", me);
    server->always("Query.ListQueues", argosy::v1::ListQueuesResponse{});
    fetch = [this](const access::http_request& asked) { return answer(asked); };
  }

  std::int64_t now_s() const { return now_ns / 1'000'000'000; }
  /// A token that nobody signed: argosyctl only reads when it ends.
  std::string token(const std::string& name, std::int64_t lasts = 300) const {
    return access::encode_base64url(R"({"alg":"ES256"})") + "." +
           access::encode_base64url(
               json{{"iss", issuer}, {"sub", name}, {"exp", now_s() + lasts}}.dump()) +
           "." + access::encode_base64url("signature of " + name);
  }
  access::http_answer given(const std::string& name, std::int64_t lasts = 300) const {
    return {200,
            json{{"access_token", token(name, lasts)}, {"refresh_token", "again-" + name}}.dump()};
  }
  static access::http_answer refused(const std::string& code, const std::string& words = {}) {
    return {400, json{{"error", code}, {"error_description", words}}.dump()};
  }

  result<access::http_answer> answer(const access::http_request& asked) {
    if (away) return fail(ec::unreachable, "nobody is there");
    if (asked.url.ends_with("/.well-known/openid-configuration"))
      return access::http_answer{200, document.dump()};
    asked_form = asked.body;
    EXPECT_EQ(asked.content_type, "application/x-www-form-urlencoded");
    if (asked.url.ends_with("/device")) return begun;
    polled_at.push_back(now_s());
    if (answers.empty()) return refused("authorization_pending");
    auto next = std::move(answers.front());
    answers.pop_front();
    return next;
  }

  outcome log_in(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"login",         "tls://h:4222", "--name",           "work",
                                   "--oidc-issuer", issuer,         "--oidc-client-id", "argosy"};
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words));
  }
  std::filesystem::path token_file() const { return home / ".local/state/argosy/tokens/work"; }
  std::filesystem::path contexts_file() const { return home / ".config/argosy/config.yaml"; }
  std::string shown_token() const {
    const auto got = connected.token ? connected.token() : result<std::string>{"none"};
    return got ? *got : got.error().detail;
  }
  void expect_nothing_written() const {
    EXPECT_FALSE(std::filesystem::exists(token_file()));
    EXPECT_FALSE(std::filesystem::exists(contexts_file()));
  }

  bool away = false;
  json document{{"issuer", issuer},
                {"device_authorization_endpoint", std::string{issuer} + "/device"},
                {"token_endpoint", std::string{issuer} + "/token"}};
  access::http_answer begun{200, json{{"device_code", "dev/secret"},
                                      {"user_code", "WDJB-MJHT"},
                                      {"verification_uri", "https://login.example.com/go"},
                                      {"expires_in", 600},
                                      {"interval", 5}}
                                     .dump()};
  /// What the provider says to each question for a token; then that it has to wait.
  std::deque<result<access::http_answer>> answers;
  std::vector<std::int64_t> polled_at;
  std::string asked_form;
};

TEST_F(oidc_login, shows_address_and_code_and_keeps_the_token_where_nobody_else_reads_it) {
  const auto begin = now_s();
  answers = {refused("authorization_pending"), refused("slow_down"), given("ann")};
  const auto done = log_in();
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("https://login.example.com/go"), HasSubstr("WDJB-MJHT")));
  EXPECT_EQ(done.out, "logged in to tls://h:4222 as ann; 'work' is now the current context, in " +
                          contexts_file().string() + "\n");
  EXPECT_THAT(polled_at, ::testing::ElementsAre(begin + 5, begin + 10, begin + 20))
      << "a provider that asks for it is asked less often";
  EXPECT_THAT(asked_form,
              AllOf(HasSubstr("device_code=dev%2Fsecret"), HasSubstr("client_id=argosy"),
                    HasSubstr("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3A"
                              "device_code")));
  struct stat about {};
  ASSERT_EQ(::stat(token_file().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777u, 0600u);
  ASSERT_EQ(::stat(token_file().parent_path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777u, 0700u);
  const auto secret = shown_token();
  EXPECT_EQ(secret, token("ann", 280));
  connected = {};
  EXPECT_EQ(run({"get", "queues"}).code, exit_code::success);
  EXPECT_EQ(shown_token(), secret) << "the next call shows the same";
  const auto seen = run({"config", "view"}).out +
                    run({"config", "get-contexts", "-o", "json"}).out + done.out + done.err;
  EXPECT_THAT(seen, AllOf(HasSubstr(issuer), Not(HasSubstr(secret)), Not(HasSubstr("again-ann"))));
}

TEST_F(oidc_login, renews_the_token_before_it_ends) {
  answers = {given("ann", 300)};
  ASSERT_EQ(log_in().code, exit_code::success);
  now_ns += 200'000'000'000;
  run({"get", "queues"});
  EXPECT_EQ(polled_at.size(), 1U) << "it is good for a while";
  now_ns += 80'000'000'000;
  answers = {given("renewed", 300)};
  ASSERT_EQ(run({"get", "queues"}).code, exit_code::success);
  EXPECT_THAT(asked_form,
              AllOf(HasSubstr("grant_type=refresh_token"), HasSubstr("refresh_token=again-ann")));
  EXPECT_EQ(shown_token(), token("renewed", 300));
  run({"get", "queues"});
  EXPECT_EQ(polled_at.size(), 2U) << "the new one is kept";
}

TEST_F(oidc_login, goes_on_with_a_token_that_is_good_while_the_provider_is_away) {
  answers = {given("ann", 300)};
  ASSERT_EQ(log_in().code, exit_code::success);
  now_ns += 290'000'000'000;
  away = true;
  EXPECT_EQ(run({"get", "queues"}).code, exit_code::success);
  now_ns += 20'000'000'000;
  const auto got = run({"get", "queues"});
  EXPECT_EQ(got.code, exit_code::unreachable);
  EXPECT_THAT(got.err, HasSubstr("nobody is there"));
}

TEST_F(oidc_login, that_has_ended_says_how_to_log_in_again) {
  answers = {given("ann", 300)};
  ASSERT_EQ(log_in().code, exit_code::success);
  now_ns += 600'000'000'000;
  answers = {refused("invalid_grant", "Session not active")};
  const auto got = run({"get", "queues"});
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_THAT(got.err, AllOf(HasSubstr("invalid_grant: Session not active"),
                             HasSubstr("argosyctl login --name 'work'")));
  answers = {given("ann", 300)};
  const auto again = run({"login", "--name", "work"});
  EXPECT_EQ(again.code, exit_code::success) << again.err;
  EXPECT_EQ(connected.url, "tls://h:4222");
  EXPECT_EQ(run({"get", "queues"}).code, exit_code::success);
}

TEST_F(oidc_login, that_the_user_or_the_provider_refuses_ends_with_4) {
  struct row {
    access::http_answer said;
    std::string words;
  };
  for (const auto& [said, words] :
       std::vector<row>{{refused("access_denied", "The user said no"), "The user said no"},
                        {refused("expired_token"), "log in again"},
                        {refused("invalid_client"), "invalid_client"},
                        {{200, R"({"access_token":"opaque"})"}, "ask for the scope openid"},
                        {{200, "<html>"}, "no token"}}) {
    answers = {said};
    const auto got = log_in();
    EXPECT_EQ(got.code, exit_code::denied) << words;
    EXPECT_THAT(got.err, HasSubstr(words));
  }
  begun = refused("unauthorized_client", "no device flow for this client");
  EXPECT_THAT(log_in().err, HasSubstr("no device flow for this client"));
  expect_nothing_written();
  EXPECT_EQ(connects, 0);
}

TEST_F(oidc_login, that_the_server_refuses_writes_nothing) {
  answers = {given("ann")};
  server->refuse("Access.WhoAmI", {ec::denied, "the token is meant for others"});
  const auto got = log_in();
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_THAT(got.err, HasSubstr("meant for others"));
  expect_nothing_written();
}

TEST_F(oidc_login, takes_the_token_that_others_can_read) {
  answers = {access::http_answer{
      200, json{{"access_token", "opaque"}, {"id_token", token("ann")}}.dump()}};
  ASSERT_EQ(log_in().code, exit_code::success);
  EXPECT_EQ(shown_token(), token("ann", 295));
}

TEST_F(oidc_login, at_a_provider_that_is_none_or_another_names_what_to_look_at) {
  document["issuer"] = "https://login.example.com/";
  auto got = log_in();
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_THAT(got.err, HasSubstr("calls itself 'https://login.example.com/'"));
  document = json::object();
  got = log_in();
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_THAT(got.err, HasSubstr("is no OpenID provider"));
  document = {{"issuer", issuer}, {"token_endpoint", std::string{issuer} + "/token"}};
  got = log_in();
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_THAT(got.err, HasSubstr("has no device_authorization_endpoint"));
  document["device_authorization_endpoint"] = "http://evil.example.com/device";
  got = log_in();
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_THAT(got.err, HasSubstr("neither https nor on loopback"));
  away = true;
  EXPECT_EQ(log_in().code, exit_code::unreachable);
  expect_nothing_written();
}

TEST_F(oidc_login, waits_no_longer_than_the_code_is_good_and_the_user_wants) {
  auto got = log_in();
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_THAT(got.err, HasSubstr("the code has expired"));
  EXPECT_EQ(polled_at.size(), 120U) << "every five seconds";
  got = log_in({"--timeout", "20s"});
  EXPECT_EQ(got.code, exit_code::timed_out);
  EXPECT_THAT(got.err, HasSubstr("--timeout"));
  waits = [this] { interrupted = true; };
  EXPECT_EQ(log_in().code, exit_code::interrupted);
  expect_nothing_written();
}

TEST_F(oidc_login, asks_a_provider_again_that_does_not_answer_for_a_moment) {
  const auto begin = now_s();
  answers = {fail(ec::unreachable, "timed out"), access::http_answer{503, ""}, given("ann")};
  EXPECT_EQ(log_in().code, exit_code::success);
  EXPECT_THAT(polled_at, ::testing::ElementsAre(begin + 5, begin + 15, begin + 30));
}

TEST_F(oidc_login, sends_no_token_unencrypted_to_another_machine) {
  auto got = run({"login", "nats://h:4222", "--oidc-issuer", issuer, "--oidc-client-id", "a"});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_THAT(got.err, HasSubstr("give a tls:// URL"));
  answers = {given("ann")};
  got = run({"login", "nats://127.0.0.1:4222", "--oidc-issuer", issuer, "--oidc-client-id", "a"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  got = run(
      {"login", "tls://h:1", "--oidc-issuer", "http://login.example.com", "--oidc-client-id", "a"});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_THAT(got.err, HasSubstr("oidcIssuer must be an https URL"));
  got = run({"login", "tls://h:1", "--oidc-issuer", issuer});
  EXPECT_THAT(got.err, HasSubstr("oidcIssuer and oidcClientId belong together"));
}

TEST_F(oidc_login, moves_and_goes_with_its_context) {
  answers = {given("ann")};
  ASSERT_EQ(log_in().code, exit_code::success);
  EXPECT_EQ(run({"config", "rename-context", "work", "a/b"}).code, exit_code::success);
  EXPECT_FALSE(std::filesystem::exists(token_file()));
  EXPECT_EQ(run({"get", "queues"}).code, exit_code::success);
  EXPECT_EQ(run({"config", "delete-context", "a/b"}).code, exit_code::success);
  EXPECT_FALSE(std::filesystem::exists(token_file().parent_path() / "a%2Fb"));
}

TEST_F(oidc_login, uses_no_token_that_others_can_read_or_that_another_provider_gave) {
  answers = {given("ann")};
  ASSERT_EQ(log_in().code, exit_code::success);
  ::chmod(token_file().c_str(), 0644);
  auto got = run({"get", "queues"});
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_THAT(got.err, HasSubstr("chmod 600"));
  ::chmod(token_file().c_str(), 0600);
  EXPECT_EQ(run({"config", "set-context", "work", "--oidc-client-id", "other"}).code,
            exit_code::success);
  got = run({"get", "queues"});
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_THAT(got.err, HasSubstr("you are not logged in at 'https://login.example.com'"));
  EXPECT_EQ(run({"config", "set-context", "work", "--oidc-issuer", ""}).code, exit_code::success);
  EXPECT_EQ(run({"get", "queues"}).code, exit_code::success) << "the context has no provider now";
}

}  // namespace

}  // namespace argosy::ctl
