// SPDX-License-Identifier: Apache-2.0
// Goal: subjects match as NATS matches them, and errors survive the headers.
// Method: tables of cases.
#include "runtime/bus/frame.hpp"

#include <gtest/gtest.h>

#include <string>

namespace argosy::bus {
namespace {

TEST(subject, matches_by_tokens) {
  EXPECT_TRUE(matches("a.b", "a.b"));
  EXPECT_FALSE(matches("a.b", "a.bc"));
  EXPECT_FALSE(matches("a.b", "a.b.c"));
  EXPECT_FALSE(matches("a.b.c", "a.b"));
  EXPECT_TRUE(matches("a.*.c", "a.b.c"));
  EXPECT_FALSE(matches("a.*", "a.b.c"));
  EXPECT_FALSE(matches("*", "a.b"));
  EXPECT_TRUE(matches("a.>", "a.b"));
  EXPECT_TRUE(matches("a.>", "a.b.c"));
  EXPECT_FALSE(matches("a.>", "a"));
  EXPECT_TRUE(matches(">", "a"));
  EXPECT_TRUE(matches("*.>", "a.b"));
}

TEST(subject, limits_the_length) {
  EXPECT_TRUE(validate_subject(std::string(1'024, 'a')).has_value());
  EXPECT_EQ(validate_subject(std::string(1'025, 'a')).error().code, ec::invalid_argument);
}

TEST(headers, replace_and_erase_without_regard_to_case) {
  headers h{{"Trace", "1"}};
  h.set("TRACE", "2");
  EXPECT_EQ(h.size(), 1u);
  EXPECT_EQ(h.get("trace"), "2");
  h.erase("tRace");
  EXPECT_TRUE(h.empty());
  EXPECT_FALSE(h.get("trace").has_value());
}

TEST(headers, numbers_are_whole_and_decimal) {
  headers h;
  h.set("n", std::uint64_t{18'446'744'073'709'551'615u});
  EXPECT_EQ(h.get_number("n"), 18'446'744'073'709'551'615u);
  for (const std::string bad : {"", "-1", "1x", " 1", "18446744073709551616"}) {
    h.set("n", bad);
    EXPECT_FALSE(h.get_number("n").has_value()) << bad;
  }
}

TEST(headers, an_error_survives_any_text) {
  for (const std::string detail : {"", " ", "%", "%0", "%zz", "a%41", "tab\tnul\x01 end ", "ü"}) {
    headers h;
    set_error(h, {ec::overloaded, detail});
    EXPECT_TRUE(validate(h).has_value()) << detail;
    EXPECT_EQ(get_error(h), (error{ec::overloaded, detail}));
  }
  EXPECT_FALSE(get_error(headers{}).has_value());
}

TEST(headers, a_text_survives_whatever_it_holds) {
  headers h;
  set_text(h, "argosy-partial", "two\nlines, 100 % \x7f\u00e4");
  EXPECT_TRUE(validate(h));
  EXPECT_EQ(get_text(h, "argosy-partial"), "two\nlines, 100 % \x7f\u00e4");
  EXPECT_EQ(get_text(h, "another"), std::nullopt);
}

TEST(headers, a_long_error_is_cut_between_characters) {
  headers h;
  std::string detail(16'383, 'x');
  detail += "ü and more";
  set_error(h, {ec::internal, detail});
  EXPECT_EQ(get_error(h)->detail, std::string(16'383, 'x'));
}

}  // namespace
}  // namespace argosy::bus
