// SPDX-License-Identifier: Apache-2.0
// Goal: where anchors are allowed, an alias stands for the value that it names, `<<` merges
// mappings, and no text expands without bound. Method: small texts, written out again or refused.
#include <gmock/gmock.h>

#include <string>

#include "runtime/settings/yaml/parse.hpp"

namespace argosy::yaml {
namespace {

using ::testing::HasSubstr;

limits with_anchors(std::size_t nodes = 1'000) {
  limits out;
  out.alias_nodes_max = nodes;
  return out;
}

/// The value in one line, with everything written out.
std::string shown(const node& value) {
  std::string out;
  if (value.is_scalar())
    return value.plain() ? std::string{value.text()} : "'" + std::string{value.text()} + "'";
  for (const auto item : value.items()) out += (out.empty() ? "" : ", ") + shown(item);
  if (value.is_sequence()) return "[" + out + "]";
  for (const auto& [key, inner] : value.entries())
    out += (out.empty() ? "" : ", ") + shown(key) + ": " + shown(inner);
  return "{" + out + "}";
}

std::string expanded(const std::string& text, const limits& limits = with_anchors()) {
  const auto parsed = parse(text, "f.yaml", limits);
  return parsed ? shown(parsed->root()) : parsed.error().detail;
}

TEST(yaml_anchors, an_alias_stands_for_the_value_that_it_names) {
  EXPECT_EQ(expanded("a: &x {b: [1, 'two'], c: {}}\nd: *x\ne: [*x, 3]\n"),
            "{a: {b: [1, 'two'], c: {}}, d: {b: [1, 'two'], c: {}}, "
            "e: [{b: [1, 'two'], c: {}}, 3]}");
  EXPECT_EQ(expanded("a: &x text\nb: *x\nc: &x other\nd: *x\n"),
            "{a: text, b: text, c: other, d: other}");
  EXPECT_EQ(expanded("&k a: 1\nb: *k\n"), "{a: 1, b: a}");
  EXPECT_EQ(expanded("a: &x [&y 1, *y]\nb: *x\nc: *y\n"), "{a: [1, 1], b: [1, 1], c: 1}");
}

TEST(yaml_anchors, a_repeated_value_has_the_place_where_it_was_written) {
  const auto parsed = parse("a: &x\n  b: 1\nc: *x\n", "f.yaml", with_anchors());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->root().find("c")->find("b")->where(), "f.yaml:2:6");
}

TEST(yaml_anchors, a_merge_key_adds_what_the_mapping_does_not_have) {
  const std::string base = "x: &x {a: 1, b: 2}\ny: &y {b: 3, c: 4}\n";
  const std::string shown_base = "{x: {a: 1, b: 2}, y: {b: 3, c: 4}, ";
  EXPECT_EQ(expanded(base + "z: {<<: *x, b: 5}\n"), shown_base + "z: {b: 5, a: 1}}");
  EXPECT_EQ(expanded(base + "z: {b: 5, <<: *x}\n"), shown_base + "z: {b: 5, a: 1}}");
  EXPECT_EQ(expanded(base + "z: {<<: [*x, *y]}\n"), shown_base + "z: {a: 1, b: 2, c: 4}}");
  EXPECT_EQ(expanded(base + "z: &z {<<: *x, d: 6}\nv: {<<: *z}\nw: *z\n"),
            shown_base + "z: {d: 6, a: 1, b: 2}, v: {d: 6, a: 1, b: 2}, w: {d: 6, a: 1, b: 2}}");
  EXPECT_EQ(expanded("z: {<<: {}}\n"), "{z: {}}");
  EXPECT_EQ(expanded("z: {'<<': 1}\n"), "{z: {'<<': 1}}");
  EXPECT_EQ(parse("z: {<<: 1}\n", "f.yaml")->root().find("z")->size(), 1U);
}

TEST(yaml_anchors, mistakes_are_told_with_their_place) {
  EXPECT_EQ(expanded("a: *x\n"),
            "f.yaml:1:4: no value with the anchor &x has ended before this alias");
  EXPECT_EQ(expanded("a: &x [1, *x]\n"),
            "f.yaml:1:11: no value with the anchor &x has ended before this alias");
  EXPECT_EQ(expanded("a: &x b\n*x : 1\n"), "f.yaml:2:1: a key must be a plain or quoted text");
  EXPECT_EQ(expanded("a: &x 1\nb:\n  <<: *x\n"),
            "f.yaml:3:3: '<<' takes a mapping or a list of mappings, such as <<: *name");
  EXPECT_THAT(expanded("a: {<<: {}, <<: {}}\n"), HasSubstr("key '<<' stands here twice"));
  const auto second = parse_all("a: &x 1\n---\nb: *x\n", "f.yaml", with_anchors());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().detail, HasSubstr("f.yaml:3:4: no value with the anchor"));
}

TEST(yaml_anchors, a_short_text_does_not_expand_without_bound) {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 30; ++i) {
    const auto last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 8; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_THAT(
      expanded(bomb, with_anchors(10'000)),
      ::testing::MatchesRegex("f.yaml:[45]:[0-9]+: the anchors and aliases up to here stand "
                              "for more than 10000 values or [0-9]+ bytes; use fewer of "
                              "them"));
  auto small = with_anchors();
  small.bytes_max = 100;
  EXPECT_THAT(expanded("a: &x '" + std::string(40, 'x') + "'\nb: [*x, *x]\n", small),
              HasSubstr("or 100 bytes"));
}

TEST(yaml_anchors, aliases_do_not_nest_deeper_than_what_is_written_out) {
  std::string text = "a0: &a0 " + std::string(60, '[') + std::string(60, ']') + "\n";
  EXPECT_THAT(expanded(text + "b: [[[*a0]]]\n"), HasSubstr("[[["));
  EXPECT_EQ(expanded(text + "b: [[[[*a0]]]]\n"), "f.yaml:2:8: nested deeper than 64 levels");
  EXPECT_EQ(expanded(text + "a1: &a1 [[*a0]]\nb: [[*a1]]\n"),
            "f.yaml:3:6: nested deeper than 64 levels");
}

TEST(yaml_anchors, anchors_live_as_long_as_the_document_when_items_are_streamed) {
  std::vector<std::string> seen;
  const auto note = [&](const node& item, std::size_t) -> result<void> {
    seen.push_back(shown(item));
    return {};
  };
  const auto parsed =
      parse_items("x-base: &base {a: 1}\njobs:\n- &j {<<: *base, b: 2}\n- *j\n- 3\n", "f.yaml",
                  "jobs", note, with_anchors());
  ASSERT_TRUE(parsed) << parsed.error().detail;
  EXPECT_THAT(seen, ::testing::ElementsAre("{b: 2, a: 1}", "{b: 2, a: 1}", "3"));
  EXPECT_EQ(
      parse_items("x: &x [1]\njobs: *x\n", "f.yaml", "jobs", note, with_anchors()).error().detail,
      "f.yaml:2:7: 'jobs' cannot be an alias; write the list out");
}

}  // namespace
}  // namespace argosy::yaml
