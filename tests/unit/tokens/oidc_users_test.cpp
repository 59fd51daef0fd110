// SPDX-License-Identifier: Apache-2.0
// Goal: the keys of an OpenID provider are fetched when they are needed and no more often, and
// whoever needs none of them waits for nobody. Method: a scripted provider that can be made to
// wait, and a clock that the test sets.
#include "runtime/access/tokens/oidc_users.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <future>

#include "tests/support/tokens/token_signer.hpp"

namespace argosy::access {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::token_signer;

constexpr auto issuer = "https://login.example.com";

class oidc : public ::testing::Test {
 protected:
  oidc() {
    settings.tokens.issuer = issuer;
    settings.tokens.audiences = {"argosy"};
    settings.tokens.groups_claim = "groups";
    settings.permissions = {{permission::submit_any_jobs, {"staff"}, {}, {}},
                            {permission::cancel_any_jobs, {}, {"jobs:cancel"}, {}},
                            {permission::watch_all_events, {}, {}, {"watcher"}}};
    settings.failed = [this](const error& why) {
      const std::scoped_lock lock{guard};
      failures.push_back(why.detail);
    };
  }
  void start() {
    clocks set;
    set.wall = [] { return std::chrono::system_clock::time_point{1'800'000'000s}; };
    set.steady = [this] {
      return std::chrono::steady_clock::time_point{std::chrono::seconds{seconds}};
    };
    users.emplace(
        settings, [this](const http_request& asked) { return answer(asked); }, set);
  }
  result<http_answer> answer(const http_request& asked) {
    if (asked.url.ends_with("/keys")) {
      ++fetches;
      if (gate) gate->get_future().wait();
    }
    const std::scoped_lock lock{guard};
    if (broken) return fail(ec::unreachable, "nobody is there");
    if (asked.url.ends_with("/keys")) return http_answer{200, keys};
    EXPECT_EQ(asked.url, std::string{issuer} + "/.well-known/openid-configuration");
    return http_answer{200, document};
  }
  std::string token(const token_signer& by, json more = json::object()) const {
    json claims{{"iss", issuer}, {"aud", "argosy"}, {"sub", "ann"}, {"exp", 1'800'000'060}};
    claims.update(more);
    return by.token(claims);
  }
  std::future<oidc_users::outcome> ask(const std::string& shown) {
    auto told = std::make_shared<std::promise<oidc_users::outcome>>();
    users->check({}, shown, [told](oidc_users::outcome got) { told->set_value(std::move(got)); });
    return told->get_future();
  }
  ec code(const std::string& shown) {
    const auto got = ask(shown).get();
    return std::holds_alternative<principal>(got) ? ec::none : std::get<error>(got).code;
  }

  token_signer first;
  token_signer second{token_signer::kind::elliptic, "k2"};
  oidc_users::config settings;
  std::atomic<std::int64_t> seconds = 1'000;
  std::atomic<int> fetches = 0;
  std::mutex guard;  ///< Guards what follows.
  std::string keys = first.key_set();
  std::string document =
      json{{"issuer", issuer}, {"jwks_uri", std::string{issuer} + "/keys"}}.dump();
  bool broken = false;
  std::vector<std::string> failures;
  std::optional<std::promise<void>> gate;
  std::optional<oidc_users> users;
};

TEST(bearer_tokens, are_found_behind_their_word_in_any_case_of_its_letters) {
  EXPECT_EQ(bearer_token("Bearer abc"), "abc");
  EXPECT_EQ(bearer_token("bEARER abc"), "abc");
  EXPECT_EQ(bearer_token("Bearer"), std::nullopt);
  EXPECT_EQ(bearer_token("Basic abc"), std::nullopt);
  EXPECT_EQ(bearer_token(""), std::nullopt);
}

TEST_F(oidc, gives_the_permissions_of_groups_scopes_and_claims) {
  start();
  const auto got = ask(token(first, {{"groups", {"staff"}}, {"scope", "x jobs:cancel"}})).get();
  const auto& who = std::get<principal>(got);
  EXPECT_EQ(who.name, "ann");
  EXPECT_EQ(who.by, scheme::oidc);
  EXPECT_THAT(who.groups, ::testing::ElementsAre("everyone", "staff"));
  EXPECT_THAT(who.scopes, ::testing::ElementsAre("x", "jobs:cancel"));
  EXPECT_EQ(who.permissions,
            (permission_set{permission::submit_any_jobs, permission::cancel_any_jobs}));
  const auto watcher = ask(token(first, {{"watcher", false}})).get();
  EXPECT_EQ(std::get<principal>(watcher).permissions, permission_set{permission::watch_all_events});
}

TEST_F(oidc, fetches_keys_once_and_again_for_a_key_that_it_does_not_know) {
  start();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(code(token(first)), ec::none);
  EXPECT_EQ(fetches, 1);
  keys = second.key_set();
  EXPECT_EQ(code(token(second)), ec::denied) << "the last fetch is too recent";
  EXPECT_EQ(fetches, 1);
  seconds += 30;
  EXPECT_EQ(code(token(second)), ec::none);
  EXPECT_EQ(fetches, 2);
  EXPECT_EQ(code(token(first)), ec::denied) << "the provider has dropped the key";
}

TEST_F(oidc, asks_nobody_about_tokens_that_are_wrong_in_any_case) {
  start();
  EXPECT_EQ(code("no.token"), ec::denied);
  EXPECT_EQ(code(token(first, {{"iss", "https://evil.example.com"}})), ec::denied);
  EXPECT_EQ(code(testing::unsigned_token({{"alg", "none"}}, {{"iss", issuer}})), ec::denied);
  EXPECT_EQ(fetches, 0);
}

TEST_F(oidc, remembers_for_a_while_that_the_provider_cannot_be_asked) {
  broken = true;
  start();
  EXPECT_EQ(code(token(first)), ec::unavailable);
  {
    const std::scoped_lock lock{guard};
    EXPECT_THAT(failures, ::testing::ElementsAre("nobody is there"));
    broken = false;
  }
  EXPECT_EQ(code(token(first)), ec::unavailable) << "at once, without a question";
  EXPECT_EQ(fetches, 0);
  seconds += 10;
  EXPECT_EQ(code(token(first)), ec::none);
  {
    const std::scoped_lock lock{guard};
    broken = true;
  }
  seconds += 901;
  EXPECT_EQ(code(token(first)), ec::none) << "keys stay good while newer ones cannot be had";
  seconds += 24 * 3'600;
  EXPECT_EQ(code(token(first)), ec::unavailable) << "but not for ever";
}

TEST_F(oidc, delays_only_callers_whose_key_has_to_be_fetched) {
  start();
  EXPECT_EQ(code(token(first)), ec::none);
  gate.emplace();
  seconds += 30;
  auto waits = ask(token(second));
  EXPECT_EQ(code(token(first)), ec::none) << "while the provider is slow";
  EXPECT_EQ(waits.wait_for(0s), std::future_status::timeout);
  {
    const std::scoped_lock lock{guard};
    keys = second.key_set();
  }
  gate->set_value();
  EXPECT_TRUE(std::holds_alternative<principal>(waits.get()));
}

TEST_F(oidc, tells_a_mistake_in_the_settings_before_anybody_needs_a_key) {
  std::promise<std::string> told;
  settings.failed = [&](const error& why) { told.set_value(why.detail); };
  document = "{}";
  start();
  users->fetch_early();
  EXPECT_THAT(told.get_future().get(), ::testing::HasSubstr("is not that of this issuer"));
}

TEST_F(oidc, lets_only_so_many_wait) {
  settings.waiting_max = 1;
  gate.emplace();
  start();
  auto waits = ask(token(first));
  // The one that waits is answered by the fetch, so that the next has no place.
  EXPECT_EQ(code(token(first)), ec::overloaded);
  gate->set_value();
  EXPECT_TRUE(std::holds_alternative<principal>(waits.get()));
}

TEST_F(oidc, takes_no_keys_from_a_document_of_somebody_else) {
  const auto wrong = [&](const json& found) {
    return fetch_keys(issuer, "", 1s,
                      [&](const http_request& asked) -> result<http_answer> {
                        if (asked.url.ends_with("/keys")) return http_answer{200, keys};
                        return http_answer{200, found.dump()};
                      })
        .error();
  };
  const auto address = std::string{issuer} + "/keys";
  EXPECT_EQ(wrong({{"issuer", "https://evil.example.com"}, {"jwks_uri", address}}).code,
            ec::corrupt);
  EXPECT_EQ(wrong({{"jwks_uri", address}}).code, ec::corrupt);
  EXPECT_EQ(wrong(json::array()).code, ec::corrupt);
  EXPECT_EQ(wrong({{"issuer", issuer}}).code, ec::corrupt);
  EXPECT_EQ(wrong({{"issuer", issuer}, {"jwks_uri", "http://login.example.com/keys"}}).code,
            ec::corrupt)
      << "nothing is fetched unencrypted over a network";
  EXPECT_EQ(fetch_keys(issuer, "", 1s,
                       [](const http_request&) -> result<http_answer> {
                         return http_answer{500, ""};
                       })
                .error()
                .code,
            ec::unreachable);
}

}  // namespace

}  // namespace argosy::access
