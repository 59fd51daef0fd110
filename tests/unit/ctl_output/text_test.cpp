// SPDX-License-Identifier: Apache-2.0
// Goal: nothing that a server or file says can act on the terminal, and columns line up whatever
// characters are in them. Method: strings in, strings and widths out.
#include "bins/argosyctl/output/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace argosy::ctl {

TEST(text, escapes_control_characters) {
  EXPECT_EQ(escaped("a\x1b[31mb"), "a\\u{1b}[31mb");
  EXPECT_EQ(escaped("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(escaped(std::string{"a\0b", 3}), "a\\u{0}b");
  EXPECT_EQ(escaped("\x7f"), "\\u{7f}");
  EXPECT_EQ(escaped("\xc2\x9b"), "\\u{9b}");
  EXPECT_EQ(escaped("\u202egnp"), "\\u{202e}gnp");
}

TEST(text, escapes_bytes_that_are_not_utf8) {
  EXPECT_EQ(escaped("a\xff"), "a\\xff");
  EXPECT_EQ(escaped("\xe2\x82"), "\\xe2\\x82");
}

TEST(text, keeps_what_is_harmless) {
  EXPECT_EQ(escaped("Grüße, 世界 🙂"), "Grüße, 世界 🙂");
  EXPECT_EQ(escaped_lines("a\nb\tc\x1b"), "a\nb\tc\\u{1b}");
}

TEST(text, measures_columns) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("世界"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(display_width("ü"), 1);
}

TEST(text, cuts_to_columns_not_bytes) {
  EXPECT_EQ(cut_to_width("abcdef", 4), "abc…");
  EXPECT_EQ(cut_to_width("世界世界", 5), "世界…");
  EXPECT_EQ(cut_to_width("世界世界", 4), "世…");
  EXPECT_EQ(cut_to_width("abc", 3), "abc");
  EXPECT_EQ(cut_to_width("abc", 0), "");
}

TEST(text, pads_by_columns) {
  EXPECT_EQ(padded("世", 4), "世  ");
  EXPECT_EQ(padded("7", 3, alignment::right), "  7");
  EXPECT_EQ(padded("long", 2), "long");
}

TEST(text, orders_names_by_the_numbers_in_them) {
  std::vector<std::string> names{"n10", "n2", "m", "n", "n02", "n2a", "n2.10", "n2.9", ""};
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return natural_less(a, b); });
  EXPECT_EQ(names,
            (std::vector<std::string>{"", "m", "n", "n02", "n2", "n2.9", "n2.10", "n2a", "n10"}));
}

}  // namespace argosy::ctl
