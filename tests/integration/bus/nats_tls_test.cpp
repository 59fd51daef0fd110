// SPDX-License-Identifier: Apache-2.0
// Goal: an encrypted link is made and checked as the settings say, and errors name what is wrong
// with it. Method: nats-servers with certificates that the test makes with openssl.
#include <gtest/gtest.h>

#include <fstream>

#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "tests/support/bus/waiting.hpp"
#include "tests/support/nats/authority.hpp"

namespace argosy::bus {
namespace {

using testing::authority;
using testing::nats_server;
using testing::patience;
using testing::temp_folder;
using testing::tls_url;

TEST(nats_tls, a_server_of_the_given_authority_is_trusted) {
  const authority own{"IP:127.0.0.1"};
  const nats_server server{own.server()};
  const auto connection = connect_nats({.url = tls_url(server), .ca_file = own.ca_file()});
  ASSERT_TRUE(connection.has_value()) << to_string(connection.error());
  const auto held = (*connection)->serve("echo", [](const frame& in) { (void)in; });
  ASSERT_TRUE(held.has_value()) << to_string(held.error());
  EXPECT_EQ((*connection)->request_sync("nobody", "", {}, patience).error().code,
            ec::no_responders);
}

TEST(nats_tls, the_log_takes_the_same_way) {
  const authority own{"IP:127.0.0.1"};
  const nats_server server{own.server()};
  eventlog::jetstream_settings settings;
  settings.nats = {.url = tls_url(server), .ca_file = own.ca_file()};
  settings.max_bytes = 1ull << 30;
  const auto log = eventlog::open_jetstream(settings);
  ASSERT_TRUE(log.has_value()) << to_string(log.error());
  ASSERT_TRUE((*log)->create());
  EXPECT_TRUE((*log)->append({}, "1.1", "data").has_value());
}

TEST(nats_tls, a_server_of_another_authority_is_not) {
  const authority own{"IP:127.0.0.1"};
  const authority other{"IP:127.0.0.1"};
  const nats_server server{own.server()};
  const auto connection = connect_nats({.url = tls_url(server), .ca_file = other.ca_file()});
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().code, ec::denied) << "waiting does not mend it";
  EXPECT_NE(connection.error().detail.find("local issuer certificate"), std::string::npos)
      << connection.error().detail;
  EXPECT_NE(connection.error().detail.find("caFile"), std::string::npos);
}

TEST(nats_tls, without_a_file_the_systems_authorities_count) {
  const authority own{"IP:127.0.0.1"};
  const nats_server server{own.server()};
  const auto connection = connect_nats({.url = tls_url(server)});
  ASSERT_FALSE(connection.has_value());
  EXPECT_NE(connection.error().detail.find("local issuer certificate"), std::string::npos)
      << connection.error().detail;
}

TEST(nats_tls, a_certificate_must_name_the_host) {
  const authority own{"DNS:elsewhere.example"};
  const nats_server server{own.server()};
  const auto connection = connect_nats({.url = tls_url(server), .ca_file = own.ca_file()});
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().code, ec::denied) << connection.error().detail;
  EXPECT_NE(connection.error().detail.find("host of the URL"), std::string::npos)
      << connection.error().detail;
}

TEST(nats_tls, servers_under_several_names_need_an_authority) {
  const auto connection = connect_nats({.url = "tls://a.example:1,tls://b.example:2"});
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().code, ec::invalid_argument);
  EXPECT_NE(connection.error().detail.find("nats.caFile"), std::string::npos);
}

TEST(nats_tls, a_server_that_asks_for_a_certificate_lets_in_who_shows_one) {
  const authority own{"IP:127.0.0.1"};
  const nats_server server{own.checking_server()};
  const auto url = tls_url(server);
  const auto shown = connect_nats({.url = url,
                                   .ca_file = own.ca_file(),
                                   .certificate_file = own.certificate(),
                                   .key_file = own.key()});
  EXPECT_TRUE(shown.has_value()) << to_string(shown.error());
  const auto none = connect_nats({.url = url, .ca_file = own.ca_file()});
  const authority other{"IP:127.0.0.1"};
  const auto strange = connect_nats({.url = url,
                                     .ca_file = own.ca_file(),
                                     .certificate_file = other.certificate(),
                                     .key_file = other.key()});
  for (const auto* refused : {&none, &strange}) {
    ASSERT_FALSE(refused->has_value());
    const auto& why = refused->error();
    // Whether the server's alert or the end of the link comes first is a matter of chance.
    EXPECT_TRUE(why.code == ec::denied || why.code == ec::unreachable) << why.detail;
    EXPECT_NE(why.detail.find("nats.certificateFile"), std::string::npos) << why.detail;
  }
}

TEST(nats_tls, a_key_of_another_certificate_is_named_before_a_server_is_asked) {
  const authority own{"IP:127.0.0.1"};
  const authority other{"IP:127.0.0.1"};
  const auto got = connect_nats(
      {.url = "tls://127.0.0.1:1", .certificate_file = own.certificate(), .key_file = other.key()});
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::invalid_argument);
  EXPECT_NE(got.error().detail.find("is not the private key of the certificate"),
            std::string::npos);
}

TEST(nats_tls, a_server_that_does_not_encrypt_is_named) {
  const nats_server server;
  const auto connection = connect_nats({.url = tls_url(server)});
  ASSERT_FALSE(connection.has_value());
  EXPECT_NE(connection.error().detail.find("does not encrypt"), std::string::npos)
      << connection.error().detail;
}

TEST(nats_tls, a_file_without_certificates_is_named) {
  const temp_folder folder;
  const auto path = (folder.path() / "empty.pem").string();
  std::ofstream{path} << "nothing\n";
  for (const auto& file : {path, (folder.path() / "absent.pem").string()}) {
    const auto connection = connect_nats({.url = "tls://127.0.0.1:1", .ca_file = file});
    ASSERT_FALSE(connection.has_value());
    EXPECT_EQ(connection.error().code, ec::invalid_argument);
    EXPECT_NE(connection.error().detail.find(file), std::string::npos);
  }
}

}  // namespace
}  // namespace argosy::bus
