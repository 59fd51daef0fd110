// SPDX-License-Identifier: Apache-2.0
// Goal: the log on JetStream keeps the contract and survives what happens to its server. Method:
// the shared contract; then servers that are killed, frozen, lose their store, and refuse log-ins,
// after which the library gives a connection up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "tests/support/eventlog/log_contract.hpp"
#include "tests/support/nats/nats_server.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {

namespace {

using eventlog::event_log;
using eventlog::open_jetstream;
using ::testing::HasSubstr;

eventlog::jetstream_settings settings_for(const nats_server& server,
                                          std::uint64_t max_bytes = 64u << 20) {
  eventlog::jetstream_settings out;
  out.nats.url = server.url();
  out.max_bytes = max_bytes;
  return out;
}

/// A log that exists.
std::unique_ptr<event_log> opened(const eventlog::jetstream_settings& settings) {
  auto log = open_jetstream(settings).value();
  EXPECT_TRUE(log->create());
  return log;
}

class jetstream_under_test final : public log_under_test {
 public:
  explicit jetstream_under_test(std::uint64_t max_bytes)
      : log_(opened(settings_for(server_, max_bytes))) {}
  event_log& log() override { return *log_; }

 private:
  nats_server server_;
  std::unique_ptr<event_log> log_;
};

INSTANTIATE_TEST_SUITE_P(jetstream, log_contract,
                         ::testing::Values(log_kind{"jetstream",
                                                    [](std::uint64_t max_bytes) {
                                                      return std::make_unique<jetstream_under_test>(
                                                          max_bytes);
                                                    }}),
                         log_kind_name);

class jetstream_faults : public ::testing::Test {
 protected:
  static constexpr std::chrono::milliseconds patience{20'000};

  void fill(std::uint64_t from, std::uint64_t to) {
    for (auto i = from; i < to; ++i)
      ASSERT_EQ(log_->append({i}, "1." + std::to_string(i + 1), "x"), model::log_position{i + 1});
  }

  nats_server server_;
  std::unique_ptr<event_log> log_ = opened(settings_for(server_));
};

TEST_F(jetstream_faults, a_killed_server_loses_nothing_that_was_acknowledged) {
  fill(0, 100);
  const auto before = log_->info().value();
  server_.restart();
  // The connection returns by itself; append() waits for it.
  fill(100, 110);
  const auto after = log_->info().value();
  EXPECT_EQ(after.created_ns, before.created_ns);
  EXPECT_EQ(after.last_position.value, 110u);
  EXPECT_EQ(log_->read({1}, 1'000, 1u << 30, patience).value().front().position.value, 1u);
}

TEST_F(jetstream_faults, a_reader_goes_on_after_its_consumer_was_lost) {
  fill(0, 10);
  ASSERT_EQ(log_->read({1}, 10, 1u << 20, patience).value().size(), 10u);
  server_.restart();
  fill(10, 15);
  std::uint64_t next = 11;
  while (next <= 15) {
    const auto got = log_->read({next}, 10, 1u << 20, patience).value();
    ASSERT_FALSE(got.empty());
    EXPECT_EQ(got.front().position.value, next);
    next += got.size();
  }
}

TEST_F(jetstream_faults, appending_through_a_restart_stores_each_record_once) {
  std::atomic<bool> stop{false};
  std::thread chaos{[&] {
    for (int i = 0; i < 3; ++i) server_.restart();
    stop = true;
  }};
  std::uint64_t last = 0;
  while (!stop) {
    const auto got =
        log_->append({last}, "1." + std::to_string(last + 1), std::to_string(last + 1));
    ASSERT_TRUE(got.has_value()) << to_string(got.error());
    ASSERT_EQ(got->value, last + 1);
    last = got->value;
  }
  chaos.join();
  EXPECT_EQ(log_->info()->last_position.value, last);
  for (std::uint64_t next = 1; next <= last;) {
    const auto got = log_->read({next}, 1'000, 1u << 30, patience).value();
    for (const auto& one : got) EXPECT_EQ(one.data, std::to_string(next++));
  }
}

TEST_F(jetstream_faults, a_frozen_server_gives_an_unclear_timeout_and_the_retry_is_safe) {
  auto settings = settings_for(server_);
  settings.call_limit = std::chrono::milliseconds{100};
  settings.append_limit = std::chrono::milliseconds{300};
  const auto log = opened(settings);
  ASSERT_EQ(log->append({0}, "1.1", "a"), model::log_position{1});
  server_.freeze();
  const auto got = log->append({1}, "1.2", "b");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::timeout) << got.error().detail;
  server_.thaw();
  result<model::log_position> again = fail(ec::timeout, "");
  for (int i = 0; i < 50 && !again && again.error().code == ec::timeout; ++i)
    again = log->append({1}, "1.2", "b");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_EQ(again->value, 2u);
  EXPECT_EQ(log->info()->last_position.value, 2u);
}

TEST_F(jetstream_faults, an_absent_server_is_unreachable) {
  auto settings = settings_for(server_);
  settings.append_limit = std::chrono::milliseconds{200};
  const auto log = opened(settings);
  server_.kill();
  const auto got = log->append({0}, "1.1", "a");
  ASSERT_FALSE(got.has_value());
  EXPECT_TRUE(got.error().code == ec::unreachable || got.error().code == ec::timeout)
      << to_string(got.error());
  EXPECT_EQ(log->append({0}, "1.1", "a").error().code, ec::unreachable);
  EXPECT_EQ(open_jetstream(settings).error().code, ec::unreachable);
}

TEST_F(jetstream_faults, a_lost_store_shows_as_a_log_that_is_gone) {
  fill(0, 5);
  const auto before = log_->info().value();
  ASSERT_EQ(log_->read({1}, 5, 1u << 20, patience).value().size(), 5u);
  server_.kill();
  std::filesystem::remove_all(server_.folder() / "jetstream");
  server_.restart();
  const auto gone = [&] {
    const auto got = log_->info();
    return !got && got.error().code == ec::not_found;
  };
  for (int i = 0; i < 200 && !gone(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  ASSERT_TRUE(gone());
  EXPECT_EQ(log_->read({6}, 1, 1u << 20, std::chrono::milliseconds{0}).error().code, ec::not_found);
  ASSERT_TRUE(log_->create());
  const auto after = log_->info();
  ASSERT_TRUE(after.has_value()) << to_string(after.error());
  EXPECT_NE(after->created_ns, before.created_ns);
  EXPECT_EQ(after->last_position.value, 0u);
  EXPECT_EQ(log_->append({5}, "1.6", "x").error().code, ec::conflict);
  EXPECT_EQ(log_->read({6}, 1, 1u << 20, std::chrono::milliseconds{0}).error().code, ec::conflict);
}

TEST(jetstream_log, a_server_without_jetstream_says_so) {
  const nats_server server{{.jetstream = false}};
  const auto got = open_jetstream(settings_for(server));
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::unavailable) << got.error().detail;
}

TEST(jetstream_log, a_stream_with_other_settings_is_not_used) {
  const nats_server server;
  opened(settings_for(server));
  auto other = settings_for(server);
  other.subject_prefix = "other.log.";
  const auto log = open_jetstream(other).value();
  EXPECT_EQ(log->create().error().code, ec::conflict);
  EXPECT_EQ(log->apply_limits().error().code, ec::conflict);
}

TEST_F(jetstream_faults, asking_about_a_log_creates_none) {
  log_->choose({2}, {10});
  EXPECT_EQ(log_->info().error().code, ec::not_found);
  EXPECT_EQ(log_->last_position().error().code, ec::not_found);
  EXPECT_EQ(log_->get({11}).error().code, ec::not_found);
  EXPECT_EQ(log_->generations().value(), std::vector{model::log_generation{1}});
}

TEST(jetstream_log, a_stream_that_does_not_fit_is_refused) {
  const temp_folder folder;
  const nats_server server{{.jetstream = false,
                            .more = "jetstream { store_dir: \"" + folder.path().string() +
                                    "\", max_file_store: 10MB }\n"}};
  const auto got = open_jetstream(settings_for(server, 1ull << 40)).value()->create();
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::out_of_space) << got.error().detail;
  EXPECT_THAT(got.error().detail, HasSubstr("journal.logBytesMax reserves 1099511627776 bytes"));
  EXPECT_THAT(got.error().detail, HasSubstr("max_file_store"));
}

/// A log on a server of its own that takes about this many bytes.
struct jetstream_limits : ::testing::Test {
  std::unique_ptr<event_log> open(std::uint64_t max_bytes) {
    return opened(settings_for(server, max_bytes));
  }
  /// Appends records of 10 kB until the log refuses one, and returns that error.
  error fill(event_log& log) {
    while (true) {
      const auto id = "1." + std::to_string(last + 1);
      const auto got = log.append({last}, id, std::string(10'000, 'x'));
      if (!got) return got.error();
      last = got->value;
    }
  }
  nats_server server;
  std::uint64_t last = 0;
};

TEST_F(jetstream_limits, of_a_full_log_follow_the_settings) {
  const auto first = fill(*open(100'000));
  EXPECT_EQ(first.code, ec::out_of_space);
  const auto before = last;
  const auto log = open(300'000);
  const auto still = fill(*log);
  EXPECT_EQ(last, before) << "only who leads changes the limit";
  EXPECT_THAT(still.detail, HasSubstr("its limit is 100000 bytes"));
  ASSERT_TRUE(log->apply_limits());
  EXPECT_EQ(log->info()->bytes_max, 300'000u);
  const auto later = fill(*log);
  EXPECT_THAT(later.detail, HasSubstr("its limit is 300000 bytes"));
  EXPECT_GT(last, 2 * before);
  EXPECT_EQ(log->info()->first_position.value, 1u);
  EXPECT_TRUE(log->apply_limits()) << "there is nothing to change";
}

TEST_F(jetstream_limits, are_not_made_smaller_than_what_is_in_the_log) {
  const auto log = open(300'000);
  fill(*log);
  const auto held = log->info()->bytes;
  const auto smaller = open(held);
  const auto refused = smaller->apply_limits();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::invalid_argument);
  EXPECT_THAT(refused.error().detail, HasSubstr("journal.logBytesMax"));
  EXPECT_THAT(refused.error().detail, HasSubstr(std::to_string(held)));
  EXPECT_EQ(log->info()->bytes_max, 300'000u);
  EXPECT_EQ(log->info()->first_position.value, 1u);
}

TEST_F(jetstream_limits, of_a_log_with_little_in_it_may_become_smaller) {
  ASSERT_TRUE(open(300'000)->append({0}, "1.1", "x"));
  const auto log = open(100'000);
  ASSERT_TRUE(log->apply_limits());
  EXPECT_EQ(log->info()->bytes_max, 100'000u);
  EXPECT_EQ(log->get({1})->data, "x");
}

TEST(jetstream_log, a_larger_limit_that_does_not_fit_is_refused) {
  const temp_folder folder;
  const nats_server server{{.jetstream = false,
                            .more = "jetstream { store_dir: \"" + folder.path().string() +
                                    "\", max_file_store: 10MB }\n"}};
  opened(settings_for(server, 1u << 20));
  const auto log = open_jetstream(settings_for(server, 1ull << 40)).value();
  const auto refused = log->apply_limits();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::out_of_space) << refused.error().detail;
  EXPECT_THAT(refused.error().detail, HasSubstr("journal.logBytesMax"));
}

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
  ASSERT_EQ(log->append({0}, "1", "one"), model::log_position{1});
  ASSERT_EQ(log->read({1}, 10, 1u << 20, std::chrono::seconds{5}).value().size(), 1U);
  server.reload("other");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (refused == 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_EQ(log->last_position().error().code, ec::unreachable);
  server.reload("good");
  ASSERT_EQ(log->append({1}, "2", "two"), model::log_position{2});
  const auto read = log->read({2}, 10, 1u << 20, std::chrono::seconds{20});
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(read->front().data, "two");
}

}  // namespace

}  // namespace argosy::testing
