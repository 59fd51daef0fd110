// SPDX-License-Identifier: Apache-2.0
// Goal: only a text that is one whole number, and fits, is read as one. Method: texts at the ends
// of the types and texts that begin or end otherwise.
#include "runtime/base/whole_number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace argosy {
namespace {

TEST(whole_number, is_the_whole_text) {
  EXPECT_EQ(whole_number<int>("42"), 42);
  EXPECT_EQ(whole_number<int>("-42"), -42);
  EXPECT_EQ(whole_number<int>("007"), 7);
  for (const auto* text : {"", " 1", "1 ", "1.0", "1e3", "+1", "0x1", "one", "-", "1,000"})
    EXPECT_EQ(whole_number<int>(text), std::nullopt) << text;
}

TEST(whole_number, has_digits_of_its_base_alone) {
  EXPECT_EQ(whole_number<std::uint32_t>("ff", 16), 255U);
  EXPECT_EQ(whole_number<std::uint32_t>("FF", 16), 255U);
  for (const auto* text : {"", "fg", "0xff", "ff "})
    EXPECT_EQ(whole_number<std::uint32_t>(text, 16), std::nullopt) << text;
}

TEST(whole_number, fits_its_type) {
  EXPECT_EQ(whole_number<std::uint8_t>("255"), 255);
  EXPECT_EQ(whole_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(whole_number<std::uint8_t>("-1"), std::nullopt);
  EXPECT_EQ(whole_number<std::int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(whole_number<std::int64_t>("9223372036854775808"), std::nullopt);
}

}  // namespace
}  // namespace argosy
