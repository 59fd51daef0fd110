// SPDX-License-Identifier: Apache-2.0
// Goal: connecting says clearly what is wrong, never shows a token, and never hangs.
// Method: nats-servers of the test's own that are absent, guarded, frozen and killed.
#include <gtest/gtest.h>

#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/session.hpp"
#include "tests/support/bus/waiting.hpp"
#include "tests/support/nats/nats_server.hpp"

namespace argosy::bus {
namespace {

using testing::collector;
using testing::nats_server;
using testing::patience;

TEST(nats_connection, takes_the_token_from_the_url_and_hides_it) {
  const nats_server server{{.token = "s3cret"}};
  const auto connection = connect_nats({.url = server.url()});
  ASSERT_TRUE(connection.has_value()) << to_string(connection.error());
  const auto got = (*connection)->request_sync("nobody", "", {}, patience);
  EXPECT_EQ(got.error().code, ec::no_responders);
  EXPECT_EQ(got.error().detail.find("s3cret"), std::string::npos);
  EXPECT_EQ((*connection)->server(), "nats://127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ((*connection)->max_payload(), 8u << 20);
}

TEST(nats_connection, a_wrong_token_is_denied) {
  const nats_server server{{.token = "s3cret"}};
  const auto bad = "nats://wrong@127.0.0.1:" + std::to_string(server.port());
  const auto connection = connect_nats({.url = bad});
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().code, ec::denied) << connection.error().detail;
  EXPECT_EQ(connection.error().detail.find("wrong"), std::string::npos);
}

TEST(nats_connection, an_absent_server_is_unreachable) {
  nats_server server;
  server.kill();
  const auto connection = connect_nats({.url = server.url()});
  ASSERT_FALSE(connection.has_value());
  EXPECT_EQ(connection.error().code, ec::unreachable);
  EXPECT_NE(connection.error().detail.find(server.url()), std::string::npos)
      << connection.error().detail;
}

TEST(nats_connection, a_name_without_an_address_is_told_from_a_server_that_is_away) {
  const auto nobody = connect_nats({.url = "nats://no-such-host.invalid:4222"});
  ASSERT_FALSE(nobody.has_value());
  EXPECT_NE(nobody.error().detail.find(std::string{no_address_text} + " 'no-such-host.invalid'"),
            std::string::npos)
      << nobody.error().detail;
  nats_server server;
  server.kill();
  const auto away = connect_nats({.url = server.url()});
  ASSERT_FALSE(away.has_value());
  EXPECT_EQ(away.error().detail.find("No address"), std::string::npos) << away.error().detail;
}

TEST(nats_connection, an_empty_url_is_invalid) {
  EXPECT_EQ(connect_nats({.url = ""}).error().code, ec::invalid_argument);
  EXPECT_EQ(connect_nats({.url = " , "}).error().code, ec::invalid_argument);
}

TEST(nats_connection, urls_are_shown_without_secrets) {
  EXPECT_EQ(without_secrets("nats://tok@h:1, nats://u:p@ss@g:2"), "nats://h:1,nats://g:2");
  EXPECT_EQ(without_secrets("h:1"), "h:1");
}

TEST(nats_connection, a_frozen_server_is_given_up_after_the_pings) {
  nats_server server;
  nats_settings settings{.url = server.url()};
  settings.ping_interval = std::chrono::milliseconds{50};
  collector<link_status> seen;
  const auto connection = connect_nats(settings);
  ASSERT_TRUE(connection.has_value());
  (*connection)->on_status([&](link_status now) { seen.add(now); });
  server.freeze();
  const auto got = (*connection)->request_sync("a", "", {}, patience);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::unreachable) << got.error().detail;
  EXPECT_EQ((*connection)->publish("a", "").error().code, ec::unreachable);
  server.thaw();
  ASSERT_TRUE(seen.wait_for(2));
  EXPECT_EQ(seen.values(), (std::vector{link_status::disconnected, link_status::connected}));
}

TEST(nats_connection, a_request_to_a_frozen_server_times_out) {
  nats_server server;
  const auto connection = connect_nats({.url = server.url()});
  ASSERT_TRUE(connection.has_value());
  server.freeze();
  const auto got = (*connection)->request_sync("a", "", {}, std::chrono::milliseconds{50});
  EXPECT_EQ(got.error().code, ec::timeout);
  EXPECT_EQ((*connection)->flush(std::chrono::milliseconds{50}).error().code, ec::timeout);
}

TEST(nats_connection, dropped_frames_are_reported) {
  const nats_server server;
  collector<std::string> errors;
  nats_settings settings{.url = server.url()};
  settings.pending_frames = 10;
  settings.on_error = [&](const std::string& text) { errors.add(text); };
  const auto connection = connect_nats(settings);
  ASSERT_TRUE(connection.has_value());
  std::mutex busy;
  busy.lock();
  collector<int> got;
  const auto held = (*connection)->serve("a", [&](const frame&) {
    const std::lock_guard lock{busy};
    got.add(1);
  });
  ASSERT_TRUE(held.has_value());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE((*connection)->publish("a", "").has_value());
  EXPECT_TRUE(errors.wait_for(1));
  busy.unlock();
  ASSERT_TRUE(got.wait_for(1));
}

}  // namespace
}  // namespace argosy::bus
