// SPDX-License-Identifier: Apache-2.0
// Goal: what is said of certificates and disks names the thing, the time and the fix, and is said
// in time. Method: ends and rooms that the test makes up.
#include "bins/shared/machine_watch.hpp"

#include <gmock/gmock.h>

#include "bins/shared/tls_probe.hpp"

namespace argosy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t day = 86'400;
constexpr std::int64_t now = 1'800'000'000;

health::concerns of(std::int64_t end, const std::string& fault = {}) {
  return certificate_concerns({{"the NATS server", "h:4222", end, fault}}, now);
}

TEST(certificates, are_told_of_from_three_weeks_before_their_end) {
  EXPECT_TRUE(of(now + 21 * day).empty());
  const auto soon = of(now + 20 * day + 100);
  ASSERT_EQ(soon.size(), 1u);
  EXPECT_FALSE(soon[0].bad);
  EXPECT_THAT(soon[0].text,
              HasSubstr("the certificate of the NATS server (h:4222) ends in 20 days"));
}

TEST(certificates, that_have_ended_or_are_not_trusted_are_bad) {
  const auto past = of(now, "certificate has expired");
  ASSERT_EQ(past.size(), 1u);
  EXPECT_TRUE(past[0].bad);
  EXPECT_THAT(past[0].text, HasSubstr("has expired, on 2027-01-15"));
  const auto strange = of(now + 100 * day, "self-signed certificate");
  ASSERT_EQ(strange.size(), 1u);
  EXPECT_TRUE(strange[0].bad);
  EXPECT_THAT(strange[0].text, HasSubstr("cannot be used: self-signed certificate"));
}

TEST(disks, are_told_of_when_they_fill_and_when_nothing_new_is_accepted) {
  const watched_disk disk{"data", "the data directory", "/data", "nothing new is accepted"};
  constexpr auto bytes = 100ull << 30;
  EXPECT_TRUE(disk_concerns(disk, 10ull << 30, bytes, 10ull << 30).empty());
  const auto fills = disk_concerns(disk, 500u << 20, bytes, 500u << 20);
  ASSERT_EQ(fills.size(), 1u);
  EXPECT_FALSE(fills[0].bad);
  EXPECT_THAT(fills[0].text, HasSubstr("the disk of the data directory '/data' has 500 MiB of "
                                       "102400 MiB free: make room"));
  const auto full = disk_concerns(disk, 100u << 20, bytes, 100u << 20);
  ASSERT_EQ(full.size(), 1u);
  EXPECT_TRUE(full[0].bad);
  EXPECT_THAT(full[0].text, HasSubstr("so that nothing new is accepted"));
  EXPECT_TRUE(disk_concerns(disk, 100u << 20, bytes, 1ull << 30).empty())
      << "the store can use its file again";
}

TEST(servers, are_read_from_urls) {
  EXPECT_THAT(addresses_of("tls://user:pa@ss@a:1,nats://b, [::1]:5"),
              ElementsAre(server_address{"a", "1"}, server_address{"b", "4222"},
                          server_address{"::1", "5"}));
  EXPECT_THAT(addresses_of("tls://user:se/cret@a:1/"), ElementsAre(server_address{"a", "1"}));
  EXPECT_THAT(addresses_of(""), ElementsAre());
  EXPECT_THAT(addresses_of("https://idp.example/realms/x", greeting::none),
              ElementsAre(server_address{"idp.example", "443"}));
}

}  // namespace
}  // namespace argosy
