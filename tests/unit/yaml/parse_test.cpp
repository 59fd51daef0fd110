// SPDX-License-Identifier: Apache-2.0
// Goal: a document comes out as it stands in the file, with places; whatever is refused is refused
// with its place and a remedy, and no input crashes the parser.
// Method: small texts, and the exact error texts.
#include "runtime/settings/yaml/parse.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace argosy::yaml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

document must_parse(std::string_view text) {
  auto parsed = parse(text, "f.yaml");
  if (!parsed) throw std::runtime_error(parsed.error().detail);
  return std::move(*parsed);
}

std::string error_of(std::string_view text, const limits& limits = {}) {
  const auto parsed = parse(text, "f.yaml", limits);
  return parsed ? "accepted" : parsed.error().detail;
}

TEST(yaml_parse, keeps_order_kinds_and_places) {
  const auto doc =
      must_parse("queue: q1\njobs:\n  - priority: 1\n    args: [\"a b\", 'c']\n  - {}\n");
  const auto root = doc.root();
  ASSERT_TRUE(root.is_mapping());
  EXPECT_EQ(root.size(), 2U);
  std::vector<std::string> keys;
  for (const auto entry : root.entries()) keys.emplace_back(entry.key.text());
  EXPECT_THAT(keys, ElementsAre("queue", "jobs"));

  const auto jobs = root.find("jobs");
  ASSERT_TRUE(jobs && jobs->is_sequence());
  EXPECT_EQ(jobs->size(), 2U);
  const auto job = *jobs->items().begin();
  EXPECT_EQ(job.line(), 3U);
  EXPECT_EQ(job.column(), 5U);
  EXPECT_EQ(job.find("priority")->where(), "f.yaml:3:15");
  EXPECT_TRUE(job.find("priority")->plain());
  std::vector<std::string> args;
  for (const auto item : job.find("args")->items()) {
    args.emplace_back(item.text());
    EXPECT_FALSE(item.plain());
  }
  EXPECT_THAT(args, ElementsAre("a b", "c"));
  EXPECT_FALSE(job.find("absent"));
}

TEST(yaml_parse, passes_over_a_byte_order_mark) {
  const auto doc = must_parse(
      "\xef\xbb\xbf"
      "a: 1\nb: [2]\n");
  EXPECT_EQ(doc.root().find("a")->where(), "f.yaml:1:4");
  EXPECT_EQ(doc.root().find("b")->where(), "f.yaml:2:4");
  EXPECT_TRUE(must_parse("\xef\xbb\xbf{\"a\": 1}").root().is_mapping());
  EXPECT_EQ(error_of("\xef\xbb\xbf"
                     "a: [\xff]"),
            "f.yaml:1:5: invalid leading UTF-8 octet");
}

TEST(yaml_parse, says_that_a_file_is_of_another_encoding) {
  for (const auto text : {std::string_view{"\xff\xfe"
                                           "a\0:\0 \0"
                                           "1\0",
                                           10},
                          std::string_view{"\xfe\xff\0a\0:\0 \0"
                                           "1",
                                           10},
                          std::string_view{"a\0:\0 \0"
                                           "1\0",
                                           8},
                          std::string_view{"\0a\0:\0 \0"
                                           "1",
                                           8}})
    EXPECT_THAT(error_of(text), StartsWith("f.yaml:1:1: the file is UTF-16 or UTF-32; save it as "
                                           "UTF-8"));
}

TEST(yaml_parse, reads_block_scalars_and_unicode) {
  const auto doc = must_parse("script: |\n  echo ä\n  exit 1\nfolded: >-\n  a\n  b\n");
  EXPECT_EQ(doc.root().find("script")->text(), "echo ä\nexit 1\n");
  EXPECT_EQ(doc.root().find("folded")->text(), "a b");
  EXPECT_FALSE(doc.root().find("folded")->plain());
}

TEST(yaml_parse, tells_null_from_empty_text) {
  const auto doc = must_parse("a:\nb: ~\nc: null\nd: ''\ne: \"null\"\n");
  EXPECT_TRUE(doc.root().find("a")->is_null());
  EXPECT_TRUE(doc.root().find("b")->is_null());
  EXPECT_TRUE(doc.root().find("c")->is_null());
  EXPECT_FALSE(doc.root().find("d")->is_null());
  EXPECT_FALSE(doc.root().find("e")->is_null());
}

TEST(yaml_parse, gives_an_empty_scalar_for_an_empty_text) {
  EXPECT_TRUE(must_parse("").root().is_null());
  EXPECT_TRUE(must_parse("# only a comment\n").root().is_null());
}

TEST(yaml_parse, refuses_malformed_text_with_line_and_column) {
  EXPECT_THAT(error_of("a: [1, 2\nb: 3\n"), StartsWith("f.yaml:2:"));
  EXPECT_THAT(error_of("a: \"open\n"), StartsWith("f.yaml:2:1: found unexpected end of stream"));
  EXPECT_THAT(error_of("a: b: c\n"), "f.yaml:1:5: mapping values are not allowed in this context");
  EXPECT_EQ(error_of("a:\n\tb: 1\n"),
            "f.yaml:2:1: a tab cannot be used for indentation; use spaces");
}

TEST(yaml_parse, refuses_anchors_aliases_and_tags) {
  EXPECT_EQ(error_of("a: &x 1\nb: 2\n"),
            "f.yaml:1:4: anchors (&name) are not allowed; write the value out each time");
  EXPECT_EQ(error_of("a: 1\nb: *x\n"),
            "f.yaml:2:4: aliases (*name) are not allowed; write the value out");
  EXPECT_EQ(error_of("a: &x {b: 1}\n"),
            "f.yaml:1:4: anchors (&name) are not allowed; write the value out each time");
  EXPECT_EQ(error_of("a: !!str 1\n"), "f.yaml:1:4: tags (!name) are not allowed");
}

TEST(yaml_parse, refuses_duplicate_keys_in_small_and_large_mappings) {
  EXPECT_EQ(error_of("a: 1\nb: 2\n\"a\": 3\n"),
            "f.yaml:3:1: key 'a' stands here twice (first in line 1)");
  std::string large;
  for (int i = 0; i < 100; ++i) large += "k" + std::to_string(i) + ": {a: 1, b: {a: 2}}\n";
  EXPECT_EQ(error_of(large), "accepted");
  EXPECT_EQ(error_of(large + "k7: 1\n"),
            "f.yaml:101:1: key 'k7' stands here twice (first in line 8)");
  EXPECT_EQ(error_of("a: {x: 1}\nb: {x: 1}\n"), "accepted");
}

TEST(yaml_parse, finds_a_duplicate_in_a_large_mapping_after_a_large_child) {
  std::string child;
  for (int i = 0; i < 40; ++i) child += "  c" + std::to_string(i) + ": 1\n";
  std::string text;
  for (int i = 0; i < 40; ++i) text += "k" + std::to_string(i) + ":\n" + child;
  EXPECT_EQ(error_of(text), "accepted");
  EXPECT_THAT(error_of(text + "k39: 1\n"), HasSubstr("key 'k39' stands here twice"));
}

TEST(yaml_parse, refuses_keys_that_are_no_text) {
  EXPECT_EQ(error_of("? [a, b]\n: 1\n"), "f.yaml:1:3: a key must be a plain or quoted text");
  EXPECT_EQ(error_of("{{a: 1}: 2}\n"), "f.yaml:1:2: a key must be a plain or quoted text");
}

TEST(yaml_parse, refuses_a_second_document_unless_all_are_wanted) {
  const std::string two = "a: 1\n---\nb: 2\n";
  EXPECT_EQ(error_of(two), "f.yaml:2:1: a second document begins; only one is allowed");
  const auto all = parse_all(two, "f.yaml");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[1].root().find("b")->where(), "f.yaml:3:4");
}

TEST(yaml_parse, keeps_escaped_control_characters_of_values_where_they_are_allowed) {
  limits all;
  all.control_characters = true;
  const auto doc = parse("a: [\"\\x1b\\x01\\x7f\\u009b\"]\n", "f.yaml", all);
  ASSERT_TRUE(doc) << doc.error().detail;
  EXPECT_EQ((*doc->root().find("a")->items().begin()).text(), "\x1b\x01\x7f\xc2\x9b");
  EXPECT_EQ(error_of("a: \"\\0\"\n", all), "f.yaml:1:4: control character U+0000 is not allowed");
  EXPECT_THAT(error_of("\"a\\x01\": 1\n", all), HasSubstr("U+0001 is not allowed"));
  EXPECT_THAT(error_of("a: \"\x01\"\n", all), HasSubstr("control characters are not allowed"));
}

TEST(yaml_parse, refuses_control_characters_also_escaped_ones) {
  EXPECT_THAT(error_of("a: 1\nb: x\x01y\n"), "f.yaml:2:5: control characters are not allowed");
  EXPECT_EQ(error_of("a: \"x\\x1by\"\n"), "f.yaml:1:4: control character U+001B is not allowed");
  EXPECT_EQ(error_of("a: \"\\u0085\"\n"), "f.yaml:1:4: control character U+0085 is not allowed");
  EXPECT_EQ(error_of("a: \"\\0\"\n"), "f.yaml:1:4: control character U+0000 is not allowed");
  EXPECT_EQ(error_of("\"k\\x7f\": 1\n"), "f.yaml:1:1: control character U+007F is not allowed");
  EXPECT_EQ(error_of("a: \"tab\\tand line\\n\"\n"), "accepted");
  EXPECT_EQ(error_of(std::string_view{"a: \0b\n", 6}),
            "f.yaml:1:4: control characters are not allowed");
}

TEST(yaml_parse, refuses_what_is_not_utf8) {
  EXPECT_EQ(error_of("a: 1\nb: \xff\n"), "f.yaml:2:4: invalid leading UTF-8 octet");
}

TEST(yaml_parse, refuses_what_exceeds_a_limit) {
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(error_of(deep), "accepted");
  EXPECT_EQ(error_of('[' + deep + ']'), "f.yaml:1:65: nested deeper than 64 levels");
  EXPECT_EQ(error_of(std::string(100'000, '[')), "f.yaml:1:65: nested deeper than 64 levels");
  limits small;
  small.scalar_bytes_max = 3;
  EXPECT_EQ(error_of("a: 1234\n", small), "f.yaml:1:4: a value of 4 bytes; at most 3 are allowed");
  small = {};
  small.nodes_max = 3;
  EXPECT_EQ(error_of("[1, 2, 3]", small), "f.yaml:1:8: more than 3 values");
  small = {};
  small.bytes_max = 4;
  const auto parsed = parse("a: 1\n", "f.yaml", small);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ec::too_large);
}

TEST(yaml_parse, counts_columns_in_characters) {
  EXPECT_EQ(error_of("ä: {b: *x}\n"),
            "f.yaml:1:8: aliases (*name) are not allowed; write the value out");
}

TEST(yaml_parse_items, hands_over_the_items_of_one_list_and_keeps_the_rest) {
  std::vector<std::string> seen;
  const auto doc =
      parse_items("queue: q\njobs:\n  - {name: a, jobs: [1]}\n  - {name: b}\nafter: [1, 2]\n",
                  "f.yaml", "jobs", [&](const node& item, std::size_t number) -> result<void> {
                    seen.push_back(std::to_string(number) + std::string{item.find("name")->text()} +
                                   '@' + item.where());
                    return {};
                  });
  ASSERT_TRUE(doc);
  EXPECT_THAT(seen, ElementsAre("0a@f.yaml:3:5", "1b@f.yaml:4:5"));
  EXPECT_TRUE(doc->root().find("jobs")->is_sequence());
  EXPECT_EQ(doc->root().find("jobs")->size(), 0U);
  EXPECT_EQ(doc->root().find("jobs")->line(), 3U);
  EXPECT_EQ(doc->root().find("after")->size(), 2U);
}

TEST(yaml_parse_items, leaves_a_list_of_that_name_elsewhere_alone) {
  int calls = 0;
  const auto count = [&](const node&, std::size_t) -> result<void> {
    ++calls;
    return {};
  };
  const auto doc = parse_items("a:\n  jobs: [1, 2]\nb: [{jobs: [3]}]\n", "f.yaml", "jobs", count);
  ASSERT_TRUE(doc);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(doc->root().find("a")->find("jobs")->size(), 2U);
  ASSERT_TRUE(parse_items("jobs: text\n", "f.yaml", "jobs", count));
  ASSERT_TRUE(parse_items("[jobs, [1]]\n", "f.yaml", "jobs", count));
  EXPECT_EQ(calls, 0);
}

TEST(yaml_parse_items, stops_at_an_error_of_the_handler_or_the_text) {
  const auto refuse = [](const node& item, std::size_t number) -> result<void> {
    if (number == 1) return fail_at(item, "no");
    return {};
  };
  EXPECT_EQ(parse_items("jobs: [1, 2, 3]\n", "f.yaml", "jobs", refuse).error().detail,
            "f.yaml:1:11: no");
  EXPECT_EQ(parse_items("jobs:\n- 1\n- {a: 1, a: 2}\n", "f.yaml", "jobs", refuse).error().detail,
            "f.yaml:3:10: key 'a' stands here twice (first in line 3)");
  EXPECT_THAT(parse_items("jobs: [1]\njobs: [2]\n", "f.yaml", "jobs", refuse).error().detail,
              HasSubstr("f.yaml:2:1: key 'jobs' stands here twice"));
}

TEST(yaml_parse_items, applies_the_depth_limit_to_the_whole_document) {
  const auto ignore = [](const node&, std::size_t) -> result<void> { return {}; };
  const std::string fits = std::string(62, '[') + std::string(62, ']');
  EXPECT_TRUE(parse_items("jobs: [" + fits + "]\n", "f.yaml", "jobs", ignore));
  EXPECT_FALSE(parse_items("jobs: [[" + fits + "]]\n", "f.yaml", "jobs", ignore));
}

}  // namespace
}  // namespace argosy::yaml
