// SPDX-License-Identifier: Apache-2.0
// Goal: the flight recorder keeps the last spans and finds them by trace; explicit spans, spans of
// other processes and messages end in it; many threads lose nothing.
// Method: a manual clock where times matter, real threads where concurrency does.
#include "runtime/trace/recorder.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <thread>

#include "runtime/trace/span.hpp"
#include "runtime/trace/span_store.hpp"

namespace argosy::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::int64_t manual_now = 0;
std::int64_t manual_time() noexcept {
  return manual_now;
}

finished_span named(trace_id trace, std::string name, std::int64_t start = 0) {
  finished_span span;
  span.trace = trace;
  span.span = make_span_id();
  span.name = std::move(name);
  span.start_nanos = start;
  return span;
}

TEST(span_store, keeps_the_last_spans_and_finds_them_by_trace) {
  span_store store{{.spans = 3}};
  const trace_id a{1, 1};
  const trace_id b{2, 2};
  store.add(named(a, "a1", 5));
  store.add(named(b, "b1"));
  store.add(named(a, "a2", 3));
  ASSERT_THAT(store.of_trace(a), SizeIs(2));
  EXPECT_EQ(store.of_trace(a)[0].name, "a2");
  store.add(named(b, "b2"));
  EXPECT_THAT(store.of_trace(a), SizeIs(1));
  EXPECT_THAT(store.of_trace(b), SizeIs(2));
  store.set_limits({.spans = 1});
  EXPECT_THAT(store.of_trace(a), IsEmpty());
  EXPECT_EQ(store.size(), 1U);
  EXPECT_EQ(store.added(), 4U);
}

TEST(span_store, ships_each_span_once_and_skips_what_is_gone) {
  span_store store{{.spans = 3}};
  std::uint64_t cursor = 0;
  for (const char* name : {"1", "2"}) store.add(named({1, 1}, name));
  EXPECT_THAT(store.after(cursor, 1), SizeIs(1));
  EXPECT_THAT(store.after(cursor, 10), SizeIs(1));
  EXPECT_THAT(store.after(cursor, 10), IsEmpty());
  for (const char* name : {"3", "4", "5", "6"}) store.add(named({1, 1}, name));
  const auto rest = store.after(cursor, 10);
  ASSERT_THAT(rest, SizeIs(3));
  EXPECT_EQ(rest[0].name, "4");
  store.clear();
  EXPECT_THAT(store.after(cursor, 10), IsEmpty());
  store.add(named({1, 1}, "7"));
  EXPECT_THAT(store.after(cursor, 10), SizeIs(1));
}

class recorder_test : public ::testing::Test {
 protected:
  recorder_test() {
    reset();
    manual_now = 1000;
    set_time_source(manual_time);
    set_process_name("tests");
  }
  ~recorder_test() override {
    set_time_source(nullptr);
    set_span_capacity(65'536);
    set_enabled(true);
    reset();
  }
};

TEST_F(recorder_test, records_nested_explicit_spans_with_attributes) {
  trace_id trace;
  {
    span outer{"submit", "argosyctl"};
    trace = outer.ctx().trace;
    outer.attribute("file", "jobs.yaml");
    manual_now += 500;
    {
      const span inner{"request", "bus"};
      manual_now += 200;
    }
    manual_now += 100;
  }
  const auto spans = spans_of(trace);
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_EQ(spans[0].name, "submit");
  EXPECT_EQ(spans[0].process, "tests");
  EXPECT_EQ(spans[0].parent, 0U);
  EXPECT_EQ(spans[0].start_nanos, 1000);
  EXPECT_EQ(spans[0].duration_nanos, 800);
  EXPECT_THAT(spans[0].attributes, ElementsAre(attribute{"file", "jobs.yaml"}));
  EXPECT_EQ(spans[1].parent, spans[0].span);
  EXPECT_EQ(spans[1].duration_nanos, 200);
  EXPECT_FALSE(spans[1].failed);
}

TEST_F(recorder_test, marks_failed_and_abandoned_operations) {
  const auto root = new_root();
  { const operation abandoned{"abandoned", "agent", root}; }
  operation moved{"moved", "agent", root};
  operation kept{std::move(moved)};
  kept.finish();
  kept.finish(true);
  try {
    const span thrown{"thrown", "agent", root};
    throw std::runtime_error("x");
  } catch (const std::runtime_error&) {
  }
  {
    span refused{"refused", "agent", root};
    refused.fail();
  }
  std::map<std::string, bool> failed;
  for (const auto& item : spans_of(root.trace)) failed[item.name] = item.failed;
  EXPECT_THAT(failed, ElementsAre(std::pair{"abandoned", true}, std::pair{"moved", false},
                                  std::pair{"refused", true}, std::pair{"thrown", true}));
}

TEST_F(recorder_test, keeps_spans_of_other_processes_as_they_are) {
  auto foreign = named({7, 7}, "run");
  foreign.process = "argosy-agent/local";
  add_span(foreign);
  EXPECT_THAT(spans_of({7, 7}), ElementsAre(foreign));
  std::uint64_t cursor = 0;
  EXPECT_FALSE(spans_after(cursor, 100).empty());
}

TEST_F(recorder_test, tells_which_spans_ended_lately) {
  auto old = named({7, 7}, "old");
  old.start_nanos = to_wall_nanos(now_nanos()) - 3'600'000'000'000;
  auto fresh = named({7, 8}, "fresh");
  fresh.start_nanos = to_wall_nanos(now_nanos());
  add_span(old);
  add_span(fresh);
  const auto names = [](const std::vector<finished_span>& spans) {
    std::vector<std::string> out;
    for (const auto& span : spans) out.push_back(span.name);
    return out;
  };
  EXPECT_THAT(names(recent_spans()), ::testing::IsSupersetOf({"old", "fresh"}));
  const auto lately = names(recent_spans(std::chrono::minutes{10}));
  EXPECT_THAT(lately, ::testing::Contains("fresh"));
  EXPECT_THAT(lately, ::testing::Not(::testing::Contains("old")));
}

TEST_F(recorder_test, records_no_explicit_span_while_off_or_unsampled) {
  auto root = new_root();
  set_enabled(false);
  { const span off{"off", "x", root}; }
  set_enabled(true);
  root.sampled = false;
  { const span unsampled{"unsampled", "x", root}; }
  EXPECT_THAT(spans_of(root.trace), IsEmpty());
}

TEST_F(recorder_test, accounts_for_every_span_when_rings_overflow_on_many_threads) {
  set_time_source(nullptr);
  constexpr int threads = 4;
  constexpr int each = 15'000;
  const auto root = new_root();
  const edge kind{intern("a"), intern("b"), intern("m")};
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&] {
      for (int i = 0; i < each; ++i) {
        handled_message message;
        message.kind = kind;
        message.ctx = child(root);
        message.parent = root.span;
        note_sent(kind);
        note_handled(message);
      }
    });
  for (auto& thread : running) thread.join();
  EXPECT_EQ(spans_of(root.trace).size() + spans_lost(), static_cast<std::size_t>(threads * each));
  const auto edges = flow();
  ASSERT_THAT(edges, SizeIs(1));
  EXPECT_EQ(edges[0].handled, static_cast<std::uint64_t>(threads * each));
  EXPECT_EQ(edges[0].wait.count(), static_cast<std::uint64_t>(threads * each));
}

TEST_F(recorder_test, tells_how_many_spans_it_keeps) {
  set_span_capacity(3);
  EXPECT_EQ(spans_kept(), 0U);
  for (int i = 0; i < 2; ++i) const span one{"request", "bus"};
  drain();
  EXPECT_EQ(spans_kept(), 2U);
  for (int i = 0; i < 2; ++i) const span one{"request", "bus"};
  drain();
  EXPECT_EQ(spans_kept(), 3U);
}

TEST_F(recorder_test, bounds_spans_by_their_bytes_as_well) {
  set_span_capacity(65'536, 100'000);
  const auto add = [](std::size_t bytes) {
    finished_span span;
    span.trace = new_root().trace;
    span.attributes.push_back({"long", std::string(bytes, 'x')});
    add_span(std::move(span));
  };
  for (int i = 0; i < 50; ++i) add(10'000);
  EXPECT_EQ(spans_kept(), 9U);
  EXPECT_LE(span_bytes_kept(), 100'000U);
  EXPECT_EQ(spans_dropped(), 41U);
  add(100'000);
  EXPECT_EQ(spans_kept(), 9U) << "what takes more than there is room for at all is not kept";
  EXPECT_EQ(spans_dropped(), 42U);
  add(10);
  EXPECT_EQ(spans_kept(), 10U) << "there is room for a small one";
  set_span_capacity(65'536, 50'000);
  EXPECT_LE(span_bytes_kept(), 50'000U);
}

TEST_F(recorder_test, hands_the_memory_of_ended_threads_on) {
  const edge kind{0, intern("b"), intern("m")};
  for (int i = 0; i < 200; ++i) std::thread{[&] { note_sent(kind); }}.join();
  ASSERT_THAT(flow(), SizeIs(1));
  EXPECT_EQ(flow()[0].sent, 200U);
}

TEST_F(recorder_test, interns_names_once) {
  EXPECT_EQ(intern(""), 0);
  const auto id = intern("argosy.queue");
  EXPECT_EQ(intern("argosy.queue"), id);
  EXPECT_EQ(name_of(id), "argosy.queue");
  EXPECT_EQ(name_of(60'000), "");
}

TEST_F(recorder_test, folds_kinds_beyond_the_table_into_one) {
  for (int i = 0; i < 5000; ++i) note_sent({0, 1, static_cast<name_id>(i)});
  std::uint64_t total = 0;
  for (const auto& item : flow()) total += item.sent;
  EXPECT_EQ(total, 5000U);
}

}  // namespace
}  // namespace argosy::trace
