// SPDX-License-Identifier: Apache-2.0
// Goal: a log whose file was damaged is not taken for whole, and whoever reads it is told. Method:
// a byte of a real server's file of messages is changed while the server is not running. Such a
// server counts a record at the damaged place that it can give to nobody.
#include <gtest/gtest.h>

#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "tests/support/eventlog/damage.hpp"
#include "tests/support/nats/nats_server.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

TEST(damaged_jetstream, is_read_up_to_the_damage_and_then_called_corrupt) {
  nats_server server;
  eventlog::jetstream_settings settings;
  settings.nats.url = server.url();
  settings.max_bytes = 64u << 20;
  {
    const auto log = eventlog::open_jetstream(settings).value();
    ASSERT_TRUE(log->create());
    for (std::uint64_t i = 0; i < 20; ++i)
      ASSERT_EQ(log->append({i}, "1." + std::to_string(i + 1), std::string(200, 'x')),
                model::log_position{i + 1});
  }
  server.kill();
  ASSERT_TRUE(damage_messages(server.folder(), "xxx"));
  server.restart();
  const auto log = eventlog::open_jetstream(settings).value();
  const auto last = log->info().value().last_position;
  ASSERT_LT(last.value, 20u);
  model::log_position next{1};
  while (next <= last) {
    const auto got = log->read(next, 100, 1u << 20, 200ms);
    if (!got) {
      EXPECT_EQ(got.error().code, ec::corrupt) << to_string(got.error());
      EXPECT_NE(got.error().detail.find("record " + to_string(next)), std::string::npos)
          << got.error().detail;
      return;
    }
    ASSERT_FALSE(got->empty()) << "the log says that it has record " << next.value;
    next = next + got->size();
  }
  FAIL() << "record " << last.value << " was given, and nothing was called corrupt";
}

}  // namespace

}  // namespace argosy::testing
