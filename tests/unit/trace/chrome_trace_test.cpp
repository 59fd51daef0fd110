// SPDX-License-Identifier: Apache-2.0
// Goal: spans become JSON that a viewer of Chrome's trace format draws. Method: the text is parsed
// again, and its events are looked at.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/trace/export/chrome_trace.hpp"

namespace argosy::trace {

namespace {

finished_span span_of(span_id id, span_id parent, const char* name, const char* actor,
                      const char* process) {
  finished_span out;
  out.trace = {1, 2};
  out.span = id;
  out.parent = parent;
  out.name = name;
  out.actor = actor;
  out.process = process;
  out.instance = id;
  out.start_nanos = 1'000'000'000 + static_cast<std::int64_t>(id) * 1'000;
  out.duration_nanos = 500;
  return out;
}

nlohmann::json events_of(const std::vector<finished_span>& spans, const std::string& phase) {
  const auto all = nlohmann::json::parse(render_chrome_trace(spans));
  auto out = nlohmann::json::array();
  for (const auto& event : all.at("traceEvents"))
    if (event.at("ph") == phase) out.push_back(event);
  return out;
}

}  // namespace

TEST(chrome_trace, has_a_slice_for_each_span_and_a_track_for_each_actor) {
  const std::vector<finished_span> spans{span_of(1, 0, "submit", "argosy.gateway", "argosyd"),
                                         span_of(2, 1, "place", "argosy.queue", "argosyd"),
                                         span_of(3, 2, "start", "argosy.executor", "argosy-agent")};
  const auto slices = events_of(spans, "X");
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0].at("name"), "submit");
  EXPECT_EQ(slices[0].at("ts"), 0.0) << "times begin with the first span";
  EXPECT_EQ(slices[1].at("ts"), 1.0);
  EXPECT_EQ(slices[1].at("dur"), 0.5);
  EXPECT_EQ(slices[0].at("pid"), slices[1].at("pid"));
  EXPECT_NE(slices[0].at("tid"), slices[1].at("tid"));
  EXPECT_NE(slices[0].at("pid"), slices[2].at("pid"));
  std::vector<std::string> names;
  for (const auto& event : events_of(spans, "M"))
    names.push_back(event.at("args").at("name").get<std::string>());
  EXPECT_EQ(names, (std::vector<std::string>{"argosyd", "gateway 1", "queue 2", "argosy-agent",
                                             "executor 3"}));
}

TEST(chrome_trace, draws_an_arrow_from_each_cause_that_is_there) {
  const std::vector<finished_span> spans{span_of(1, 77, "a", "x", "p"),
                                         span_of(2, 1, "b", "y", "p")};
  const auto begins = events_of(spans, "s");
  const auto ends = events_of(spans, "f");
  ASSERT_EQ(begins.size(), 1u) << "what is not there has none";
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(begins[0].at("id"), ends[0].at("id"));
  EXPECT_EQ(ends[0].at("ts"), 1.0);
}

TEST(chrome_trace, takes_any_text_as_text) {
  auto odd = span_of(1, 0, "\"},{\"ph\":\"X\n", "</script>", "p\\");
  odd.attributes.push_back({"k\"", "v\x01"});
  odd.failed = true;
  const auto slices = events_of({odd}, "X");
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices[0].at("name"), odd.name);
  EXPECT_EQ(slices[0].at("args").at("failed"), true);
  EXPECT_EQ(events_of({}, "X").size(), 0u);
}

}  // namespace argosy::trace
