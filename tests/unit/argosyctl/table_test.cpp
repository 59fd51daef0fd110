// SPDX-License-Identifier: Apache-2.0
// Goal: tables line up, fit the terminal, hide wide columns and sort. Method: exact text.
#include "bins/argosyctl/output/table.hpp"

#include <gtest/gtest.h>

namespace argosy::ctl {

namespace {

table sample() {
  table t{{{"NAME", alignment::left, false, 4}, {"COUNT", alignment::right}, {"NOTE", {}, true}}};
  t.add({std::string{"世界"}, cell{"9", 9.0}, std::string{"x"}});
  t.add({std::string{"a"}, cell{"10", 10.0}, std::string{}});
  return t;
}

}  // namespace

TEST(table, lines_up_wide_characters) {
  EXPECT_EQ(sample().draw({}), "NAME  COUNT\n世界      9\na        10\n");
}

TEST(table, shows_wide_columns_only_when_asked) {
  table_options options;
  options.wide = true;
  EXPECT_EQ(sample().draw(options), "NAME  COUNT  NOTE\n世界      9  x\na        10  -\n");
}

TEST(table, leaves_headers_out) {
  table_options options;
  options.headers = false;
  EXPECT_EQ(sample().draw(options), "世界   9\na     10\n");
}

TEST(table, cuts_only_yielding_columns_to_fit) {
  table t{{{"ID"}, {"REASON", alignment::left, false, 8}}};
  t.add({std::string{"0123456789"}, std::string{"a very long reason indeed"}});
  table_options options;
  options.width = 24;
  EXPECT_EQ(t.draw(options), "ID          REASON\n0123456789  a very long…\n");
  options.width = 5;
  EXPECT_EQ(t.draw(options), "ID          REASON\n0123456789  a very …\n");
}

TEST(table, escapes_cells_and_keeps_one_line_for_each) {
  table t{{{"A"}}};
  t.add({std::string{"x\ny\x1b[2J"}});
  EXPECT_EQ(t.draw({}), "A\nx\\ny\\u{1b}[2J\n");
}

TEST(table, sorts_numbers_as_numbers) {
  auto t = sample();
  const auto up = t.sorted_by("count");
  ASSERT_TRUE(up);
  EXPECT_EQ(*up, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(*t.sorted_by("-COUNT"), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(*t.sorted_by("name"), (std::vector<std::size_t>{1, 0}));
  const auto bad = t.sorted_by("colour");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().detail.find("name, count, note"), std::string::npos);
}

TEST(table, paints_only_with_colours) {
  table t{{{"A"}}};
  t.add({cell{"x", look::bad}});
  table_options options;
  options.colours = true;
  EXPECT_EQ(t.draw(options), "\x1b[1mA\x1b[0m\n\x1b[31mx\x1b[0m\n");
}

}  // namespace argosy::ctl
