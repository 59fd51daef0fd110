// SPDX-License-Identifier: Apache-2.0
// Goal: clients who send slowly, or nothing, keep nobody else from an answer, and do not stay for
// ever. Method: sockets that send a part of a request to a real server.
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/health/front/stalled_clients.hpp"
#include "runtime/health/health_server.hpp"
#include "tests/unit/health/http_get.hpp"

namespace argosy::health {
namespace {

using namespace std::chrono_literals;
using tests::http_get;

/// A connection that stays open.
class slow_client {
 public:
  explicit slow_client(std::uint16_t port) : fd_(tests::connect_loopback(port)) {
    EXPECT_GE(fd_, 0);
  }
  slow_client(slow_client&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~slow_client() {
    if (fd_ >= 0) close(fd_);
  }
  void put(const std::string& text) const {
    (void)::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  /// Waits a little for the server to close the connection.
  [[nodiscard]] bool is_closed() const {
    pollfd asked{fd_, POLLIN, 0};
    char next = 0;
    return poll(&asked, 1, 5) == 1 && recv(fd_, &next, 1, 0) <= 0;
  }

 private:
  int fd_;
};

std::unique_ptr<server> served(connection_bounds bounds = {}) {
  server_config config;
  config.live = {{"loop", []() -> result<void> { return {}; }}};
  config.bounds = bounds;
  return std::move(*server::start(std::move(config)));
}

TEST(slow_clients, keep_nobody_from_an_answer) {
  const auto running = served();
  std::vector<slow_client> slow;
  for (int i = 0; i < 300; ++i) {
    slow.emplace_back(running->port());
    slow.back().put(i % 2 == 0 ? "GET /livez HT" : "");
  }
  EXPECT_EQ(http_get(running->port(), "/livez").status, 200);
  slow[0].put("TP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(slow[0].is_closed()) << "whoever goes on within the time is answered";
}

TEST(slow_clients, are_let_go_though_a_byte_comes_now_and_then) {
  const auto running = served({.request_within = 50ms});
  const slow_client slow{running->port()};
  slow.put("GET /livez HTTP/1.1\r\nX: ");
  while (!slow.is_closed()) slow.put("a");
}

TEST(slow_clients, who_send_nothing_are_let_go) {
  const auto running = served({.idle_for = 50ms});
  const slow_client silent{running->port()};
  while (!silent.is_closed()) {
  }
}

TEST(slow_clients, do_not_hold_up_the_end_of_the_server) {
  auto running = served({.request_within = 1h, .idle_for = 1h});
  const slow_client slow{running->port()};
  slow.put("GET /livez HT");
  const slow_client silent{running->port()};
  EXPECT_EQ(http_get(running->port(), "/livez").status, 200);
  running.reset();
  EXPECT_TRUE(slow.is_closed());
}

TEST(stalled_clients, make_room_when_too_much_waits_for_them) {
  stalled_clients stalled{10, 1'000};
  const border::address_block from{};
  std::array<std::array<int, 2>, 3> ends{};
  for (auto& each : ends) ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, each.data()), 0);
  const auto is_broken = [&](std::size_t which) {
    pollfd asked{ends[which][1], POLLRDHUP, 0};
    return ::poll(&asked, 1, 0) == 1;
  };
  {
    const stalled_clients::place first{stalled, ends[0][0], from, 2'000};
    EXPECT_FALSE(is_broken(0)) << "one may always wait";
    const stalled_clients::place second{stalled, ends[1][0], from, 600};
    EXPECT_TRUE(is_broken(0));
    const stalled_clients::place third{stalled, ends[2][0], from, 300};
    EXPECT_FALSE(is_broken(1));
  }
  for (const auto& each : ends)
    for (const auto end : each) ::close(end);
}

TEST(connections, may_carry_several_requests_at_once) {
  const auto running = served();
  const std::string one = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const auto answers = tests::http_send(
      running->port(), one + "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(answers.status, 200);
  EXPECT_NE(answers.body.find("HTTP/1.1 200"), std::string::npos) << answers.body;
}

}  // namespace
}  // namespace argosy::health
