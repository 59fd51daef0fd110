// SPDX-License-Identifier: Apache-2.0
// Goal: tables line up, fit the terminal, hide wide columns and sort. Method: exact text.
#include "bins/argosyctl/output/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

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
}

TEST(table, leaves_out_spare_columns_before_others_must_give_way) {
  table t{{{"ID"}, {.title = "PLACE", .spare = 2}, {.title = "AGE", .spare = 1}, {"STATE"}}};
  t.add({std::string{"012345"}, std::string{"here"}, std::string{"5s"}, std::string{"queued"}});
  table_options options;
  options.width = 26;
  EXPECT_EQ(t.draw(options), "ID      PLACE  AGE  STATE\n012345  here   5s   queued\n");
  options.width = 25;
  EXPECT_EQ(t.draw(options), "ID      AGE  STATE\n012345  5s   queued\n");
  options.width = 14;
  EXPECT_EQ(t.draw(options), "ID      STATE\n012345  queued\n");
  options.width = 11;
  EXPECT_EQ(t.draw(options), "ID    STATE\n012…  queu…\n");
}

TEST(table, never_writes_longer_lines_than_the_terminal_has_room_for) {
  table t{{{"JOB"}, {.title = "SET", .yields_to = 8, .spare = 1}, {"STATE"}, {"NOTE"}}};
  t.add({std::string(26, 'x'), std::string(40, 'y'), std::string{"queued"}, std::string(30, 'z')});
  table_options options;
  for (options.width = 10; options.width < 120; ++options.width) {
    std::istringstream lines{t.draw(options)};
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(display_width(line), options.width) << line;
  }
}

TEST(table, shows_every_column_when_all_are_asked_for) {
  table t{{{"ID"}, {.title = "PLACE", .spare = 2}}};
  t.add({std::string{"0123456789"}, std::string{"here"}});
  table_options options;
  options.wide = true;
  options.width = 12;
  EXPECT_NE(t.draw(options).find("PL"), std::string::npos);
}

TEST(table, tells_whether_a_row_has_changed_but_for_the_time) {
  table t{{{"ID"}, {.title = "AGE", .ticks = true}}};
  t.add({std::string{"a"}, std::string{"5s"}});
  t.add({std::string{"a"}, std::string{"6s"}});
  t.add({std::string{"b"}, std::string{"5s"}});
  EXPECT_EQ(t.lasting_text(0), t.lasting_text(1));
  EXPECT_NE(t.lasting_text(0), t.lasting_text(2));
}

TEST(table, tells_whether_a_row_has_changed_where_it_is_seen) {
  table t{{{"ID"}, {.title = "NOTE", .wide = true}}};
  t.add({std::string{"a"}, std::string{"x"}});
  t.add({std::string{"a"}, std::string{"y"}});
  EXPECT_EQ(t.lasting_text(0, false), t.lasting_text(1, false));
  EXPECT_NE(t.lasting_text(0, true), t.lasting_text(1, true));
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
