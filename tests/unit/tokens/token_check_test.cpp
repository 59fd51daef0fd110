// SPDX-License-Identifier: Apache-2.0
// Goal: a token proves who its bearer is only if its provider signed it for this server and for
// this time. Method: one good token, and each way to forge or misuse one.
#include "runtime/access/tokens/token_check.hpp"

#include <gmock/gmock.h>

#include "tests/support/tokens/token_signer.hpp"

namespace argosy::access {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::ElementsAre;
using testing::token_signer;

constexpr std::int64_t now_s = 1'800'000'000;
const std::chrono::system_clock::time_point now{std::chrono::seconds{now_s}};

struct token_checks : ::testing::Test {
  token_checks() {
    rules.issuer = "https://login.example.com";
    rules.audiences = {"argosy", "batch"};
    rules.groups_claim = "groups";
  }
  json claims() const {
    return {{"iss", rules.issuer},
            {"aud", "argosy"},
            {"sub", "ann"},
            {"exp", now_s + 60},
            {"nbf", now_s - 60}};
  }
  json with(const char* name, const json& value) const {
    auto out = claims();
    out[name] = value;
    return out;
  }
  json without(const char* name) const {
    auto out = claims();
    out.erase(name);
    return out;
  }
  result<attributes> check(const std::string& token) const {
    const auto read = parse_token(token);
    if (!read) return fail(read.error());
    return check_token(*read, parse_keys(signer.key_set()).value(), rules, now);
  }
  /// Why it is refused; "good" if it is not.
  std::string why(const std::string& token) const {
    const auto got = check(token);
    if (got) return "good";
    EXPECT_EQ(got.error().code, ec::denied);
    return got.error().detail;
  }

  token_signer signer;
  token_rules rules;
};

TEST_F(token_checks, know_the_bearer_of_a_good_token) {
  auto all = with("groups", json::array({"staff", "users"}));
  all["scope"] = "openid  jobs:write ";
  const auto who = check(signer.token(all)).value();
  EXPECT_EQ(who.name, "ann");
  EXPECT_EQ(who.by, scheme::oidc);
  EXPECT_THAT(who.groups, ElementsAre("staff", "users"));
  EXPECT_THAT(who.scopes, ElementsAre("openid", "jobs:write"));
  EXPECT_THAT(who.claims, ElementsAre("aud", "exp", "groups", "iss", "nbf", "scope", "sub"));
}

TEST_F(token_checks, take_the_name_and_groups_from_the_claims_that_the_settings_name) {
  rules.name_claim = "email";
  rules.groups_claim = "";
  auto all = with("email", "ann@example.com");
  all["groups"] = {"staff"};
  const auto who = check(signer.token(all)).value();
  EXPECT_EQ(who.name, "ann@example.com");
  EXPECT_TRUE(who.groups.empty());
  EXPECT_EQ(why(signer.token(claims())), "the token has no name that can be used");
}

TEST_F(token_checks, take_no_algorithm_but_those_of_the_settings) {
  const auto sentence = "the token is not signed by an algorithm that this server accepts";
  for (const auto* const how : {"none", "None", "", "HS256", "HS512", "ES512", "RS512", "EdDSA"}) {
    EXPECT_EQ(why(testing::unsigned_token({{"alg", how}}, claims())), sentence) << how;
    EXPECT_EQ(why(signer.token({{"alg", how}, {"kid", "k1"}}, claims())), sentence) << how;
    EXPECT_EQ(why(testing::mac_token({{"alg", how}, {"kid", "k1"}}, claims(), signer.pem())),
              sentence)
        << how;
  }
  EXPECT_EQ(why(testing::mac_token({{"alg", "ES256"}, {"kid", "k1"}}, claims(), signer.pem())),
            "the signature of the token is wrong");
  EXPECT_EQ(why(testing::unsigned_token({{"alg", "ES256"}, {"kid", "k1"}}, claims())),
            "the signature of the token is wrong");
  EXPECT_EQ(why(signer.token({{"alg", "ES256"}, {"crit", json::array({"b64"})}}, claims())),
            "the token demands extensions that this server does not have");
}

TEST_F(token_checks, take_no_key_for_an_algorithm_of_another_kind) {
  const auto token = signer.token({{"alg", "RS256"}, {"kid", "k1"}}, claims());
  EXPECT_EQ(check(token).error().code, ec::not_found);
}

TEST_F(token_checks, refuse_what_somebody_else_has_signed_or_changed) {
  const token_signer forger;
  EXPECT_EQ(why(forger.token(claims())), "the signature of the token is wrong");
  const auto good = signer.token(claims());
  const auto changed = signer.token(with("sub", "root"));
  const auto cut = [](const std::string& token) { return token.rfind('.'); };
  EXPECT_EQ(why(changed.substr(0, cut(changed)) + good.substr(cut(good))),
            "the signature of the token is wrong");
  EXPECT_EQ(why(good), "good");
}

TEST_F(token_checks, say_when_newer_keys_might_help) {
  const token_signer other{token_signer::kind::elliptic, "k2"};
  EXPECT_EQ(check(other.token(claims())).error().code, ec::not_found);
  EXPECT_EQ(why(signer.token({{"alg", "ES256"}}, claims())), "good") << "a token may name no key";
  const auto stranger = other.token(with("iss", "https://evil.example.com"));
  EXPECT_EQ(why(stranger), "the token is of another issuer") << "before any key is looked for";
}

TEST_F(token_checks, refuse_tokens_of_other_issuers_and_for_other_servers) {
  for (const auto* const issuer :
       {"https://login.example.com/", "http://login.example.com", "", "https://evil.example.com"})
    EXPECT_EQ(why(signer.token(with("iss", issuer))), "the token is of another issuer");
  EXPECT_EQ(why(signer.token(without("iss"))), "the token is of another issuer");
  const auto sentence = "the token is meant for others than this server";
  EXPECT_EQ(why(signer.token(with("aud", "payroll"))), sentence);
  EXPECT_EQ(why(signer.token(with("aud", json::array()))), sentence);
  EXPECT_EQ(why(signer.token(without("aud"))), sentence);
  EXPECT_EQ(why(signer.token(with("aud", json::array({"payroll", "batch"})))), "good");
}

TEST_F(token_checks, know_when_a_token_is_good) {
  const auto at = [&](const char* claim, std::int64_t time) {
    return why(signer.token(with(claim, time)));
  };
  EXPECT_EQ(at("exp", now_s - 29), "good") << "clocks may differ";
  EXPECT_EQ(at("exp", now_s - 30), "the token has expired");
  EXPECT_EQ(at("nbf", now_s + 30), "good");
  EXPECT_EQ(at("nbf", now_s + 31), "the token is not valid yet");
  EXPECT_EQ(why(signer.token(without("nbf"))), "good");
  EXPECT_EQ(why(signer.token(without("exp"))), "the token has no end of its life");
  rules.skew = 0s;
  EXPECT_EQ(at("exp", now_s), "the token has expired");
  EXPECT_EQ(at("exp", now_s + 1), "good");
}

TEST_F(token_checks, refuse_names_that_could_be_taken_for_others) {
  const auto sentence = "the token has no name that can be used";
  for (const auto& name : {json(""), json("anonymous"), json("a\nb"), json(std::string(257, 'a')),
                           json(7), json::array({"a", "b"})})
    EXPECT_EQ(why(signer.token(with("sub", name))), sentence) << name;
  EXPECT_EQ(why(signer.token(without("sub"))), sentence);
}

}  // namespace

}  // namespace argosy::access
