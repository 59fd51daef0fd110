// SPDX-License-Identifier: Apache-2.0
// Goal: a decision of many events is divided where it may be and nowhere else, and what cannot be
// divided is refused before it is applied. Method: events whose order says where they may part.
#include "messages/codec/log/record_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "messages/codec/log/event_size.hpp"

namespace argosy::codec {
namespace {

using ::testing::ElementsAre;

std::vector<model::event> events_of(std::size_t count) {
  std::vector<model::event> events;
  for (std::size_t i = 0; i < count; ++i)
    events.push_back({static_cast<std::int64_t>(i), "q", model::queue_deleted{}});
  return events;
}

/// The sizes of the records into which the events are divided.
std::vector<std::size_t> parts_of(const std::vector<model::event>& events, std::size_t bytes_max,
                                  const may_part& parted) {
  std::vector<std::size_t> out;
  for (const auto& part : divide_into_records(events, bytes_max, parted))
    out.push_back(part.size());
  return out;
}

bool everywhere(const model::event&, const model::event&) {
  return true;
}

/// Allows a division only in front of every n-th event.
may_part each(std::int64_t n) {
  return [n](const model::event&, const model::event& next) { return next.time_ns % n == 0; };
}

TEST(record_parts, are_as_large_as_the_bound_allows) {
  auto events = events_of(10);
  const auto one = size_hint(events.front());
  EXPECT_THAT(parts_of(events, 4 * one, everywhere), ElementsAre(4, 4, 2));
  EXPECT_THAT(parts_of(events, 100 * one, everywhere), ElementsAre(10));
}

TEST(record_parts, end_at_the_last_place_within_the_bound) {
  auto events = events_of(9);
  const auto one = size_hint(events.front());
  EXPECT_THAT(parts_of(events, 5 * one, each(3)), ElementsAre(3, 3, 3));
  EXPECT_THAT(parts_of(events, 7 * one, each(3)), ElementsAre(6, 3));
}

TEST(record_parts, keep_together_what_must_stay_together_however_large) {
  auto events = events_of(9);
  EXPECT_THAT(parts_of(events, 1, each(3)), ElementsAre(3, 3, 3));
}

TEST(record_parts, that_no_record_holds_are_refused) {
  auto events = events_of(9);
  const auto one = size_hint(events.front());
  EXPECT_TRUE(check_records(events, 2 * one, 4 * one, each(3)));
  const auto refused = check_records(events, 2 * one, 2 * one, each(3));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::too_large);
}

TEST(record_parts, lose_no_event_whatever_the_bounds) {
  std::mt19937_64 random{7};
  for (int round = 0; round < 300; ++round) {
    auto events = events_of(1 + random() % 40);
    const auto parts =
        parts_of(events, 1 + random() % 2'000, each(static_cast<std::int64_t>(1 + random() % 5)));
    std::size_t sum = 0;
    for (const auto size : parts) {
      EXPECT_GT(size, 0u);
      sum += size;
    }
    EXPECT_EQ(sum, events.size());
  }
}

}  // namespace
}  // namespace argosy::codec
