// SPDX-License-Identifier: Apache-2.0
// Goal: built keys sort as their parts do and come apart again.
// Method: pairs of neighbours, and keys that are cut short.
#include "runtime/store/key.hpp"

#include <gtest/gtest.h>

#include <string>

namespace argosy::store {
namespace {

TEST(key, numbers_sort_as_numbers) {
  std::string last;
  for (const std::uint64_t n : {0ull, 1ull, 255ull, 256ull, 65'535ull, 1ull << 32, ~0ull}) {
    const auto now = number_key(n);
    EXPECT_EQ(now.size(), 8u);
    EXPECT_LT(last, now);
    EXPECT_EQ(key_reader{now}.number(), n);
    last = now;
  }
}

TEST(key, a_shorter_text_sorts_first_whatever_follows) {
  const auto shorter = key_builder{}.text("a").number(~0ull).take();
  const auto longer = key_builder{}.text("a\x01").number(0).take();
  EXPECT_LT(shorter, longer);
}

TEST(key, comes_apart_in_order) {
  const auto built = key_builder{}.text("set").number(7).bytes("tail").take();
  key_reader reader{built};
  EXPECT_EQ(reader.text(), "set");
  EXPECT_EQ(reader.number(), 7u);
  EXPECT_EQ(reader.bytes(2), "ta");
  EXPECT_EQ(reader.rest(), "il");
}

TEST(key, a_cut_key_gives_nothing) {
  key_reader reader{"abc"};
  EXPECT_FALSE(reader.number().has_value());
  EXPECT_FALSE(reader.text().has_value());
  EXPECT_FALSE(reader.bytes(4).has_value());
  EXPECT_EQ(reader.rest(), "abc");
}

}  // namespace
}  // namespace argosy::store
