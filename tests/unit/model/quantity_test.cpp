// SPDX-License-Identifier: Apache-2.0
// Goal: quantities become exact amounts, or one clear error.
// Method: tables of text, unit and expected amount or part of the error, and round trips.
#include "runtime/model/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace argosy::model {
namespace {

constexpr auto milli = resource_unit::milli;
constexpr auto byte = resource_unit::byte;
constexpr auto piece = resource_unit::piece;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(quantity, parses_every_form) {
  struct row {
    const char* text;
    resource_unit unit;
    std::int64_t amount;
  };
  const std::vector<row> rows{
      {"0", milli, 0},
      {"-0", milli, 0},
      {"0.000", piece, 0},
      {"1", milli, 1000},
      {"+1", milli, 1000},
      {"0.5", milli, 500},
      {".5", milli, 500},
      {"5.", milli, 5000},
      {"500m", milli, 500},
      {"1500m", milli, 1500},
      {"0.001", milli, 1},
      {"1000u", milli, 1},
      {"1000000n", milli, 1},
      {"2k", milli, 2'000'000},
      {"00012", piece, 12},
      {"3000m", piece, 3},
      {"1", byte, 1},
      {"1k", byte, 1000},
      {"1M", byte, 1'000'000},
      {"1G", byte, 1'000'000'000},
      {"1T", byte, 1'000'000'000'000},
      {"1P", byte, 1'000'000'000'000'000},
      {"1E", byte, 1'000'000'000'000'000'000},
      {"1Ki", byte, 1024},
      {"64Mi", byte, 64LL << 20},
      {"1Gi", byte, 1LL << 30},
      {"1Ti", byte, 1LL << 40},
      {"1Pi", byte, 1LL << 50},
      {"7Ei", byte, 7LL << 60},
      {"0.5Ki", byte, 512},
      {"1.5Gi", byte, 1'610'612'736},
      {"0.0009765625Ki", byte, 1},
      {"1e3", byte, 1000},
      {"1E3", byte, 1000},
      {"1e+3", byte, 1000},
      {"1.25e2", byte, 125},
      {"5000e-3", byte, 5},
      {"12e-1", milli, 1200},
      {"1e18", byte, 1'000'000'000'000'000'000},
      {"0e999999999999", byte, 0},
      {"9223372036854775807", byte, largest},
      {"9223372036854775.807", milli, largest},
      {"100000000000000000000000000000000000000000000e-44", piece, 1},
  };
  for (const auto& row : rows) {
    const auto amount = parse_quantity(row.text, row.unit);
    ASSERT_TRUE(amount) << row.text << ": " << to_string(amount.error());
    EXPECT_EQ(*amount, row.amount) << row.text;
  }
}

TEST(quantity, refuses_with_reason) {
  struct row {
    std::string text;
    resource_unit unit;
    const char* part;
  };
  const std::vector<row> rows{
      {"", milli, "'' is not a quantity"},
      {" 1", milli, "is not a quantity"},
      {"1 ", milli, "is not a quantity"},
      {"1  ", milli, "is not a quantity"},
      {"abc", milli, "'abc' is not a quantity"},
      {".", milli, "is not a quantity"},
      {"m", milli, "is not a quantity"},
      {"1.2.3", milli, "is not a quantity"},
      {"--1", milli, "is not a quantity"},
      {"1mi", milli, "is not a quantity"},
      {"1ki", byte, "is not a quantity"},
      {"1MB", byte, "is not a quantity"},
      {"1K", byte, "is not a quantity"},
      {"1e", byte, "is not a quantity"},
      {"1e+", byte, "is not a quantity"},
      {"1e+-3", byte, "is not a quantity"},
      {"1e3Ki", byte, "is not a quantity"},
      {"0x10", byte, "is not a quantity"},
      {"inf", byte, "is not a quantity"},
      {"1,5", byte, "is not a quantity"},
      {std::string{"1\0", 2}, byte, "'1?' is not a quantity"},
      {"\x1b[31m", byte, "'?[31m' is not a quantity"},
      {"-1", milli, "'-1' is negative"},
      {"-1Mi", byte, "is negative"},
      {"-0.0001", milli, "is negative"},
      {"0.0001", milli, "is not a multiple of 1m"},
      {"100u", milli, "is not a multiple of 1m"},
      {"1e-4", milli, "is not a multiple of 1m"},
      {"1e-999999999999", milli, "is not a multiple of 1m"},
      {"1.5", byte, "is not a whole number of bytes"},
      {"100m", byte, "is not a whole number of bytes"},
      {"0.3Ki", byte, "is not a whole number of bytes"},
      {"0.5", piece, "is not a whole number"},
      {"9223372036854775808", byte, "is too large"},
      {"9223372036854775.808", milli, "is too large"},
      {"8Ei", byte, "is too large"},
      {"10E", byte, "is too large"},
      {"1e19", byte, "is too large"},
      {"1e999999999999", byte, "is too large"},
      {"9223372036854775807", milli, "is too large"},
      {std::string(39, '9'), byte, "more digits"},
      {std::string(5000, '7'), byte, "more digits"},
      {"1" + std::string(5000, '0'), byte, "is too large"},
  };
  for (const auto& row : rows) {
    const auto amount = parse_quantity(row.text, row.unit);
    ASSERT_FALSE(amount) << row.text;
    EXPECT_EQ(amount.error().code, ec::invalid_argument);
    EXPECT_THAT(amount.error().detail, ::testing::HasSubstr(row.part));
    EXPECT_LT(amount.error().detail.size(), 200U);
  }
}

TEST(quantity, is_held_to_a_limit) {
  EXPECT_EQ(parse_quantity("1Pi", byte, request_max).value_or(0), request_max);
  EXPECT_EQ(parse_quantity("1125899906842624m", milli, request_max).value_or(0), request_max);
  const std::vector<std::pair<std::string, resource_unit>> rows{
      {"1125899906842625", byte}, {"2000Ti", byte}, {"8Ei", byte}, {"1e999", byte}};
  for (const auto& [text, unit] : rows) {
    const auto amount = parse_quantity(text, unit, request_max);
    ASSERT_FALSE(amount) << text;
    EXPECT_THAT(amount.error().detail,
                ::testing::HasSubstr("is too large; the largest amount is 1Pi"));
  }
  EXPECT_FALSE(parse_quantity("1125899906842.625", milli, request_max));
}

TEST(quantity, formats_in_the_form_people_use) {
  EXPECT_EQ(format_quantity(0, milli), "0");
  EXPECT_EQ(format_quantity(2000, milli), "2");
  EXPECT_EQ(format_quantity(1500, milli), "1500m");
  EXPECT_EQ(format_quantity(-1500, milli), "-1500m");
  EXPECT_EQ(format_quantity(0, byte), "0");
  EXPECT_EQ(format_quantity(64LL << 20, byte), "64Mi");
  EXPECT_EQ(format_quantity(1536, byte), "1536");
  EXPECT_EQ(format_quantity(1536LL << 10, byte), "1536Ki");
  EXPECT_EQ(format_quantity(4LL << 60, byte), "4Ei");
  EXPECT_EQ(format_quantity(1000, byte), "1000");
  EXPECT_EQ(format_quantity(4, piece), "4");
  EXPECT_EQ(format_quantity(std::numeric_limits<std::int64_t>::min(), byte), "-8Ei");
}

TEST(quantity, comes_back_as_formatted) {
  std::uint64_t bits = 0x9e3779b97f4a7c15ULL;
  for (int i = 0; i < 20'000; ++i) {
    bits = bits * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto amount = static_cast<std::int64_t>(bits >> (1 + i % 62));
    for (auto unit : {milli, byte, piece}) {
      const auto text = format_quantity(amount, unit);
      const auto parsed = parse_quantity(text, unit);
      ASSERT_TRUE(parsed) << text;
      EXPECT_EQ(*parsed, amount) << text;
    }
  }
}

TEST(quantity, knows_the_units_of_resources) {
  EXPECT_EQ(unit_of("cpu"), milli);
  EXPECT_EQ(unit_of("memory"), byte);
  EXPECT_EQ(unit_of("ephemeral-storage"), byte);
  EXPECT_EQ(unit_of("hugepages-2Mi"), byte);
  EXPECT_EQ(unit_of("nvidia.com/gpu"), piece);
  EXPECT_EQ(unit_of(""), piece);
}

TEST(human_amount, has_the_unit_that_people_use) {
  struct row {
    std::int64_t amount;
    resource_unit unit;
    const char* text;
  };
  const std::vector<row> rows{
      {0, milli, "0 cores"},          {1, milli, "0.001 cores"},
      {500, milli, "0.5 cores"},      {1000, milli, "1 core"},
      {1500, milli, "1.5 cores"},     {64'000, milli, "64 cores"},
      {0, byte, "0 bytes"},           {1, byte, "1 byte"},
      {1023, byte, "1023 bytes"},     {64LL << 20, byte, "64 MiB"},
      {500LL << 30, byte, "500 GiB"}, {1'610'612'736, byte, "1.5 GiB"},
      {largest, byte, "8 EiB"},       {4, piece, "4"},
  };
  for (const auto& [amount, unit, text] : rows)
    EXPECT_EQ(human_amount(amount, unit, rounding::up), text);
}

TEST(human_amount, never_makes_what_is_lacking_look_like_what_there_is) {
  const auto have = 24'684'096LL << 10;
  EXPECT_EQ(human_amount(have, byte, rounding::down), "23.54 GiB");
  EXPECT_EQ(human_amount(have + 1, byte, rounding::up), "23.55 GiB");
  EXPECT_EQ(human_amount((1LL << 30) - 1, byte, rounding::down), "1023.99 MiB");
}

}  // namespace
}  // namespace argosy::model
