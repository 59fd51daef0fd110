// SPDX-License-Identifier: Apache-2.0
// Goal: credentials are read as they are written, kept private, and never shown. Method: texts, and
// files in a temporary folder.
#include "runtime/access/credentials.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "runtime/access/nkey.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::access {

namespace {

constexpr const char* seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

const credentials of_alice{{party::user, "alice"}, seed};

TEST(credentials, are_read_as_they_are_written) {
  const auto read = parse_credentials(print_credentials(of_alice));
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(read->who, of_alice.who);
  EXPECT_EQ(read->seed, of_alice.seed);
}

TEST(credentials, that_are_none_are_refused_without_repeating_them) {
  const std::string damaged = std::string{"identity: user/alice\nseed: SUX"} + (seed + 3);
  for (const auto& text :
       {std::string{}, std::string{seed}, std::string{"seed: "} + seed, damaged}) {
    const auto got = parse_credentials(text);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().detail.find(seed + 10), std::string::npos);
  }
}

TEST(credentials, are_written_for_their_owner_alone_and_not_over_others) {
  const testing::temp_folder folder;
  const auto file = folder.path() / "deep" / "alice";
  ASSERT_TRUE(write_private(file, print_credentials(of_alice), false));
  struct stat about {};
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
  ASSERT_EQ(::stat(file.parent_path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0700u);
  EXPECT_EQ(write_private(file, "x", false).error().code, ec::conflict);
  EXPECT_TRUE(read_credentials(file));
  EXPECT_TRUE(write_private(file, "x", true));
  EXPECT_EQ(read_credentials(file).error().code, ec::invalid_argument);
  EXPECT_EQ(read_credentials(folder.path() / "none").error().code, ec::not_found);
}

TEST(credentials, that_everybody_can_read_are_refused_with_what_to_do) {
  const testing::temp_folder folder;
  const auto file = folder.path() / "alice";
  ASSERT_TRUE(write_private(file, print_credentials(of_alice), false));
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  const auto got = read_credentials(file);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ec::denied);
  EXPECT_NE(got.error().detail.find("chmod 600"), std::string::npos) << got.error().detail;
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  EXPECT_TRUE(read_credentials(file)) << "a group may be given them";
}

TEST(credentials, of_a_server_are_kept_under_its_host_and_port) {
  const std::filesystem::path state{"/s"};
  EXPECT_EQ(kept_credentials(state, "nats://127.0.0.1:4711"), "/s/credentials/127.0.0.1-4711");
  EXPECT_EQ(kept_credentials(state, "tls://user@a.example:1/"), "/s/credentials/a.example-1");
  EXPECT_EQ(kept_credentials(state, "a.example"), "/s/credentials/a.example-4222");
  for (const auto* url :
       {"", "nats://", "nats://a:1,nats://b:2", "nats://../../etc:1", "nats://:1"})
    EXPECT_TRUE(kept_credentials(state, url).empty()) << url;
}

}  // namespace

}  // namespace argosy::access
