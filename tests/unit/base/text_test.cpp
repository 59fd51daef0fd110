// SPDX-License-Identifier: Apache-2.0
// Goal: a text of any bytes is walked, cut and shown without breaking a character or letting a
// control character through. Method: characters of each length, and bytes that are none.
#include "runtime/base/text.hpp"

#include <gtest/gtest.h>

#include <array>

namespace argosy {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(first_character, decodes_every_length) {
  struct known {
    std::string_view text;
    char32_t code;
    std::size_t size;
  };
  constexpr std::array<known, 6> all{{{"a", 'a', 1},
                                      {"\xc2\x80", 0x80, 2},
                                      {"\xdf\xbf", 0x7ff, 2},
                                      {"\xe2\x82\xac rest", 0x20ac, 3},
                                      {"\xed\x9f\xbf", 0xd7ff, 3},
                                      {"\xf4\x8f\xbf\xbf", 0x10ffff, 4}}};
  for (const auto& [text, code, size] : all) {
    const auto got = first_character(text);
    EXPECT_TRUE(got.valid) << text;
    EXPECT_EQ(got.code, code);
    EXPECT_EQ(got.size, size);
  }
}

TEST(first_character, takes_one_byte_of_what_is_not_utf8) {
  for (const auto text : {"\x80"sv, "\xc0\xaf"sv, "\xc2"sv, "\xc2x"sv, "\xe0\x80\x80"sv,
                          "\xed\xa0\x80"sv, "\xf0\x80\x80\x80"sv, "\xf4\x90\x80\x80"sv, "\xff"sv}) {
    const auto got = first_character(text);
    EXPECT_FALSE(got.valid) << ::testing::PrintToString(text);
    EXPECT_EQ(got.size, 1U);
  }
}

TEST(control_characters, are_found_and_named) {
  EXPECT_EQ(find_control_character("plain \t\n text \xc3\xa9"), std::nullopt);
  EXPECT_EQ(find_control_character("a\x1b[2J"), 1U);
  EXPECT_EQ(find_control_character("ab\xc2\x9b"), 2U);
  EXPECT_EQ(find_control_character("\x7f"), 0U);
  EXPECT_EQ(name_control_character("a\x1b", 1), "U+001B");
  EXPECT_EQ(name_control_character("\xc2\x9b", 0), "U+009B");
}

TEST(cut_to_size, keeps_characters_whole) {
  EXPECT_EQ(cut_to_size("abc", 3), "abc");
  EXPECT_EQ(cut_to_size("abc", 2), "ab");
  EXPECT_EQ(cut_to_size("a\xe2\x82\xac", 3), "a");
  EXPECT_EQ(cut_to_size("a\xe2\x82\xac!", 4), "a\xe2\x82\xac");
  EXPECT_EQ(cut_to_size("\xe2\x82\xac", 0), "");
}

TEST(shown, is_short_and_harmless) {
  EXPECT_EQ(shown("team-a"), "team-a");
  EXPECT_EQ(shown("a\x1b[2J\n\xc2\x9b"), "a?[2J??");
  EXPECT_EQ(shown("\xff\xe2\x82\xac"), "?\xe2\x82\xac");
  EXPECT_EQ(shown(std::string(50, 'x')), std::string(40, 'x') + "...");
  EXPECT_EQ(shown(std::string(39, 'x') + "\xe2\x82\xac and more"), std::string(39, 'x') + "...");
  EXPECT_EQ(shown(std::string(40, 'x')), std::string(40, 'x'));
}

TEST(letters, of_ascii_change_their_case) {
  EXPECT_EQ(lower_case("QUEUED-1 \xc3\x84"), "queued-1 \xc3\x84");
  EXPECT_EQ(upper_case("queued"), "QUEUED");
}

}  // namespace
}  // namespace argosy
