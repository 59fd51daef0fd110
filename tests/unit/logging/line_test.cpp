// SPDX-License-Identifier: Apache-2.0
// Goal: log lines are exact, parseable, and free of whatever a user's text could do to a terminal.
// Method: text lines are compared as a whole; JSON lines are read back by another parser.
#include "runtime/logging/line.hpp"

#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>

namespace argosy::logging {
namespace {

using namespace std::chrono_literals;

struct code_name {
  friend std::string to_string(const code_name&) { return "named"; }
};

line sample(std::span<const field> fields) {
  line entry;
  entry.time = from_nanos(1'767'225'600'123'456'789);
  entry.component = "journal";
  entry.message = "batch committed";
  entry.fields = fields;
  entry.source = "journal.cpp:42";
  return entry;
}

TEST(log_line, text_shows_level_component_message_and_fields) {
  const std::array fields{
      detail::to_field(kv("events", 3)), detail::to_field(kv("queue", std::string{"a b"})),
      detail::to_field(kv("said", "a \"quote\"")), detail::to_field(kv("empty", ""))};
  EXPECT_EQ(text_line(sample(fields), false),
            "2026-01-01T00:00:00.123Z INFO    journal: batch committed events=3 queue=\"a b\" "
            "said=\"a \\\"quote\\\"\" empty=\"\"");
}

TEST(log_line, text_colours_only_the_level) {
  auto entry = sample({});
  entry.severity = level::warning;
  EXPECT_EQ(text_line(entry, true),
            "2026-01-01T00:00:00.123Z \x1b[33mWARNING\x1b[0m journal: batch committed");
}

TEST(log_line, json_reads_back_with_types) {
  const std::array fields{
      detail::to_field(kv("events", 3)),         detail::to_field(kv("ratio", 0.25)),
      detail::to_field(kv("ok", true)),          detail::to_field(kv("queue", "q\"1\\")),
      detail::to_field(kv("took", 12'500us)),    detail::to_field(kv("code", code_name{})),
      detail::to_field(kv("nan", std::nan(""))), detail::to_field(kv("digits", "42"))};
  auto entry = sample(fields);
  entry.trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  entry.span = "00f067aa0ba902b7";
  entry.suppressed = 7;
  const auto read = nlohmann::json::parse(json_line(entry));
  EXPECT_EQ(read["ts"], "2026-01-01T00:00:00.123Z");
  EXPECT_EQ(read["level"], "info");
  EXPECT_EQ(read["component"], "journal");
  EXPECT_EQ(read["msg"], "batch committed");
  EXPECT_EQ(read["events"], 3);
  EXPECT_EQ(read["ratio"], 0.25);
  EXPECT_EQ(read["ok"], true);
  EXPECT_EQ(read["queue"], "q\"1\\");
  EXPECT_EQ(read["took"], "12.5ms");
  EXPECT_EQ(read["code"], "named");
  EXPECT_EQ(read["nan"], "nan");
  EXPECT_EQ(read["digits"], "42");
  EXPECT_EQ(read["trace_id"], entry.trace);
  EXPECT_EQ(read["span_id"], entry.span);
  EXPECT_EQ(read["suppressed"], 7);
  EXPECT_EQ(read["src"], "journal.cpp:42");
}

TEST(log_line, control_characters_are_escaped_and_bad_bytes_replaced) {
  const std::string hostile = "a\nb\x1b[2Jc\x7f\xc2\x9b\xff\xed\xa0\x80 \xc3\xa4\\";
  EXPECT_EQ(
      escape(hostile),
      "a\\nb\\x1b[2Jc\\x7f\\x9b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xc3\xa4\\\\");
  const std::array fields{detail::to_field(kv("name", hostile))};
  for (const auto& text : {text_line(sample(fields), false), json_line(sample(fields))})
    for (const char c : text) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << text;
  const auto read = nlohmann::json::parse(json_line(sample(fields)));
  EXPECT_EQ(read["name"].get<std::string>().substr(0, 5), "a\nb\x1b[");
}

TEST(log_line, durations_take_the_fitting_unit) {
  EXPECT_EQ(detail::duration_text(0ns), "0s");
  EXPECT_EQ(detail::duration_text(999ns), "999ns");
  EXPECT_EQ(detail::duration_text(250us), "250us");
  EXPECT_EQ(detail::duration_text(12'500us), "12.5ms");
  EXPECT_EQ(detail::duration_text(3s), "3s");
  EXPECT_EQ(detail::duration_text(-1500ms), "-1.5s");
}

}  // namespace
}  // namespace argosy::logging
