// SPDX-License-Identifier: Apache-2.0
// Goal: a record is stored once although the server has forgotten its message id.
// Method: a real server whose stream remembers ids for the shortest time that it can.
#include <gtest/gtest.h>
#include <nats/nats.h>

#include <chrono>
#include <thread>

#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "tests/support/nats/nats_server.hpp"

namespace argosy::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto window = 100ms;

/// Has the stream remember message ids for `window` only.
void forget_ids_early(const std::string& url) {
  natsConnection* connection = nullptr;
  ASSERT_EQ(natsConnection_ConnectTo(&connection, url.c_str()), NATS_OK);
  jsCtx* js = nullptr;
  ASSERT_EQ(natsConnection_JetStream(&js, connection, nullptr), NATS_OK);
  jsStreamNamesList* names = nullptr;
  ASSERT_EQ(js_StreamNames(&names, js, nullptr, nullptr), NATS_OK);
  ASSERT_EQ(names->Count, 1);
  jsStreamInfo* info = nullptr;
  ASSERT_EQ(js_GetStreamInfo(&info, js, names->List[0], nullptr, nullptr), NATS_OK);
  info->Config->Duplicates = std::chrono::nanoseconds{window}.count();
  EXPECT_EQ(js_UpdateStream(nullptr, js, info->Config, nullptr, nullptr), NATS_OK);
  jsStreamInfo_Destroy(info);
  jsStreamNamesList_Destroy(names);
  jsCtx_Destroy(js);
  natsConnection_Destroy(connection);
}

TEST(message_window, that_has_passed_lets_no_record_in_twice) {
  nats_server server;
  eventlog::jetstream_settings settings;
  settings.nats.url = server.url();
  settings.max_bytes = 64u << 20;
  const auto log = eventlog::open_jetstream(settings).value();
  ASSERT_TRUE(log->create());
  forget_ids_early(server.url());
  ASSERT_EQ(log->append({0}, "1.1", "first"), model::log_position{1});
  // The test is about what happens after this time.
  std::this_thread::sleep_for(4 * window);
  EXPECT_EQ(log->append({0}, "1.1", "first"), model::log_position{1}) << "the answer had been lost";
  EXPECT_EQ(log->info().value().last_position.value, 1u);
  const auto other = log->append({0}, "1.1", "other");
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ec::fenced) << other.error().detail;
}

}  // namespace
}  // namespace argosy::testing
