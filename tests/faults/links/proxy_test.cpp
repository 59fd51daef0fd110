// SPDX-License-Identifier: Apache-2.0
// Goal: the proxy of these tests does what it says. Method: a server that sends back what it gets,
// and a client, over the proxy.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "tests/support/process/child.hpp"
#include "tests/support/process/free_port.hpp"
#include "tests/support/proxy/tcp_proxy.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Serves one connection after the other until it is destroyed.
class echo_server {
 public:
  echo_server() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    port_ = bind_to_free_port(listener_);
    EXPECT_NE(port_, 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    thread_ = std::thread{[this] {
      for (int fd = ::accept(listener_, nullptr, nullptr); fd >= 0;
           fd = ::accept(listener_, nullptr, nullptr)) {
        char bytes[256];
        for (auto size_read = ::recv(fd, bytes, sizeof bytes, 0); size_read > 0;
             size_read = ::recv(fd, bytes, sizeof bytes, 0))
          static_cast<void>(::send(fd, bytes, static_cast<std::size_t>(size_read), MSG_NOSIGNAL) >
                            0);
        ::close(fd);
      }
    }};
  }
  ~echo_server() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  [[nodiscard]] int port() const { return port_; }

 private:
  int listener_;
  int port_ = 0;
  std::thread thread_;
};

class proxied : public ::testing::Test {
 protected:
  ~proxied() override { ::close(client_); }

  void connect() {
    ::close(client_);
    client_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto at = loopback(proxy_.port());
    ASSERT_EQ(::connect(client_, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  }
  void send(const std::string& text) const {
    ASSERT_EQ(::send(client_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  /// Returns what arrives within the time; "reset" or "end" if the connection is over.
  std::string receive(std::chrono::milliseconds limit) const {
    pollfd one{client_, POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(limit.count())) == 0) return "";
    char bytes[256];
    const auto size = ::recv(client_, bytes, sizeof bytes, 0);
    return size < 0    ? "reset"
           : size == 0 ? "end"
                       : std::string(bytes, static_cast<std::size_t>(size));
  }

  echo_server server_;
  tcp_proxy proxy_{server_.port()};
  int client_ = -1;
};

TEST_F(proxied, bytes_go_there_and_back) {
  connect();
  send("one");
  EXPECT_EQ(receive(5s), "one");
}

TEST_F(proxied, bytes_arrive_later_by_the_delay) {
  proxy_.set({.delay = 60ms});
  connect();
  const auto begun = steady_clock::now();
  send("one");
  EXPECT_EQ(receive(5s), "one");
  EXPECT_GE(steady_clock::now() - begun, 120ms) << "in both directions";
}

TEST_F(proxied, what_a_closed_direction_held_arrives_when_it_opens) {
  connect();
  for (const auto& closed : {link_state{.to_server = false}, link_state{.to_client = false}}) {
    proxy_.set(closed);
    send("held");
    EXPECT_EQ(receive(50ms), "");
    proxy_.set({});
    EXPECT_EQ(receive(5s), "held");
  }
}

TEST_F(proxied, connections_are_reset_and_refused) {
  connect();
  send("one");
  ASSERT_EQ(receive(5s), "one");
  proxy_.cut();
  EXPECT_EQ(receive(5s), "reset");
  proxy_.set({.accepts = false});
  connect();
  EXPECT_EQ(receive(5s), "reset");
  proxy_.set({});
  connect();
  send("two");
  EXPECT_EQ(receive(5s), "two");
  EXPECT_EQ(proxy_.accepted(), 3u);
  EXPECT_EQ(proxy_.resets(), 1u);
}

TEST_F(proxied, pieces_reset_their_connection_as_often_as_asked) {
  proxy_.set({.resets_per_million = 1'000'000});
  connect();
  send("one");
  EXPECT_EQ(receive(5s), "reset");
}

}  // namespace

}  // namespace argosy::testing
