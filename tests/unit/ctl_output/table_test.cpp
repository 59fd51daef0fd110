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
  EXPECT_EQ(t.draw(options), "ID      STATE\n012345  queued\n") << "nothing is left that may go";
}

TEST(table, never_cuts_a_number) {
  table t{{{.title = "QUEUE", .yields_to = 4}, numbers("QUEUED"), numbers("RUNNING")}};
  t.add({std::string{"a-long-queue-name"}, number(123'456), number(7'890)});
  table_options options;
  for (options.width = 1; options.width < 60; ++options.width) {
    const auto drawn = t.draw(options);
    EXPECT_NE(drawn.find("123456     7890"), std::string::npos) << drawn;
  }
}

TEST(table, uses_brief_titles_before_anything_is_cut) {
  table t{{{.title = "QUEUE", .yields_to = 5}, numbers("ACTUAL SHARE", "ACTUAL")}};
  t.add({std::string{"long-name"}, number(5)});
  table_options options;
  options.width = 23;
  EXPECT_EQ(t.draw(options), "QUEUE      ACTUAL SHARE\nlong-name             5\n");
  options.width = 22;
  EXPECT_EQ(t.draw(options), "QUEUE      ACTUAL\nlong-name       5\n");
}

TEST(table, shortens_ids_and_places_before_columns_go) {
  table t{{{.title = "JOB", .shortens = shortening::ids},
           {.title = "NODE", .spare = 1, .shortens = shortening::places}}};
  t.add({std::string{"01kaz3v9qp8m2n4r6t8w00ab00"}, std::string{"sim-1/node-0017"}});
  t.add({std::string{"01kaz3v9qq8m2n4r6t8w00cd11"}, std::string{"sim-1/node-0018"}});
  t.add({std::string{"01kaz3w9qq8m2n4r6t8w00cd11"}, std::string{}});
  table_options options;
  options.width = 20;
  EXPECT_EQ(t.draw(options),
            "JOB            NODE\n01kaz3v9qp8m2  …0017\n01kaz3v9qq8m2  …0018\n"
            "01kaz3w9qq8m2  -\n");
  options.width = 0;
  EXPECT_NE(t.draw(options).find("sim-1/node-0017"), std::string::npos);
}

TEST(table, keeps_the_columns_of_its_first_page) {
  table t{{{"ID"}, {.title = "PLACE", .spare = 2}}};
  t.add({std::string{"0123456789"}, std::string{"here"}});
  table_options options;
  options.width = 12;
  table_layout layout;
  EXPECT_EQ(t.draw(options, layout), "ID\n0123456789\n");
  t.clear();
  t.add({std::string{"1"}, std::string{"x"}});
  options.headers = false;
  EXPECT_EQ(t.draw(options, layout), "1\n");
}

TEST(table, pages_are_no_narrower_than_the_one_before) {
  table t{{{"ID"}, numbers("N")}};
  t.add({std::string{"012345"}, number(1)});
  table_layout layout;
  EXPECT_EQ(t.draw({}, layout), "ID      N\n012345  1\n");
  t.clear();
  t.add({std::string{"1"}, number(2)});
  table_options options;
  options.headers = false;
  EXPECT_EQ(t.draw(options, layout), "1       2\n");
}

TEST(table, shows_everything_in_full_when_all_is_asked_for) {
  table t{{{.title = "ID", .yields_to = 4, .shortens = shortening::ids},
           {.title = "PLACE", .spare = 2},
           numbers("NUMBER", "N")}};
  t.add({std::string{"01kaz3v9qp8m2n4r6t8w00ab00"}, std::string{"here"}, number(1'234'567)});
  table_options options;
  options.wide = true;
  const auto whole = t.draw(options);
  options.width = 12;
  EXPECT_EQ(t.draw(options), whole);
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
