// SPDX-License-Identifier: Apache-2.0
// Goal: signatures are checked as the standards say, and keys that are not safe are left out.
// Method: the examples of RFC 7515 and RFC 8037, and keys that the test draws.
#include "runtime/access/tokens/key_set.hpp"

#include <gmock/gmock.h>

#include "runtime/access/tokens/base64url.hpp"
#include "runtime/access/tokens/web_token.hpp"
#include "tests/support/tokens/token_signer.hpp"

namespace argosy::access {

namespace {

using nlohmann::json;
using testing::token_signer;

TEST(base64url, is_read_back_and_has_one_spelling_for_each_text) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd", "\xff\xfe\xfd\x00"})
    EXPECT_EQ(decode_base64url(encode_base64url(text)), text);
  EXPECT_EQ(encode_base64url("\xff\xff\xfe"), "___-");
  EXPECT_EQ(decode_base64url("YQ"), "a");
  for (const auto* const wrong : {"Y", "YR", "YQ==", "Y+", "Y/", "Y Q", "YQ\n", "YWI\xc3"})
    EXPECT_EQ(decode_base64url(wrong), std::nullopt) << wrong;
}

public_key only_key(const json& from) {
  return parse_keys(json{{"keys", json::array({from})}}.dump()).value().front();
}

/// The three parts of a token in its compact form.
bool is_signed(const public_key& key, token_algorithm how, const std::string& token) {
  const auto dot = token.rfind('.');
  return has_signed(key, how, token.substr(0, dot), *decode_base64url(token.substr(dot + 1)));
}

TEST(key_sets, check_the_signatures_of_the_standards_examples) {
  // RFC 7515, A.3.
  const auto elliptic = only_key({{"kty", "EC"},
                                  {"crv", "P-256"},
                                  {"x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"},
                                  {"y", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}});
  const std::string token =
      "eyJhbGciOiJFUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
      "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
  EXPECT_TRUE(is_signed(elliptic, token_algorithm::es256, token));
  EXPECT_FALSE(is_signed(elliptic, token_algorithm::es256, "x" + token));
  EXPECT_TRUE(fits(elliptic, token_algorithm::es256));
  EXPECT_FALSE(fits(elliptic, token_algorithm::es384));
  EXPECT_FALSE(fits(elliptic, token_algorithm::rs256));
  // RFC 8037, A.4.
  const auto edwards = only_key(
      {{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}});
  EXPECT_TRUE(is_signed(edwards, token_algorithm::eddsa,
                        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7s"
                        "VvpAr_MuM0KAg"));
  EXPECT_TRUE(fits(edwards, token_algorithm::eddsa));
  EXPECT_FALSE(fits(edwards, token_algorithm::es256));
}

TEST(key_sets, check_signatures_of_every_algorithm_of_rsa) {
  const token_signer signer{token_signer::kind::rsa};
  auto item = signer.public_key();
  EXPECT_TRUE(fits(only_key(item), token_algorithm::rs256));
  EXPECT_FALSE(fits(only_key(item), token_algorithm::rs512)) << "the key is for RS256 only";
  item.erase("alg");
  const auto key = only_key(item);
  const std::vector<std::pair<std::string, token_algorithm>> all{
      {"RS256", token_algorithm::rs256}, {"RS384", token_algorithm::rs384},
      {"RS512", token_algorithm::rs512}, {"PS256", token_algorithm::ps256},
      {"PS384", token_algorithm::ps384}, {"PS512", token_algorithm::ps512}};
  for (const auto& [name, how] : all) {
    const auto token = signer.token({{"alg", name}}, {{"sub", "ann"}});
    for (const auto& [other, read_as] : all)
      EXPECT_EQ(is_signed(key, read_as, token), read_as == how) << name << " as " << other;
  }
}

TEST(key_sets, leave_out_what_cannot_be_used) {
  const token_signer signer;
  const auto good = signer.public_key();
  const auto change = [&](const char* field, const json& value) {
    auto out = good;
    out[field] = value;
    return out;
  };
  const std::vector<json> bad{
      json{},
      json{"text"},
      change("use", "enc"),
      change("alg", "HS256"),
      change("crv", "P-384"),
      change("x", "AAAA"),
      change("y", good["x"]),
      change("kty", "oct"),
      json{{"kty", "oct"}, {"kid", "k1"}, {"k", "c2VjcmV0"}},
      json{{"kty", "RSA"}, {"n", encode_base64url(std::string(128, '\xff'))}, {"e", "AQAB"}},
      json{{"kty", "RSA"}, {"n", encode_base64url(std::string(256, '\xff'))}, {"e", "AQ"}},
  };
  for (const auto& one : bad) {
    const auto read = parse_keys(json{{"keys", json::array({one, good})}}.dump());
    ASSERT_TRUE(read) << one;
    EXPECT_EQ(read->size(), 1U) << one;
    EXPECT_FALSE(parse_keys(json{{"keys", json::array({one})}}.dump())) << one;
  }
  for (const auto* const text : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[]})", "{\"keys\":["})
    EXPECT_EQ(parse_keys(text).error().code, ec::corrupt) << text;
}

TEST(web_tokens, are_taken_apart_without_being_believed) {
  const token_signer signer;
  const auto read = parse_token(signer.token({{"sub", "ann"},
                                              {"groups", {"a", "b"}},
                                              {"mixed", json::array({"a", 1, nullptr})},
                                              {"deep", {{"x", "y"}}},
                                              {"exp", 1'700'000'000.5},
                                              {"nbf", 1'600'000'000}}))
                        .value();
  EXPECT_EQ(read.algorithm, "ES256");
  EXPECT_EQ(read.key_id, "k1");
  EXPECT_EQ(read.text("sub"), "ann");
  EXPECT_EQ(read.text("groups"), "");
  EXPECT_THAT(read.texts("groups"), ::testing::ElementsAre("a", "b"));
  EXPECT_THAT(read.texts("mixed"), ::testing::ElementsAre("a"));
  EXPECT_TRUE(read.texts("deep").empty());
  EXPECT_TRUE(read.claims.contains("deep"));
  EXPECT_EQ(read.expires, 1'700'000'000);
  EXPECT_EQ(read.not_before, 1'600'000'000);
}

TEST(web_tokens, that_are_damaged_are_refused_with_a_sentence_that_repeats_nothing) {
  const token_signer signer;
  const auto good = signer.token({{"sub", "secret-name"}});
  const std::vector<std::string> bad{
      "",
      ".",
      "..",
      "a.b",
      good + ".x",
      good + "=",
      "x" + good,
      "{}." + good,
      encode_base64url("[]") + "." + encode_base64url("{}") + ".AA",
      encode_base64url("{}") + "." + encode_base64url("\"secret-name\"") + ".AA",
      encode_base64url("{}") + "." + encode_base64url("{\"sub\":\"\xff\"}") + ".AA",
      encode_base64url(std::string(10'000, '[')) + "." + encode_base64url("{}") + ".AA",
      signer.token({{"sub", "secret-name"}, {"exp", "soon"}}),
      signer.token({{"sub", "secret-name"}, {"exp", -1}}),
      signer.token({{"sub", "secret-name"}, {"nbf", 1e300}}),
      signer.token({{"sub", std::string(token_bytes_max, 'a')}}),
  };
  for (const auto& token : bad) {
    const auto read = parse_token(token);
    ASSERT_FALSE(read) << token;
    EXPECT_EQ(read.error().code, ec::denied);
    EXPECT_THAT(read.error().detail, ::testing::Not(::testing::HasSubstr("secret")));
  }
}

}  // namespace

}  // namespace argosy::access
