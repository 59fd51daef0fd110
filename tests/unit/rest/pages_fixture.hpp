// SPDX-License-Identifier: Apache-2.0
// The HTTP endpoint on a free port with an API of a few lines on the bus in memory, and the
// library's client. Bytes stand for JSON here.
#pragma once

#include <gmock/gmock.h>
#include <httplib.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "runtime/bus/in_memory.hpp"
#include "runtime/health/health_server.hpp"
#include "runtime/rest/pages.hpp"
#include "tests/unit/health/http_get.hpp"

namespace argosy::rest {

/// A connection with the head of a request and a part of its body, which goes no further.
class begun_request {
 public:
  /// `asks`: it asks to be told when its body is taken.
  begun_request(std::uint16_t port, const std::string& path, const std::string& user,
                std::size_t length, const std::string& body, bool asks = false)
      : socket_(tests::connect_loopback(port)) {
    const auto text = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + user +
                      (asks ? "\r\nExpect: 100-continue" : "") +
                      "\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" + body;
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  begun_request(begun_request&& from) noexcept : socket_(std::exchange(from.socket_, -1)) {}
  begun_request& operator=(begun_request&&) = delete;
  ~begun_request() {
    if (socket_ >= 0) ::close(socket_);
  }
  /// Waits for the first line of the answer.
  [[nodiscard]] std::string status_line() const {
    std::string out;
    for (char next = 0; next != '\n' && ::recv(socket_, &next, 1, 0) == 1;) out += next;
    return out;
  }

 private:
  int socket_;
};

using namespace std::chrono_literals;

inline const rpc::method call_method{
    "Submit.SubmitJobs", "argosy.api.Submit.SubmitJobs", false, {}};
inline const rpc::method watch_method{"Event.Watch", "argosy.api.Event.Watch", true, {}};

inline plan read_test_route(const request& from) {
  plan out;
  if (from.path == "/v1/call" && from.verb != "POST") out.what = plan::kind::other_verb;
  if (from.verb != "POST") return out;
  out.method = from.path == "/v1/call"    ? &call_method
               : from.path == "/v1/watch" ? &watch_method
                                          : nullptr;
  if (out.method != nullptr) out.what = plan::kind::call;
  out.bytes = [](const request& asked) -> result<std::string> {
    if (asked.body == "bad") return fail(ec::invalid_argument, "the body is bad");
    return asked.body;
  };
  out.write = [](std::string_view bytes) -> result<std::string> { return std::string{bytes}; };
  return out;
}

class rest_pages : public ::testing::Test {
 protected:
  rest_pages() {
    with.api = broker.connect();
    with.read = read_test_route;
    with.description = [] { return "{}"; };
    with.admit = [](const rpc::caller&, const auto& then) {
      rpc::admission ann{rpc::admission::kind::admitted};
      ann.who.set(bus::header::user, "ann");
      then(ann);
    };
  }
  ~rest_pages() override {
    running.reset();
    served.reset();
    with.api->close();
    api->close();
  }

  void start() {
    health::server_config config;
    config.more = make_pages(with);
    auto started = health::server::start(std::move(config));
    ASSERT_TRUE(started) << started.error().detail;
    running = std::move(*started);
  }
  void serve(const rpc::method& method, bus::frame_handler handler) {
    served = api->serve(method.subject, std::move(handler)).value();
  }
  /// Callers are who they say they are.
  void believe_all() {
    with.admit = [](const rpc::caller& who, const auto& then) {
      rpc::admission known{rpc::admission::kind::admitted};
      known.who.set(bus::header::user, who.authorization);
      then(known);
    };
  }
  void echo() {
    serve(call_method, [this](const bus::frame& asked) {
      user = asked.headers.get(bus::header::user).value_or("");
      static_cast<void>(api->respond(asked, asked.data));
    });
  }
  void accept_streams() {
    serve(watch_method, [this](const bus::frame& asked) {
      bus::stream_writer_events events;
      events.on_cancel = [this](const error&) { gone.set_value(); };
      opened.set_value(api->accept_stream(asked, std::move(events)).value());
    });
  }
  httplib::Client client() const {
    httplib::Client out{"127.0.0.1", running->port()};
    out.set_read_timeout(20s);
    return out;
  }
  httplib::Response post(const std::string& path, const std::string& body,
                         const httplib::Headers& headers = {}) const {
    auto got = client().Post(path, headers, body, "application/json");
    return got ? *got : httplib::Response{};
  }

  bus::memory_broker broker{{.manual_time = false}};
  std::shared_ptr<bus::connection> api = broker.connect();
  config with;
  std::unique_ptr<health::server> running;
  bus::subscription served;
  std::string user;
  std::promise<std::shared_ptr<bus::stream_writer>> opened;
  std::promise<void> gone;
};

}  // namespace argosy::rest
