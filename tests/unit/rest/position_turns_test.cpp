// SPDX-License-Identifier: Apache-2.0
// Goal: streams are told of a position at once when nothing has happened for a while, no more often
// than their pace, all of the same few positions, and not all in one moment. Method: times that the
// test makes up.
#include "runtime/rest/position_turns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace argosy::rest {

namespace {

using namespace std::chrono_literals;
using word = position_turns::word;

constexpr position_turns::time_point start{1h};

std::size_t count(const std::vector<position_turns::turn>& turns, word what) {
  return static_cast<std::size_t>(
      std::count_if(turns.begin(), turns.end(), [&](const auto& one) { return one.what == what; }));
}

TEST(position_turns, say_nothing_to_who_knows_the_position) {
  position_turns turns{{}};
  turns.add(3, 7, start);
  for (auto at = 0ms; at < 10s; at += 100ms) EXPECT_TRUE(turns.look(7, start + at).empty());
}

TEST(position_turns, tell_a_change_at_once_after_a_quiet_time_and_then_after_the_period) {
  position_turns turns{{}};
  turns.add(3, 7, start);
  EXPECT_TRUE(turns.look(7, start + 9s).empty());
  auto got = turns.look(8, start + 9100ms);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0].stream, 3);
  EXPECT_EQ(got[0].what, word::position);
  EXPECT_EQ(turns.announced(), 8U);
  EXPECT_TRUE(turns.look(9, start + 11'000ms).empty());
  EXPECT_EQ(turns.look(9, start + 11'100ms).size(), 1U);
  EXPECT_TRUE(turns.look(9, start + 14s).empty()) << "it knows";
}

TEST(position_turns, tell_a_lower_position_too) {
  position_turns turns{{}};
  turns.add(3, 70, start);
  EXPECT_EQ(turns.look(8, start + 2s).size(), 1U) << "another log has taken the place of the first";
}

TEST(position_turns, tell_all_streams_of_the_same_position_within_a_second) {
  position_turns turns{{}};
  for (int i = 0; i < 500; ++i) turns.add(i, 1, start);
  std::set<int> told;
  std::set<std::uint64_t> positions;
  std::uint64_t position = 100;
  for (auto at = 0ms; at < 1s; at += 100ms) {
    const auto got = turns.look(position += 100, start + 10s + at);
    EXPECT_LE(got.size(), 50U) << "not all load at once";
    for (const auto& one : got) told.insert(one.stream);
    positions.insert(turns.announced());
  }
  EXPECT_EQ(told.size(), 500U);
  EXPECT_EQ(positions.size(), 1U);
}

TEST(position_turns, come_less_often_the_more_streams_there_are) {
  for (const int streams : {1, 100, 500, 1'000}) {
    position_turns turns{{}};
    for (int i = 0; i < streams; ++i) turns.add(i, 1, start);
    std::uint64_t position = 100;
    std::size_t told = 0;
    for (auto at = 0ms; at < 60s; at += 100ms)
      told += count(turns.look(++position, start + at), word::position);
    EXPECT_LE(told, 60U * 50) << "each may load a list";
    EXPECT_GE(told, std::min<std::size_t>(25U * static_cast<std::size_t>(streams), 40U * 50));
  }
}

TEST(position_turns, are_taken_one_after_the_other_however_many_have_one) {
  position_turns turns{{.apart = 0ms}};
  for (int i = 0; i < 500; ++i) turns.add(i, 1, start);
  std::vector<int> told(500);
  std::uint64_t position = 100;
  for (auto at = 0ms; at < 60s; at += 100ms)
    for (const auto& one : turns.look(++position, start + 5s + at))
      ++told[static_cast<std::size_t>(one.stream)];
  const auto [least, most] = std::minmax_element(told.begin(), told.end());
  EXPECT_GE(*least, 25);
  EXPECT_LE(*most - *least, 2);
}

TEST(position_turns, break_a_silence_and_end_a_stream_in_time) {
  position_turns turns{{}};
  turns.add(3, 7, start);
  EXPECT_EQ(count(turns.look(7, start + 14'900ms), word::beat), 0U);
  EXPECT_EQ(count(turns.look(7, start + 15s), word::beat), 1U);
  EXPECT_EQ(count(turns.look(7, start + 29s), word::beat), 0U);
  EXPECT_EQ(count(turns.look(7, start + 299s), word::beat), 1U);
  EXPECT_EQ(count(turns.look(8, start + 300s), word::end), 1U);
  EXPECT_EQ(turns.size(), 0U);
}

TEST(position_turns, forget_who_has_gone) {
  position_turns turns{{}};
  turns.add(3, 7, start);
  turns.remove(3);
  EXPECT_TRUE(turns.look(8, start + 1h).empty());
}

}  // namespace

}  // namespace argosy::rest
