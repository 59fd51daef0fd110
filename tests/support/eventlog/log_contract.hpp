// SPDX-License-Identifier: Apache-2.0
// Goal: every log appends once, at the right place or not at all, and reads without gaps.
// Method: small logs over each implementation.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/eventlog/event_log.hpp"

namespace argosy::testing {

/// A log with its server that is being tested.
class log_under_test {
 public:
  virtual ~log_under_test() = default;
  [[nodiscard]] virtual eventlog::event_log& log() = 0;
};

struct log_kind {
  std::string name;
  std::function<std::unique_ptr<log_under_test>(std::uint64_t max_bytes)> make;
};

inline void PrintTo(const log_kind& kind, std::ostream* out) {
  *out << kind.name;
}

inline std::string log_kind_name(const ::testing::TestParamInfo<log_kind>& info) {
  return info.param.name;
}

class log_contract : public ::testing::TestWithParam<log_kind> {
 protected:
  static constexpr std::chrono::milliseconds no_wait{0};
  static constexpr std::chrono::milliseconds patience{20'000};
  static constexpr std::size_t no_limit = std::size_t{1} << 40;

  [[nodiscard]] eventlog::event_log& log() { return held_->log(); }
  [[nodiscard]] result<model::log_position> append(std::uint64_t after, const std::string& data) {
    return log().append({after}, "1." + std::to_string(after + 1), data);
  }
  void fill(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      ASSERT_EQ(append(i, std::to_string(i + 1)), model::log_position{i + 1});
  }
  void expect_sequence(const std::vector<eventlog::record>& got, std::uint64_t from,
                       std::size_t count) {
    ASSERT_EQ(got.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(got[i].position.value, from + i);
      EXPECT_EQ(got[i].data, std::to_string(from + i));
      EXPECT_EQ(got[i].msg_id, "1." + std::to_string(from + i));
    }
  }

  std::unique_ptr<log_under_test> held_ = GetParam().make(64u << 20);
};

TEST_P(log_contract, an_empty_log_says_so) {
  const auto info = log().info().value();
  EXPECT_GT(info.created_ns, 0);
  EXPECT_EQ(info.first_position.value, 1u);
  EXPECT_EQ(info.last_position.value, 0u);
  EXPECT_EQ(info.last_msg_id, "");
  EXPECT_EQ(log().last_position(), model::log_position{0});
  EXPECT_TRUE(log().read({1}, 10, no_limit, no_wait).value().empty());
  EXPECT_EQ(log().get({1}).error().code, ec::not_found);
  EXPECT_EQ(log().get({0}).error().code, ec::not_found);
}

TEST_P(log_contract, appends_and_reads_back) {
  const std::string bytes{"\0\r\n\xff", 4};
  ASSERT_EQ(log().append({0}, "1.1", bytes, {{"argosy-epoch", "1"}}), model::log_position{1});
  ASSERT_EQ(log().append({1}, "1.2", "second"), model::log_position{2});
  const auto info = log().info().value();
  EXPECT_EQ(info.first_position.value, 1u);
  EXPECT_EQ(info.last_position.value, 2u);
  EXPECT_EQ(info.last_msg_id, "1.2");
  EXPECT_EQ(log().last_position(), model::log_position{2});
  EXPECT_GE(info.bytes, 10u);
  const auto got = log().get({1}).value();
  EXPECT_EQ(got.data, bytes);
  EXPECT_EQ(got.msg_id, "1.1");
  EXPECT_GE(got.time_ns, info.created_ns);
  EXPECT_EQ(log().read({1}, 10, no_limit, no_wait).value().size(), 2u);
}

TEST_P(log_contract, only_one_of_two_writers_succeeds) {
  ASSERT_EQ(log().append({0}, "1.1", "first"), model::log_position{1});
  const auto second = log().append({0}, "2.1", "other");
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ec::fenced) << second.error().detail;
  EXPECT_EQ(log().info().value().last_position.value, 1u);
}

TEST_P(log_contract, a_log_that_is_shorter_than_expected_is_a_conflict) {
  const auto got = log().append({5}, "1.6", "x");
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::conflict) << got.error().detail;
  EXPECT_NE(got.error().detail.find('5'), std::string::npos);
  EXPECT_EQ(log().info().value().last_position.value, 0u);
}

TEST_P(log_contract, a_repeated_append_is_the_same_record) {
  fill(3);
  EXPECT_EQ(append(2, "3"), model::log_position{3});
  EXPECT_EQ(append(1, "2"), model::log_position{2});
  EXPECT_EQ(log().info().value().last_position.value, 3u);
  const auto elsewhere = log().append({3}, "1.2", "2");
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_EQ(elsewhere.error().code, ec::conflict);
}

TEST_P(log_contract, another_record_with_the_same_message_id_is_another_writers) {
  ASSERT_EQ(log().append({0}, "1.1", "first"), model::log_position{1});
  const auto second = log().append({0}, "1.1", "other");
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ec::fenced) << second.error().detail;
}

TEST_P(log_contract, positions_go_on_in_the_log_of_another_generation) {
  ASSERT_EQ(log().append({0}, "1.1", "first"), model::log_position{1});
  log().choose({3}, {10});
  EXPECT_EQ(log().info().error().code, ec::not_found);
  EXPECT_EQ(log().generations().value(), (std::vector{model::log_generation{1}}))
      << "asking makes none";
  ASSERT_TRUE(log().create());
  EXPECT_EQ(log().generations().value(),
            (std::vector{model::log_generation{1}, model::log_generation{3}}));
  EXPECT_EQ(log().info()->last_position.value, 10u);
  EXPECT_EQ(log().info()->first_position.value, 11u);
  ASSERT_EQ(log().append({10}, "3.1", "a"), model::log_position{11});
  ASSERT_EQ(log().append({11}, "3.2", "b"), model::log_position{12});
  EXPECT_EQ(log().append({10}, "3.1", "a"), model::log_position{11});
  EXPECT_EQ(log().append({5}, "3.3", "c").error().code, ec::fenced);
  EXPECT_EQ(log().last_position(), model::log_position{12});
  EXPECT_EQ(log().get({12})->position.value, 12u);
  EXPECT_EQ(log().get({12})->data, "b");
  EXPECT_EQ(log().get({10}).error().code, ec::not_found);
  const auto all = log().read({11}, 10, no_limit, no_wait).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.back().position.value, 12u);
  log().choose({1}, {0});
  EXPECT_EQ(log().read({1}, 10, no_limit, no_wait).value().front().data, "first");
}

TEST_P(log_contract, refuses_records_that_are_too_large_and_takes_the_largest) {
  const auto most = log().max_record_bytes();
  EXPECT_EQ(log().append({0}, "1.1", std::string(most + 1, 'x')).error().code, ec::too_large);
  ASSERT_EQ(log().append({0}, "1.1", std::string(most, 'x')), model::log_position{1});
  EXPECT_EQ(log().read({1}, 1, 1, no_wait).value().front().data.size(), most);
}

TEST_P(log_contract, a_full_log_refuses_and_keeps_what_it_has) {
  held_ = GetParam().make(1u << 20);
  const std::string big(300u << 10, 'x');
  std::uint64_t last = 0;
  result<model::log_position> got;
  while (last < 10 && (got = append(last, big))) last = got->value;
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, ec::out_of_space) << got.error().detail;
  EXPECT_EQ(last, 3u);
  EXPECT_EQ(log().info().value().last_position.value, 3u);
  EXPECT_EQ(log().get({1}).value().data, big);
  EXPECT_EQ(append(last, "small"), model::log_position{4});
}

TEST_P(log_contract, reads_in_parts_from_anywhere) {
  fill(200);
  std::uint64_t next = 1;
  while (next <= 200) {
    const auto got = log().read({next}, 7, no_limit, patience).value();
    ASSERT_FALSE(got.empty());
    ASSERT_LE(got.size(), 7u);
    expect_sequence(got, next, got.size());
    next += got.size();
  }
  expect_sequence(log().read({150}, 5, no_limit, no_wait).value(), 150, 5);
  expect_sequence(log().read({2}, 5, no_limit, no_wait).value(), 2, 5);
  expect_sequence(log().read({7}, 5, no_limit, no_wait).value(), 7, 5);
  EXPECT_TRUE(log().read({201}, 5, no_limit, no_wait).value().empty());
}

TEST_P(log_contract, a_byte_limit_ends_a_read_after_the_record_that_reaches_it) {
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(append(i, std::string(100, 'x')));
  EXPECT_EQ(log().read({1}, 10, 150, patience).value().size(), 2u);
  EXPECT_EQ(log().read({1}, 10, 1, patience).value().size(), 1u);
}

TEST_P(log_contract, reading_past_the_end_is_a_conflict) {
  fill(2);
  EXPECT_TRUE(log().read({3}, 1, no_limit, no_wait).value().empty());
  EXPECT_EQ(log().read({4}, 1, no_limit, no_wait).error().code, ec::conflict);
  EXPECT_EQ(log().read({0}, 1, no_limit, no_wait).error().code, ec::invalid_argument);
}

TEST_P(log_contract, a_waiting_reader_gets_what_another_thread_appends) {
  std::vector<eventlog::record> got;
  std::thread reader{[&] {
    for (std::uint64_t next = 1; next <= 50;) {
      auto some = log().read({next}, 100, no_limit, patience);
      ASSERT_TRUE(some.has_value()) << to_string(some.error());
      next += some->size();
      for (auto& one : *some) got.push_back(std::move(one));
    }
  }};
  fill(50);
  reader.join();
  expect_sequence(got, 1, 50);
}

TEST_P(log_contract, a_closed_log_cancels_every_call) {
  fill(1);
  std::thread closer{[&] { log().close(); }};
  const auto got = log().read({2}, 1, no_limit, patience);
  closer.join();
  EXPECT_TRUE(got.has_value() ? got->empty() : got.error().code == ec::cancelled);
  EXPECT_EQ(append(1, "2").error().code, ec::cancelled);
  EXPECT_EQ(log().info().error().code, ec::cancelled);
  EXPECT_EQ(log().get({1}).error().code, ec::cancelled);
  EXPECT_EQ(log().read({1}, 1, no_limit, patience).error().code, ec::cancelled);
}

}  // namespace argosy::testing
