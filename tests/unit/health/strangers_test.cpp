// SPDX-License-Identifier: Apache-2.0
// Goal: strangers who reach the endpoint for health get no memory, no thread and no second request
// out of one, by whatever they send. Method: raw bytes to a real server with small bounds.
#include <gmock/gmock.h>
#include <httplib.h>
#include <poll.h>

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "runtime/health/health_server.hpp"
#include "runtime/health/pages.hpp"
#include "tests/unit/health/http_get.hpp"

namespace argosy::health {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::http_get;
using tests::http_send;

std::unique_ptr<server> served_to_strangers(server_config config = {}) {
  config.live = {{"loop", []() -> result<void> { return {}; }}};
  return std::move(*server::start(std::move(config)));
}

std::string request(const std::string& method, const std::string& path,
                    const std::string& headers = "", const std::string& host = "localhost") {
  return method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n";
}

/// A client that stays, and never sends a whole request.
class staying {
 public:
  staying(std::uint16_t port, const std::string& bytes) : fd_(tests::connect_loopback(port)) {
    (void)::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  staying(const staying&) = delete;
  staying& operator=(const staying&) = delete;
  ~staying() { ::close(fd_); }
  [[nodiscard]] bool is_closed(int within_ms) const {
    pollfd asked{fd_, POLLIN, 0};
    char next = 0;
    return ::poll(&asked, 1, within_ms) == 1 && ::recv(fd_, &next, 1, 0) <= 0;
  }

 private:
  int fd_;
};

constexpr int long_enough_ms = 20'000;

TEST(strangers, send_no_body_to_pages_of_health_whatever_its_form) {
  const auto running = served_to_strangers();
  for (const auto* method : {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
    for (const auto* path : {"/livez", "/metrics", "/", "/v1/nothing"})
      for (const auto* body : {"Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n"}) {
        const auto got = http_send(running->port(), request(method, path, body));
        EXPECT_TRUE(got.status == 413) << method << path << body << got.status;
        EXPECT_THAT(got.head, HasSubstr("Connection: close"));
      }
  EXPECT_EQ(http_send(running->port(),
                      request("GET", "/livez", "Content-Length: 0\r\nConnection: close\r\n"))
                .status,
            200);
}

TEST(strangers, have_no_second_request_in_the_body_of_the_first) {
  const auto running = served_to_strangers();
  const auto inner = request("GET", "/livez", "Connection: close\r\n");
  const auto length = "Content-Length: " + std::to_string(inner.size()) + "\r\n";
  for (const auto* method : {"HEAD", "GET", "POST", "DELETE"}) {
    const auto sized = http_send(running->port(), request(method, "/", length) + inner);
    EXPECT_THAT(sized.body, Not(HasSubstr("HTTP/1.1"))) << method;
    const auto chunked =
        http_send(running->port(),
                  request(method, "/", "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n" + inner);
    EXPECT_THAT(chunked.body, Not(HasSubstr("HTTP/1.1"))) << method;
  }
}

TEST(strangers, are_told_why_a_head_is_refused_also_while_they_go_on_sending) {
  const auto running = served_to_strangers();
  const std::string much(2'000'000, 'x');
  EXPECT_EQ(http_send(running->port(), "GET /livez HTTP/1.1\r\nHost: a\r\nX: " + much).status, 431);
  EXPECT_EQ(http_send(running->port(), "GET /" + much).status, 414);
  EXPECT_EQ(
      http_send(running->port(), request("POST", "/livez", "Content-Length: 2000000\r\n") + much)
          .status,
      413);
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "X: y\r\n";
  EXPECT_EQ(http_send(running->port(), request("GET", "/livez", many)).status, 431);
  EXPECT_EQ(http_get(running->port(), "/livez").status, 200);
}

TEST(strangers, who_wait_make_room_in_the_order_in_which_they_came) {
  server_config config;
  config.bounds.waiting_max = 20;
  config.bounds.idle_for = config.bounds.request_within = 1h;
  const auto running = served_to_strangers(std::move(config));
  std::vector<std::unique_ptr<staying>> slow;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(std::make_unique<staying>(running->port(), i % 2 == 0 ? "G" : ""));
    if (i % 10 == 0) {
      EXPECT_EQ(http_get(running->port(), "/livez").status, 200) << i;
    }
  }
  for (std::size_t i = 0; i < 80; ++i) EXPECT_TRUE(slow[i]->is_closed(long_enough_ms)) << i;
  EXPECT_FALSE(slow.back()->is_closed(0));
}

TEST(strangers, who_never_read_give_up_their_thread_when_there_are_many_of_them) {
  server_config config;
  config.bounds.connections_max = 4;
  config.bounds.stalled_max = 2;
  config.bounds.request_within = 1h;
  config.status = [] { return std::string(std::size_t{32} << 20, 'x'); };
  const auto running = served_to_strangers(std::move(config));
  std::vector<std::unique_ptr<staying>> deaf;
  for (int i = 0; i < 8; ++i)
    deaf.push_back(std::make_unique<staying>(running->port(), request("GET", "/status")));
  EXPECT_EQ(http_get(running->port(), "/livez").status, 200);
}

TEST(strangers, who_wait_for_pages_are_no_reason_to_refuse_a_probe) {
  server_config config;
  config.bounds.connections_max = 1;
  config.bounds.waiting_max = 2;
  std::promise<void> release;
  config.status = [go_on = release.get_future().share()] {
    go_on.wait();
    return std::string{"x"};
  };
  const auto running = served_to_strangers(std::move(config));
  const auto ask = [&](const char* path) {
    return std::async(std::launch::async,
                      [path, port = running->port()] { return http_get(port, path).status; });
  };
  std::vector<std::future<int>> pages;
  for (int i = 0; i < 6; ++i) pages.push_back(ask("/status"));
  const auto refused = [](auto& page) { return page.wait_for(1ms) == std::future_status::ready; };
  while (std::ranges::count_if(pages, refused) < 3) {
  }
  auto probe = ask("/livez");
  // It would be refused at once.
  EXPECT_EQ(probe.wait_for(200ms), std::future_status::timeout);
  release.set_value();
  EXPECT_EQ(probe.get(), 200);
  int served = 0;
  for (auto& page : pages) served += page.get() == 200 ? 1 : 0;
  EXPECT_GT(served, 0);
}

TEST(strangers, get_a_page_once_however_many_ranges_of_it_they_ask_for) {
  server_config config;
  config.status = [] { return std::string(1'000, 'x'); };
  const auto running = served_to_strangers(std::move(config));
  std::string ranges = "0-";
  while (ranges.size() < 6'000) ranges += ",0-";
  for (const auto& asked : {ranges, std::string{"0-9"}}) {
    const auto got =
        http_send(running->port(),
                  request("GET", "/status", "Range: bytes=" + asked + "\r\nConnection: close\r\n"));
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, std::string(1'000, 'x'));
  }
}

/// Answers how long the path is for which the library found it.
class path_lengths final : public pages {
 public:
  void add_to(httplib::Server& server) override {
    server.Get("/v1/[\\s\\S]*", [](const httplib::Request& from, httplib::Response& to) {
      to.set_content(std::to_string(from.path.size()), "text/plain");
    });
  }
  void stop() override {}
};

TEST(strangers, have_no_more_than_the_beginning_of_a_path_looked_up) {
  server_config config;
  config.more = std::make_shared<path_lengths>();
  const auto running = served_to_strangers(std::move(config));
  const auto length = [&](std::size_t of) {
    return http_get(running->port(), "/v1/" + std::string(of - 4, 'a')).body;
  };
  EXPECT_EQ(length(50), "50");
  EXPECT_EQ(length(7'900), "64") << "each byte takes 300 bytes of stack of each thread";
  EXPECT_EQ(http_get(running->port(), "/livez" + std::string(7'000, 'a')).status, 404);
}

TEST(strangers, who_may_not_come_in_have_no_answer) {
  server_config config;
  config.admits = [](int) { return false; };
  const auto running = served_to_strangers(std::move(config));
  EXPECT_EQ(http_get(running->port(), "/livez").status, 0);
}

TEST(names, of_others_are_refused_on_every_page) {
  server_config config;
  config.names->set({"argosy.example.com"});
  config.status = [] { return "{}"; };
  const auto running = served_to_strangers(std::move(config));
  const auto status = [&](const std::string& path, const std::string& host) {
    return http_send(running->port(), request("GET", path, "Connection: close\r\n", host)).status;
  };
  for (const auto* path : {"/livez", "/readyz", "/metrics", "/status", "/", "/v1/version"})
    EXPECT_EQ(status(path, "evil.example"), 403) << path;
  for (const auto* host :
       {"localhost:1", "127.0.0.1", "[::1]:9480", "10.0.0.1", "Argosy.Example.com:80"})
    EXPECT_EQ(status("/status", host), 200) << host;
  EXPECT_THAT(http_send(running->port(), request("GET", "/", "", "evil.example")).body,
              HasSubstr("health.hostNames"));
}

TEST(health_path, is_told_where_armada_has_it_without_a_body) {
  const auto running = served_to_strangers();
  const auto got = http_get(running->port(), "/health");
  EXPECT_EQ(got.status, 204);
  EXPECT_EQ(got.body, "");
}

}  // namespace
}  // namespace argosy::health
