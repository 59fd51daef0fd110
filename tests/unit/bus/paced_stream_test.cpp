// SPDX-License-Identifier: Apache-2.0
// Goal: a list of messages arrives whole and in order whatever the credit, and a reader that goes
// away leaves nothing behind.
// Method: the bus in memory in one thread, and readers that grant one item at a time.
#include "runtime/bus/paced_stream.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "runtime/bus/in_memory.hpp"

namespace argosy::bus {
namespace {

class paced_stream_test : public ::testing::Test {
 protected:
  void SetUp() override {
    served_ = std::move(*server_->serve("list", [this](const frame& request) {
      std::deque<std::string> messages;
      for (int i = 0; i < count_; ++i) messages.push_back(std::to_string(i));
      begun_ = paced_stream::begin(*server_, request, std::move(messages));
    }));
  }
  stream open(const stream_options& options) {
    return client_->open_stream(
        "list", "", {}, options,
        {.on_item = [this](const frame& item) { got_.push_back(item.data); },
         .on_end = [this](result<void> how) { end_ = std::move(how); }});
  }

  int count_ = 10;
  memory_broker broker_;
  std::shared_ptr<connection> server_ = broker_.connect();
  std::shared_ptr<connection> client_ = broker_.connect();
  subscription served_;
  std::optional<result<void>> begun_;
  std::vector<std::string> got_;
  std::optional<result<void>> end_;
};

TEST_F(paced_stream_test, gives_all_with_a_credit_that_renews_itself) {
  const auto reader = open({.credit = 2});
  EXPECT_TRUE(begun_ && *begun_);
  ASSERT_TRUE(end_ && *end_);
  EXPECT_EQ(got_.size(), 10U);
  EXPECT_EQ(got_.back(), "9");
}

TEST_F(paced_stream_test, waits_for_credit_that_is_granted_by_hand) {
  auto reader = open({.credit = 1, .manual_grants = true});
  for (std::size_t i = 1; i < 10; ++i) {
    EXPECT_EQ(got_.size(), i);
    EXPECT_FALSE(end_);
    reader.grant(1);
  }
  EXPECT_EQ(got_, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  ASSERT_TRUE(end_ && *end_);
}

TEST_F(paced_stream_test, goes_at_the_rate_of_its_reader) {
  server_->limit_answers({1, std::chrono::seconds{3}});
  const auto reader = open({.credit = 100, .keepalive = std::chrono::seconds{60}});
  EXPECT_EQ(got_.size(), 4U) << "three seconds' worth and the one that passes it";
  for (std::size_t i = 5; i <= 10; ++i) {
    EXPECT_FALSE(end_);
    broker_.advance(std::chrono::milliseconds{1'000});
    EXPECT_EQ(got_.size(), i);
  }
  EXPECT_TRUE(end_ && *end_);
}

TEST_F(paced_stream_test, that_waits_for_its_rate_is_over_when_its_reader_has_gone) {
  server_->limit_answers({1, std::chrono::seconds{3}});
  auto reader = open({.credit = 100, .keepalive = std::chrono::seconds{60}});
  reader.cancel();
  broker_.advance(std::chrono::seconds{60});
  EXPECT_EQ(got_.size(), 4U);
}

TEST_F(paced_stream_test, ends_at_once_when_there_is_nothing) {
  count_ = 0;
  const auto reader = open({});
  EXPECT_TRUE(got_.empty());
  ASSERT_TRUE(end_ && *end_);
}

TEST_F(paced_stream_test, is_over_when_its_reader_has_gone) {
  auto reader = open({.credit = 3, .manual_grants = true});
  EXPECT_EQ(got_.size(), 3U);
  reader.cancel();
  EXPECT_EQ(got_.size(), 3U);
}

TEST_F(paced_stream_test, refuses_a_request_that_is_no_stream) {
  const auto reply = client_->request_sync("list", "", {}, std::chrono::milliseconds{10});
  EXPECT_FALSE(reply);
  ASSERT_TRUE(begun_);
  EXPECT_EQ(begun_->error().code, ec::invalid_argument);
}

}  // namespace
}  // namespace argosy::bus
