// SPDX-License-Identifier: Apache-2.0
// Goal: ids round-trip, sort by time, and never repeat within a millisecond.
// Method: known vectors and a seeded factory.
#include "runtime/base/ulid.hpp"

#include <gtest/gtest.h>

#include <set>

namespace argosy {
namespace {

TEST(ulid, round_trips_the_specification_example) {
  const auto id = parse_ulid("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(to_string(*id), "01arz3ndektsv4rrffq69g5fav");
  EXPECT_EQ(id->unix_millis(), 1469922850259u);
}

TEST(ulid, rejects_wrong_length_and_characters) {
  EXPECT_EQ(parse_ulid("").error().code, ec::invalid_argument);
  EXPECT_FALSE(parse_ulid("01arz3ndektsv4rrffq69g5fau").has_value());
  EXPECT_FALSE(parse_ulid("81arz3ndektsv4rrffq69g5fav").has_value());
}

TEST(ulid, factory_increases_within_a_millisecond_and_when_time_steps_back) {
  seeded_random random{7};
  ulid_factory factory{random};
  auto last = factory.make(1000);
  for (int i = 0; i < 10'000; ++i) {
    const auto next = factory.make(i % 3 == 0 ? 999 : 1000);
    ASSERT_LT(last, next);
    ASSERT_GE(next.unix_millis(), 1000u) << "never before the time that was said";
    last = next;
  }
}

TEST(ulid, hashes_of_successive_ids_differ_in_their_low_bits) {
  seeded_random random{7};
  ulid_factory factory{random};
  std::set<std::size_t> low_bits;
  for (int i = 0; i < 1'000; ++i) low_bits.insert(std::hash<ulid>{}(factory.make(1000)) & 127);
  EXPECT_GT(low_bits.size(), 120u);
}

TEST(ulid, from_hash_is_a_function_of_its_input) {
  EXPECT_EQ(ulid_from_hash(5, 1, 2), ulid_from_hash(5, 1, 2));
  EXPECT_NE(ulid_from_hash(5, 1, 2), ulid_from_hash(5, 1, 3));
  EXPECT_EQ(ulid_from_hash(5, 1, 2).unix_millis(), 5u);
}

}  // namespace
}  // namespace argosy
