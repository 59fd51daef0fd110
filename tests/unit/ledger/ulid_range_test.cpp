// SPDX-License-Identifier: Apache-2.0
// Goal: ids come out of ranges as they went in, and ids of one request are few ranges.
// Method: ids from a seeded factory, and ids by hand around the places where bytes overflow.
#include "runtime/model/ulid_range.hpp"

#include <gtest/gtest.h>

namespace argosy {
namespace {

ulid id_with_end(std::uint8_t before, std::uint8_t last) {
  ulid id;
  id.bytes.fill(0x11);
  id.bytes[14] = before;
  id.bytes[15] = last;
  return id;
}

TEST(ulid_range, holds_the_ids_of_a_millisecond) {
  seeded_random random{7};
  ulid_factory factory{random};
  std::vector<ulid> ids;
  for (int i = 0; i < 100'000; ++i) ids.push_back(factory.make(i < 60'000 ? 1'000 : 1'001));
  const auto ranges = ranges_of(ids);
  EXPECT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ids_of(ranges), ids);
}

TEST(ulid_range, counts_over_bytes_and_never_into_the_time) {
  EXPECT_EQ((ulid_range{id_with_end(1, 255), 2}.at(1)), id_with_end(2, 0));
  EXPECT_EQ((ulid_range{id_with_end(1, 255), 300}.at(257)), id_with_end(3, 0));
  ulid last;
  last.bytes.fill(0xff);
  const auto next = ulid_range{last, 2}.at(1);
  EXPECT_EQ(next.unix_millis(), last.unix_millis());
  EXPECT_EQ(next.bytes[15], 0);
}

TEST(ulid_range, keeps_any_order) {
  const std::vector<ulid> ids{id_with_end(1, 3), id_with_end(1, 4), id_with_end(1, 4),
                              id_with_end(1, 2), id_with_end(9, 9), id_with_end(9, 10)};
  const auto ranges = ranges_of(ids);
  EXPECT_EQ(ranges.size(), 4U);
  EXPECT_EQ(ids_of(ranges), ids);
  EXPECT_TRUE(ranges_of({}).empty());
}

}  // namespace
}  // namespace argosy
