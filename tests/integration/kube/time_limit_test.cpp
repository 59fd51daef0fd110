// SPDX-License-Identifier: Apache-2.0
// Goal: a request is neither sent nor waited for after the time until which it may be, and an
// answer has the time by the server's clock.
// Method: the client against a server of this process.
#include <gmock/gmock.h>

#include "tests/integration/kube/client_fixture.hpp"

namespace argosy::kube {

namespace {

using ::testing::AnyOf;
using ::testing::StartsWith;
using namespace testing;
using namespace std::chrono_literals;
using httplib::Request;
using httplib::Response;

TEST(kube_time_limit, sends_nothing_whose_time_is_over_and_gives_up_what_is_under_way_then) {
  fake_api_server* at = nullptr;
  fake_api_server server{[&](const Request&, Response& to) { at->stream(to); }};
  at = &server;
  const auto client = client_of({.server = server.url()});
  const auto now = system_clock_source().boot();
  EXPECT_THAT(asked(*client, {.verb = "POST", .path = "/a", .until = now}),
              StartsWith("cancelled: the request may not be sent any more"));
  EXPECT_TRUE(server.asked.values().empty());
  // On a slow machine its time may be over before it was sent.
  EXPECT_THAT(asked(*client, {.verb = "POST", .path = "/a", .until = now + 1s}),
              AnyOf(StartsWith("timeout"), StartsWith("unreachable"), StartsWith("cancelled")));
  EXPECT_LE(server.asked.values().size(), 1);
}

TEST(kube_time_limit, holds_back_no_longer_than_it_may_what_waits_for_its_turn) {
  fake_api_server server{[](const Request& from, Response& to) {
    to.set_content(from.method + " " + from.target, "text/plain");
  }};
  auto options = quick_options();
  options.qps = 1;
  options.burst = 1;
  const auto client = client_of({.server = server.url()}, options);
  EXPECT_EQ(asked(*client, {.path = "/1"}), "200 GET /1");
  const auto soon = system_clock_source().boot() + 100ms;
  EXPECT_FALSE(ask(*client, {.verb = "POST", .path = "/2", .until = soon}));
  EXPECT_EQ(server.asked.values().size(), 1);
}

TEST(kube_answers, tell_what_the_servers_clock_shows_if_it_says_so) {
  fake_api_server server{[](const Request& from, Response& to) {
    if (from.target == "/1") to.set_header("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
    if (from.target == "/2") to.set_header("Date", "yesterday, or so");
  }};
  const auto client = client_of({.server = server.url()});
  EXPECT_EQ(ask(*client, {.path = "/1"})->date, wall_time{784'111'777s});
  EXPECT_EQ(ask(*client, {.path = "/2"})->date, std::nullopt);
  EXPECT_EQ(ask(*client, {.path = "/3"})->date, std::nullopt);
}

}  // namespace

}  // namespace argosy::kube
