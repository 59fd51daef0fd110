// SPDX-License-Identifier: Apache-2.0
// Goal: whatever is at the address of the nats-server, a program says what is wrong and goes on
// when the right one is back. Method: a server that greets with given bytes, on a port of its own
// or on that of a nats-server that was killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "runtime/access/nkey.hpp"
#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/signing.hpp"
#include "tests/support/bus/waiting.hpp"
#include "tests/support/nats/nats_server.hpp"
#include "tests/support/process/free_port.hpp"

namespace argosy::bus {
namespace {

using testing::collector;
using ::testing::HasSubstr;
using testing::nats_server;
using testing::patience;

/// Greets whoever connects, answers each of his PINGs, and reads no further.
class greeter {
 public:
  explicit greeter(std::string greeting, int port = 0) : greeting_(std::move(greeting)) {
    const int yes = 1;
    ::setsockopt(listening_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    auto at = testing::loopback(port);
    if (::bind(listening_, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return;
    socklen_t size = sizeof at;
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    if (::listen(listening_, 16) == 0) serving_ = std::thread{[this] { serve(); }};
  }
  greeter(const greeter&) = delete;
  greeter& operator=(const greeter&) = delete;
  ~greeter() {
    over_ = true;
    if (serving_.joinable()) serving_.join();
    for (const auto& one : open_) ::close(one.fd);
    ::close(listening_);
  }

  [[nodiscard]] std::string url() const { return "nats://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] bool got_connect() const { return got_connect_; }

 private:
  void serve() {
    while (!over_) {
      auto asked = open_;
      asked.push_back({listening_, POLLIN, 0});
      if (::poll(asked.data(), asked.size(), 20) <= 0) continue;
      if (asked.back().revents != 0) {
        const int fresh = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fresh >= 0) {
          static_cast<void>(::send(fresh, greeting_.data(), greeting_.size(), MSG_NOSIGNAL));
          open_.push_back({fresh, POLLIN, 0});
        }
      }
      for (std::size_t i = 0; i + 1 < asked.size(); ++i)
        if (asked[i].revents != 0) answer(open_[i]);
    }
  }

  void answer(pollfd& one) {
    std::string got(65'536, '\0');
    const auto size = ::recv(one.fd, got.data(), got.size(), 0);
    if (size <= 0) one.events = 0;
    if (size <= 0) return;
    got.resize(static_cast<std::size_t>(size));
    if (got.find("CONNECT") != std::string::npos) got_connect_ = true;
    if (got.find("PING") != std::string::npos)
      static_cast<void>(::send(one.fd, "PONG\r\n", 6, MSG_NOSIGNAL));
  }

  const std::string greeting_;
  const int listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int port_ = 0;
  std::vector<pollfd> open_;
  std::atomic<bool> over_{false};
  std::atomic<bool> got_connect_{false};
  std::thread serving_;
};

/// What servers without users, and servers that are none of NATS, may say.
const std::vector<std::string>& greetings() {
  static const std::vector<std::string> all{
      "INFO {}\r\n",
      "INFO {\"server_id\":\"A\",\"max_payload\":1048576,\"headers\":true}\r\n",
      "INFO {\"nonce\":\"\"}\r\n",
      "INFO {\"nonce\":null,\"auth_required\":true}\r\n",
      "INFO {\"nonce\":\"" + std::string(20'000, 'a') + "\"}\r\n",
      "INFO {\"nonce\":\"abc\",\"max_payload\":-1,\"connect_urls\":[\"\"]}\r\n",
      "INFO {\"nonce\":[1]}\r\n",
      "INFO \r\n",
      "INFO {\r\n",
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      "-ERR 'Authorization Violation'\r\n",
      std::string(200'000, 'x'),
      std::string("\0\0\0\r\n", 5),
  };
  return all;
}

nats_settings signed_settings(const std::string& url) {
  nats_settings out{.url = url};
  out.connect_timeout = std::chrono::milliseconds{500};
  out.reconnect_wait = std::chrono::milliseconds{20};
  out.reconnect_jitter = std::chrono::milliseconds{0};
  const auto key = access::make_nkey();
  EXPECT_TRUE(key && sign_as({{access::party::user, "o"}, key->seed}, out));
  return out;
}

TEST(foreign_server, is_told_nothing_by_who_has_a_key) {
  const greeter nobody_is_asked{greetings()[1]};
  const auto made = connect_nats(signed_settings(nobody_is_asked.url()));
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ec::denied);
  EXPECT_THAT(made.error().detail, HasSubstr("asks nobody who he is"));
  EXPECT_THAT(made.error().detail, HasSubstr(nobody_is_asked.url()));
  EXPECT_FALSE(nobody_is_asked.got_connect());
}

TEST(foreign_server, that_begins_no_encryption_is_given_up) {
  const greeter silent{
      "INFO {\"server_id\":\"A\",\"version\":\"2.10.0\",\"proto\":1,\"max_payload\":1048576,"
      "\"tls_required\":true,\"headers\":true}\r\n"};
  const auto made =
      connect_nats({.url = silent.url(), .connect_timeout = std::chrono::milliseconds{50}});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ec::unreachable);
  EXPECT_THAT(made.error().detail, HasSubstr("does not finish its greeting (TLS)"));
}

TEST(foreign_server, ends_no_program_whatever_it_says) {
  for (const auto& greeting : greetings()) {
    SCOPED_TRACE(greeting.substr(0, 80));
    const greeter other{greeting};
    const auto settings = signed_settings(other.url());
    const auto made = connect_nats(settings);
    if (!made) EXPECT_FALSE(made.error().detail.empty());
    auto without_key = settings;
    without_key.nkey.clear();
    const auto plain = connect_nats(without_key);
    if (!plain) continue;
    static_cast<void>((*plain)->publish("a", "b"));
    static_cast<void>((*plain)->max_payload());
    static_cast<void>((*plain)->server_id());
  }
}

TEST(foreign_server, at_the_address_of_the_right_one_is_waited_out) {
  const auto key = access::make_nkey();
  ASSERT_TRUE(key);
  nats_server right{{.more = "authorization { users: [ { nkey: " + key->public_key + " } ] }"}};
  for (const auto& greeting : greetings()) {
    SCOPED_TRACE(greeting.substr(0, 80));
    auto settings = signed_settings(right.url());
    ASSERT_TRUE(sign_as({{access::party::user, "o"}, key->seed}, settings));
    collector<std::string> said;
    settings.on_error = [&](const std::string& text) { said.add(text); };
    collector<link_status> seen;
    const auto connection = connect_nats(settings);
    ASSERT_TRUE(connection.has_value()) << to_string(connection.error());
    (*connection)->on_status([&](link_status now) { seen.add(now); });
    right.kill();
    ASSERT_TRUE(seen.wait_for(1));
    {
      const greeter other{greeting, right.port()};
      if (greeting == greetings()[1]) {
        ASSERT_TRUE(said.wait_for(1));
        EXPECT_THAT(said.values().front(), HasSubstr("asks nobody who he is"));
      }
    }
    right.restart();
    ASSERT_TRUE(seen.wait_for(2));
    EXPECT_EQ(seen.values().back(), link_status::connected);
  }
}

}  // namespace
}  // namespace argosy::bus
