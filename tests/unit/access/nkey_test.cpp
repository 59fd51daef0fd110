// SPDX-License-Identifier: Apache-2.0
// Goal: NKeys have the spelling of NATS. Method: a pair that NATS publishes in its manual, and
// damaged texts.
#include "runtime/access/nkey.hpp"

#include <gtest/gtest.h>

namespace argosy::access {

namespace {

constexpr std::string_view known_seed =
    "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
constexpr std::string_view known_key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

TEST(nkey, of_the_manual_of_nats_has_its_public_key) {
  const auto key = public_key_of(known_seed);
  ASSERT_TRUE(key) << key.error().detail;
  EXPECT_EQ(*key, known_key);
  EXPECT_TRUE(is_public_key(known_key));
}

TEST(nkey, that_is_new_is_of_a_user_and_no_other_one) {
  const auto one = make_nkey();
  const auto two = make_nkey();
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(one->seed.starts_with("SU"));
  EXPECT_EQ(one->seed.size(), known_seed.size());
  EXPECT_TRUE(is_public_key(one->public_key)) << one->public_key;
  EXPECT_EQ(public_key_of(one->seed).value(), one->public_key);
  EXPECT_NE(one->seed, two->seed);
}

TEST(nkey, signs_a_text_always_alike) {
  const auto made = sign(known_seed, "question");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->size(), 64u);
  EXPECT_EQ(sign(known_seed, "question").value(), *made) << "ed25519 draws nothing";
  EXPECT_NE(sign(known_seed, "questiom").value(), *made);
  EXPECT_FALSE(sign("SU", "question"));
}

TEST(nkey, that_is_damaged_is_refused_and_not_repeated) {
  for (std::size_t i = 0; i < known_seed.size(); ++i) {
    std::string text{known_seed};
    text[i] = text[i] == 'A' ? 'B' : 'A';
    const auto got = public_key_of(text);
    ASSERT_FALSE(got) << "character " << i;
    EXPECT_EQ(got.error().code, ec::invalid_argument);
    EXPECT_EQ(got.error().detail.find(text.substr(2, 8)), std::string::npos);
  }
  for (const std::string_view text : {"", "SU", "x", "SUACSSL3", "nats://a@b"})
    EXPECT_FALSE(public_key_of(text)) << text;
  EXPECT_FALSE(public_key_of(known_key)) << "a public key is no seed";
  EXPECT_FALSE(is_public_key(known_seed));
  EXPECT_FALSE(is_public_key("UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF5"));
}

}  // namespace

}  // namespace argosy::access
