// SPDX-License-Identifier: Apache-2.0
// Goal: a connection outlives refused log-ins, after which the library gives it up, and tells one
// start of the server from the next. Method: servers whose token is changed under the connection.
#include <gtest/gtest.h>

#include "runtime/bus/nats/nats_bus.hpp"
#include "tests/support/bus/waiting.hpp"
#include "tests/support/nats/nats_server.hpp"

namespace argosy::bus {
namespace {

using testing::collector;
using testing::nats_server;
using testing::patience;

TEST(nats_renewal, outlives_refused_log_ins_with_all_that_it_serves) {
  nats_server server{{.token = "good"}};
  server.restart();
  nats_settings settings{.url = server.url()};
  settings.reconnect_wait = std::chrono::milliseconds{20};
  settings.reconnect_jitter = std::chrono::milliseconds{0};
  collector<std::string> said;
  settings.on_error = [&](const std::string& text) {
    if (text.ends_with("trying on")) said.add(text);
  };
  collector<link_status> seen;
  const auto connection = connect_nats(settings);
  ASSERT_TRUE(connection.has_value());
  (*connection)->on_status([&](link_status now) { seen.add(now); });
  const auto served = (*connection)->serve("before", [&](const frame& asked) {
    static_cast<void>((*connection)->respond(asked, "yes"));
  });
  ASSERT_TRUE(served.has_value());
  for (int round = 0; round < 2; ++round) {
    server.reload("other");
    ASSERT_TRUE(said.wait_for(static_cast<std::size_t>(round) + 1)) << "the library gave up";
    EXPECT_EQ((*connection)->status(), link_status::disconnected);
    EXPECT_EQ((*connection)->publish("a", "").error().code, ec::unreachable);
    const auto meanwhile = (*connection)->serve("meanwhile", [&](const frame& asked) {
      static_cast<void>((*connection)->respond(asked, "also"));
    });
    ASSERT_TRUE(meanwhile.has_value()) << to_string(meanwhile.error());
    server.reload("good");
    ASSERT_TRUE(seen.wait_for(2 * static_cast<std::size_t>(round) + 2));
    EXPECT_EQ(seen.values().back(), link_status::connected);
    const auto other = connect_nats(settings).value();
    EXPECT_EQ(other->request_sync("before", "", {}, patience).value().data, "yes");
    EXPECT_EQ((*connection)->request_sync("meanwhile", "", {}, patience).value().data, "also");
    EXPECT_FALSE((*connection)->server_id().empty());
  }
  EXPECT_NE(said.values().front().find("refused the token"), std::string::npos)
      << said.values().front();
}

TEST(nats_renewal, can_be_closed_while_its_log_ins_are_refused) {
  nats_server server{{.token = "good"}};
  server.restart();
  nats_settings settings{.url = server.url()};
  settings.reconnect_wait = std::chrono::milliseconds{20};
  collector<std::string> said;
  settings.on_error = [&](const std::string& text) {
    if (text.ends_with("trying on")) said.add(text);
  };
  const auto connection = connect_nats(settings).value();
  server.reload("other");
  ASSERT_TRUE(said.wait_for(1));
  connection->close();
  EXPECT_EQ(connection->status(), link_status::closed);
}

TEST(nats_renewal, knows_another_start_of_the_server) {
  nats_server server;
  collector<link_status> seen;
  const auto connection = connect_nats({.url = server.url()}).value();
  connection->on_status([&](link_status now) { seen.add(now); });
  const auto before = connection->server_id();
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(connect_nats({.url = server.url()}).value()->server_id(), before);
  server.restart();
  ASSERT_TRUE(seen.wait_for(2));
  EXPECT_NE(connection->server_id(), before);
  EXPECT_FALSE(connection->server_id().empty());
}

}  // namespace
}  // namespace argosy::bus
