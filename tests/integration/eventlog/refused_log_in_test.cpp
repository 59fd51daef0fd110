// SPDX-License-Identifier: Apache-2.0
// Goal: the log goes on after log-ins were refused, after which the library gives a connection up.
// Method: a server whose token is changed under the log.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "tests/support/nats/nats_server.hpp"

namespace argosy::testing {
namespace {

TEST(jetstream_log, goes_on_after_refused_log_ins) {
  nats_server server{{.token = "good"}};
  server.restart();
  eventlog::jetstream_settings settings;
  settings.nats.url = server.url();
  settings.max_bytes = 64u << 20;
  settings.nats.reconnect_wait = std::chrono::milliseconds{20};
  std::atomic<int> refused{0};
  settings.nats.on_error = [&](const std::string& text) {
    if (text.ends_with("trying on")) ++refused;
  };
  const auto log = eventlog::open_jetstream(settings).value();
  ASSERT_TRUE(log->create());
  ASSERT_EQ(log->append(0, "1", "one"), 1U);
  ASSERT_EQ(log->read(1, 10, 1u << 20, std::chrono::seconds{5}).value().size(), 1U);
  server.reload("other");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (refused == 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_EQ(log->last_position().error().code, ec::unreachable);
  server.reload("good");
  ASSERT_EQ(log->append(1, "2", "two"), 2U);
  const auto read = log->read(2, 10, 1u << 20, std::chrono::seconds{20});
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(read->front().data, "two");
}

}  // namespace
}  // namespace argosy::testing
