// SPDX-License-Identifier: Apache-2.0
// Goal: what leaves the site has no secrets in it, and its archive is one that others read. Method:
// texts as settings, logs and answers have them; the archive's bytes are compared with its format.
#include <gtest/gtest.h>

#include "bins/argosyctl/verbs/oncall/redact.hpp"
#include "bins/argosyctl/verbs/oncall/tar_gz.hpp"

namespace argosy::ctl {

TEST(redacted, leaves_out_what_is_behind_a_secret_name) {
  EXPECT_EQ(redacted("token: abc123, next: 1"), "token: [redacted], next: 1");
  EXPECT_EQ(redacted(R"({"clientSecret": "a b\"c", "name": "x"})"),
            R"({"clientSecret": "[redacted]", "name": "x"})");
  EXPECT_EQ(redacted(R"({"message": "got {\"password\": \"hunter2\", \"n\": 1}"})"),
            R"({"message": "got {\"password\": \"[redacted]\", \"n\": 1}"})");
  EXPECT_EQ(redacted("PASSWORD=hunter2 user=ann"), "PASSWORD=[redacted] user=ann");
  EXPECT_EQ(redacted("api_key='k e y' x"), "api_key='[redacted]' x");
  EXPECT_EQ(redacted("password: a phrase of words\nnext: 1"), "password: [redacted]\nnext: 1");
  EXPECT_EQ(redacted(R"({"tokens":["abc","de"],"n":1})"), R"({"tokens":[redacted],"n":1})");
  EXPECT_EQ(redacted(R"({"secret":{"a":["b"]},"n":1})"), R"({"secret":[redacted],"n":1})");
  EXPECT_EQ(redacted("token: [redacted]\n"), "token: [redacted]\n") << "once is enough";
}

TEST(redacted, leaves_out_hashes_of_passwords_as_a_whole) {
  constexpr const char* hash = "$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaA";
  const auto users = "[{name: ann, passwordHash: " + std::string{hash} + ", groups: [staff]}]";
  EXPECT_EQ(redacted(users), "[{name: ann, passwordHash: [redacted], groups: [staff]}]");
  EXPECT_EQ(redacted("a line with " + std::string{hash} + " in it"),
            "a line with [redacted] in it");
  EXPECT_EQ(redacted("it costs $5 or $x"), "it costs $5 or $x");
}

TEST(redacted, leaves_out_users_of_urls_and_credentials_of_headers) {
  EXPECT_EQ(redacted("nats://tok@h1:4222,nats://u:p@h2"),
            "nats://[redacted]@h1:4222,nats://[redacted]@h2");
  EXPECT_EQ(redacted("http://h/path?x=1"), "http://h/path?x=1");
  EXPECT_EQ(redacted("authorization: Bearer abcdefghijkl."), "authorization: Bearer [redacted]");
  EXPECT_EQ(redacted("basic YW5uOmh1bnRlcjI="), "basic [redacted]");
}

TEST(redacted, leaves_out_keys_that_stand_alone) {
  const auto seed = "SU" + std::string(56, 'A');
  EXPECT_EQ(redacted("nkey " + seed + "\n"), "nkey [redacted]\n");
  EXPECT_EQ(redacted("-----BEGIN PRIVATE KEY-----\nMIIE\nabc\n-----END PRIVATE KEY-----\nrest"),
            "[redacted]\nrest");
  EXPECT_EQ(redacted("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2ln end"), "[redacted] end");
}

TEST(redacted, keeps_what_helps) {
  constexpr const char* kept =
      "tokenFile: /etc/argosy/token\nargosy_queue_jobs{state=\"queued\"} 3\njobs: 12\n"
      "tokenExpiry: 5m\n";
  EXPECT_EQ(redacted(kept), kept);
}

TEST(tar_of, has_a_header_and_full_blocks_for_each_file) {
  const auto tar = tar_of({{"d/a.txt", "hello"}, {"d/b.txt", std::string(600, 'x')}}, 1'000);
  ASSERT_EQ(tar.size(), 512u * (1 + 1 + 1 + 2 + 2));
  EXPECT_EQ(std::string{tar.c_str()}, "d/a.txt");
  EXPECT_EQ(tar.substr(124, 11), "00000000005") << "its size in octal digits";
  EXPECT_EQ(tar.substr(257, 5), "ustar");
  EXPECT_EQ(tar.substr(512, 5), "hello");
  unsigned sum = 8 * ' ';
  for (std::size_t i = 0; i < 512; ++i)
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(tar[i]);
  EXPECT_EQ(std::stoul(tar.substr(148, 6), nullptr, 8), sum);
}

TEST(gzip, makes_bytes_with_its_mark_that_are_fewer) {
  const auto small = gzip(std::string(10'000, 'a'));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->substr(0, 2), "\x1f\x8b");
  EXPECT_LT(small->size(), 200u);
  EXPECT_TRUE(gzip(""));
}

}  // namespace argosy::ctl
