// SPDX-License-Identifier: Apache-2.0
// Goal: probes get the right status and name what fails; metrics are valid Prometheus text with the
// actors' counters; bad addresses are refused. Method: real requests to a server on a free port.
#include "runtime/health/health_server.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <future>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "runtime/health/metrics.hpp"
#include "runtime/trace/actor_counts.hpp"
#include "runtime/trace/recorder.hpp"
#include "tests/unit/health/http_get.hpp"

namespace argosy::health {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::http_get;

std::unique_ptr<server> must_start(server_config config) {
  auto started = server::start(std::move(config));
  if (!started) throw std::runtime_error(started.error().detail);
  return std::move(*started);
}

check passing(std::string name) {
  return {std::move(name), []() -> result<void> { return {}; }};
}

check failing(std::string name, std::string why) {
  return {std::move(name), [why]() -> result<void> { return fail(ec::unreachable, why); }};
}

TEST(health_server, probes_follow_their_checks) {
  std::atomic<bool> caught_up = false;
  server_config config;
  config.live = {passing("loop")};
  config.ready = {passing("store"), {"log", [&]() -> result<void> {
                                       if (caught_up) return {};
                                       return fail(ec::unavailable, "12 events behind");
                                     }}};
  const auto running = must_start(std::move(config));
  EXPECT_EQ(http_get(running->port(), "/livez").status, 200);
  EXPECT_EQ(http_get(running->port(), "/livez").body, "ok\n");
  EXPECT_EQ(http_get(running->port(), "/healthz").status, 200);
  auto ready = http_get(running->port(), "/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.body, "[x] log failed: unavailable: 12 events behind\nnot ok\n");
  caught_up = true;
  ready = http_get(running->port(), "/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_EQ(ready.body, "ok\n");
}

TEST(health_server, verbose_lists_and_exclude_leaves_out) {
  server_config config;
  config.ready = {passing("store"), failing("bus", "no server"), failing("leader", "none")};
  const auto running = must_start(std::move(config));
  EXPECT_EQ(http_get(running->port(), "/readyz?verbose").body,
            "[+] store ok\n[x] bus failed: unreachable: no server\n"
            "[x] leader failed: unreachable: none\nnot ok\n");
  const auto partly = http_get(running->port(), "/readyz?exclude=bus&exclude=leader&verbose");
  EXPECT_EQ(partly.status, 200);
  EXPECT_EQ(partly.body, "[+] store ok\n[-] bus excluded\n[-] leader excluded\nok\n");
}

TEST(health_server, a_probe_that_throws_has_failed) {
  server_config config;
  config.live = {{"bad", []() -> result<void> { throw std::runtime_error("boom"); }}};
  const auto running = must_start(std::move(config));
  EXPECT_EQ(http_get(running->port(), "/livez").status, 503);
}

TEST(health_server, who_asks_for_a_trace_waits_until_the_one_before_is_read) {
  std::promise<void> first_begun;
  std::promise<void> first_may_end;
  std::atomic<int> asked = 0;
  server_config config;
  config.recent_trace = [&](std::chrono::seconds) -> std::string {
    if (asked++ == 0) {
      first_begun.set_value();
      first_may_end.get_future().wait();
    }
    return "{}";
  };
  const auto running = must_start(std::move(config));
  const auto ask = [&] { return http_get(running->port(), "/debug/trace").status; };
  auto first = std::async(std::launch::async, ask);
  first_begun.get_future().wait();
  auto second = std::async(std::launch::async, ask);
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds{100}), std::future_status::timeout);
  first_may_end.set_value();
  EXPECT_EQ(first.get(), 200);
  EXPECT_EQ(second.get(), 200);
}

TEST(health_server, other_paths_are_not_found) {
  const auto running = must_start({});
  const auto reply = http_get(running->port(), "/");
  EXPECT_EQ(reply.status, 404);
  EXPECT_THAT(reply.body, HasSubstr("/metrics"));
}

TEST(health_server, survives_what_is_not_http) {
  const auto running = must_start({});
  static_cast<void>(tests::http_send(running->port(), "\x01\x02\r\n\r\n", true));
  static_cast<void>(tests::http_send(
      running->port(),
      "POST /livez HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n" + std::string(5000, 'x'), true));
  EXPECT_EQ(http_get(running->port(), "/livez").status, 200);
}

TEST(health_server, names_its_url_and_refuses_bad_or_taken_addresses) {
  const auto running = must_start({});
  EXPECT_GT(running->port(), 0);
  EXPECT_EQ(running->url(), "http://127.0.0.1:" + std::to_string(running->port()));
  server_config config;
  for (const char* bad : {"", "localhost", ":80", "127.0.0.1:x", "127.0.0.1:99999"}) {
    config.listen = bad;
    const auto refused = server::start(config);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, ec::invalid_argument) << bad;
  }
  config.listen = "127.0.0.1:" + std::to_string(running->port());
  EXPECT_EQ(server::start(config).error().code, ec::already_exists);
  config.listen = "192.0.2.1:1";
  EXPECT_EQ(server::start(config).error().code, ec::already_exists);
}

TEST(health_server, starts_and_stops_again_and_again) {
  auto running = must_start({});
  for (int i = 0; i < 20; ++i) running = must_start({});
  EXPECT_EQ(http_get(running->port(), "/livez").status, 200);
}

/// Every line of the text format is a comment or NAME{LABELS} VALUE.
void expect_valid(const std::string& text) {
  const std::regex sample{
      R"re([a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-z_]+="([^"\\]|\\.)*",?)*\})? (\+Inf|[-+0-9.e]+))re"};
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    EXPECT_TRUE(line.starts_with("# ") || std::regex_match(line, sample)) << line;
}

TEST(health_metrics, show_the_actors_counters) {
  trace::reset();
  const auto queue = trace::intern("argosy.health_test");
  trace::note_actor_started(queue);
  trace::handled_message message;
  message.kind = {0, queue, trace::intern("submit")};
  message.ended_nanos = 3'000'000;
  message.depth = 7;
  trace::note_sent(message.kind);
  trace::note_sent(message.kind);
  trace::note_handled(message);
  trace::note_sent({0, queue, trace::intern("odd \"name\"\n")});
  trace::note_dropped({0, queue, trace::intern("odd \"name\"\n")});

  server_config config;
  config.metrics = {actor_metrics(), process_metrics("test", "1.2.3")};
  const auto running = must_start(std::move(config));
  const auto reply = http_get(running->port(), "/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.head, HasSubstr("text/plain; version=0.0.4"));
  expect_valid(reply.body);
  for (const char* line :
       {"argosy_actor_messages_total{actor=\"health_test\",msg=\"submit\",result=\"handled\"} 1\n",
        "argosy_actor_processing_seconds_count{actor=\"health_test\",msg=\"submit\"} 1\n",
        "argosy_actor_processing_seconds_sum{actor=\"health_test\",msg=\"submit\"} 0.003\n",
        "argosy_actor_processing_seconds_bucket{actor=\"health_test\",msg=\"submit\",le=\"+Inf\"} "
        "1\n",
        "argosy_actor_mailbox_wait_seconds_count{actor=\"health_test\"} 1\n",
        "argosy_actor_mailbox_depth{actor=\"health_test\",stat=\"sum\"} 1\n",
        "argosy_actor_mailbox_depth{actor=\"health_test\",stat=\"max\"} 7\n",
        "argosy_actor_instances{actor=\"health_test\"} 1\n",
        "argosy_build_info{program=\"test\",version=\"1.2.3\"} 1\n",
        "argosy_log_lines_total{level=\"error\"} "})
    EXPECT_THAT(reply.body, HasSubstr(line));
  EXPECT_THAT(reply.body, HasSubstr("result=\"dropped\"} 1\n"));
  EXPECT_THAT(reply.body, Not(HasSubstr("process_resident_memory_bytes 0\n")));
  trace::note_actor_ended(queue);
  trace::reset();
}

}  // namespace
}  // namespace argosy::health
