// SPDX-License-Identifier: Apache-2.0
// Goal: trees, sequence diagrams and flow graphs are exact, also for spans that arrived twice, late
// or without their parent. Method: whole outputs are compared.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "runtime/trace/flow_graph.hpp"
#include "runtime/trace/render_text.hpp"
#include "runtime/trace/span_tree.hpp"

namespace argosy::trace {
namespace {

finished_span make(span_id id, span_id parent, std::string name, std::string actor,
                   std::string process, std::int64_t sent, std::int64_t wait, std::int64_t ran) {
  finished_span span;
  span.trace = {0x4bf92f3577b34da6, 0xa3ce929d0e0e4736};
  span.span = id;
  span.parent = parent;
  span.name = std::move(name);
  span.actor = std::move(actor);
  span.process = std::move(process);
  span.start_nanos = 1'000'000'000 + sent + wait;
  span.wait_nanos = wait;
  span.duration_nanos = ran;
  return span;
}

std::vector<finished_span> sample() {
  auto failed = make(5, 2, "reserve", "argosy.gang", "argosyd", 1'500'000, 3'000, 900);
  failed.failed = true;
  failed.attributes = {{"reason", "full"}};
  return {make(3, 2, "submit", "argosy.queue", "argosyd", 1'200'000, 12'300, 340'000),
          make(1, 0, "submit", "argosyctl", "argosyctl", 0, 0, 61'200'000),
          failed,
          make(2, 1, "SubmitJobs", "argosy.gateway", "argosyd", 1'000'000, 0, 150'000),
          make(4, 3, "reply done", "argosy.gateway", "argosyd", 1'600'000, 0, 1'000),
          make(3, 2, "submit", "argosy.queue", "argosyd", 1'200'000, 12'300, 340'000)};
}

TEST(span_tree, renders_causes_with_waiting_and_processing) {
  EXPECT_EQ(render_tree(sample()),
            "trace 4bf92f3577b34da6a3ce929d0e0e4736: 5 spans in 2 processes, 61.2 ms\n"
            "        AT      WAIT       RAN\n"
            "      0 ns         -   61.2 ms  submit  argosyctl @ argosyctl\n"
            "   1.00 ms         -    150 us  └─ SubmitJobs  gateway @ argosyd\n"
            "   1.20 ms   12.3 us    340 us     ├─ submit  queue\n"
            "   1.60 ms         -   1.00 us     │  └─ reply done  gateway\n"
            "   1.50 ms   3.00 us    900 ns     └─ reserve  gang  FAILED  reason=full\n");
  EXPECT_EQ(render_tree({}), "no spans\n");
}

TEST(span_tree, shows_spans_without_parent_as_roots_and_cuts_cycles) {
  const std::vector<finished_span> spans{
      make(1, 2, "a", "x", "p", 0, 0, 1), make(2, 1, "b", "x", "p", 1, 0, 1),
      make(3, 99, "c", "x", "p", 2, 0, 1), make(4, 4, "d", "x", "p", 3, 0, 1)};
  const auto rows = tree_rows(spans);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].span, 2U);
  EXPECT_EQ(rows[1].span, 3U);
  EXPECT_EQ(rows[2].span, 0U);
  EXPECT_EQ(rows[3].span, 1U);
  EXPECT_EQ(rows[3].depth, 1U);
}

TEST(span_tree, copes_with_a_very_deep_chain) {
  std::vector<finished_span> spans;
  for (span_id i = 1; i <= 2000; ++i)
    spans.push_back(make(i, i - 1, "hop", "x", "p", static_cast<std::int64_t>(i), 0, 1));
  const auto rows = tree_rows(spans);
  ASSERT_EQ(rows.size(), 2000U);
  EXPECT_EQ(rows.back().depth, 1999U);
}

TEST(span_tree, renders_a_sequence_diagram) {
  EXPECT_EQ(render_sequence(sample()),
            "sequenceDiagram\n"
            "  participant p0 as argosyctl @ argosyctl\n"
            "  participant p1 as gateway @ argosyd\n"
            "  participant p2 as queue @ argosyd\n"
            "  participant p3 as gang @ argosyd\n"
            "  Note over p0: submit (61.2 ms)\n"
            "  p0->>p1: SubmitJobs (150 us)\n"
            "  p1->>p2: submit (12.3 us + 340 us)\n"
            "  p1->>p3: reserve (3.00 us + 900 ns, failed)\n"
            "  p2-->>p1: reply done (1.00 us)\n");
}

std::vector<flow_edge> flow_sample() {
  std::vector<flow_edge> edges;
  const auto add = [&](std::string from, std::string to, std::string message, std::uint64_t n) {
    flow_edge edge;
    edge.from = std::move(from);
    edge.to = std::move(to);
    edge.message = std::move(message);
    edge.sent = n;
    edge.handled = n;
    for (std::uint64_t i = 0; i < n; ++i) edge.wait.add(1000);
    edges.push_back(edge);
  };
  add("", "argosy.gateway", "request", 2);
  add("argosy.gateway", "argosy.queue", "cancel", 1);
  add("argosy.gateway", "argosy.queue", "submit", 12);
  add("argosy.queue", "argosy.gateway", "reply done", 13);
  add("argosy.root", "argosy.queue", "exit", 1);
  return edges;
}

TEST(flow_graph, renders_mermaid) {
  EXPECT_EQ(render_flow_mermaid(flow_sample()),
            "flowchart LR\n"
            "  a0[\"gateway\"]\n"
            "  a1[\"outside\"]\n"
            "  a2[\"queue\"]\n"
            "  a0 -->|\"cancel 1<br/>submit 12\"| a2\n"
            "  a1 -->|\"request 2\"| a0\n");
  EXPECT_THAT(render_flow_mermaid(flow_sample(), {true, true}),
              ::testing::AllOf(::testing::HasSubstr("  a2 -.->|\"done 13\"| a0\n"),
                               ::testing::HasSubstr("exit 1")));
}

TEST(flow_graph, renders_dot) {
  EXPECT_EQ(render_flow_dot(flow_sample()),
            "digraph argosy {\n"
            "  rankdir=LR;\n"
            "  node [shape=box];\n"
            "  \"gateway\";\n"
            "  \"outside\";\n"
            "  \"queue\";\n"
            "  \"gateway\" -> \"queue\" [label=\"cancel 1\\nsubmit 12\"];\n"
            "  \"outside\" -> \"gateway\" [label=\"request 2\"];\n"
            "}\n");
}

TEST(flow_graph, json_holds_every_edge) {
  const auto read = nlohmann::json::parse(render_flow_json(flow_sample()));
  EXPECT_EQ(read["nodes"], nlohmann::json({"gateway", "outside", "queue", "root"}));
  ASSERT_EQ(read["edges"].size(), 5U);
  EXPECT_EQ(read["edges"][2]["message"], "submit");
  EXPECT_EQ(read["edges"][2]["handled"], 12);
  EXPECT_EQ(read["edges"][2]["waitNanosSum"], 12'000);
  EXPECT_TRUE(nlohmann::json::accept(render_flow_json({})));
}

TEST(render_text, durations_have_three_digits) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(1000), "1.00 us");
  EXPECT_EQ(duration_text(999'600), "1.00 ms");
  EXPECT_EQ(duration_text(12'340'000), "12.3 ms");
  EXPECT_EQ(duration_text(345'600'000'000), "346 s");
  EXPECT_EQ(duration_text(-1500), "-1.50 us");
}

TEST(render_text, labels_cannot_break_out) {
  EXPECT_EQ(mermaid_text("a\"b;c#d<e>\n"), "a#quot;b#59;c#35;d#lt;e#gt; ");
  EXPECT_EQ(dot_text("a\"b\\"), "\"a\\\"b\\\\\"");
  EXPECT_EQ(json_text("a\"\n"), "\"a\\\"\\u000a\"");
}

}  // namespace
}  // namespace argosy::trace
