// SPDX-License-Identifier: Apache-2.0
// Goal: trace tells a job's own story, and the tree of all messages when it is asked for. Method:
// the whole command line against a scripted server; histories and spans put together by hand.
#include <fmt/format.h>

#include "bins/argosyctl/output/text.hpp"
#include "messages/proto/argosy/trace.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

class trace_verb : public cli_fixture {
 protected:
  static constexpr std::int64_t second = 1'000'000'000;

  argosy::v1::Span& add_span(const std::string& name, const std::string& actor, std::int64_t at) {
    auto& span = *trace.add_spans();
    span.set_trace_id(std::string(16, '\1'));
    span.set_span_id(static_cast<std::uint64_t>(trace.spans_size()));
    span.set_parent_id(trace.spans_size() == 1 ? 0 : 1);
    span.set_name(name);
    span.set_actor(actor);
    span.set_start_ns(at);
    return span;
  }
  template <class Event>
  void at(Event& event, std::int64_t ns) {
    event.set_job_id(job_id(1));
    event.mutable_created()->set_seconds(ns / second);
    event.mutable_created()->set_nanos(static_cast<std::int32_t>(ns % second));
  }
  void serve() {
    trace.set_trace_id("0102");
    server->always("Trace.GetTrace", trace);
    server->always("Query.DescribeJob", described);
    serve_jobs();
  }

  argosy::v1::GetTraceResponse trace;
  argosy::v1::DescribeJobResponse described;
};

TEST_F(trace_verb, tells_the_story_of_the_job_alone) {
  *described.mutable_summary() = add_job(job_id(1), api::JobState::FAILED);
  described.mutable_summary()->set_owner("ann");
  const auto t = now_ns;
  at(*described.add_history()->mutable_submitted(), t);
  at(*described.add_history()->mutable_queued(), t);
  at(*described.add_history()->mutable_leased(), t + 2 * second);
  auto& running = *described.add_history()->mutable_running();
  at(running, t + 3 * second);
  running.set_cluster_id("c1");
  running.set_node_name("n1");
  auto& failed = *described.add_history()->mutable_failed();
  at(failed, t + 603 * second);
  failed.set_reason("exit code 7\x1b");
  auto& client = add_span("argosyctl submit", "", t - second);
  client.set_process("argosyctl");
  client.set_duration_ns(second / 2);
  for (int i = 1; i < 300; ++i) {
    auto& lease = add_span("lease", "argosy.queue", t + 2 * second - i);
    (*lease.mutable_attributes())["job"] = job_id(i);
    (*lease.mutable_attributes())["round"] = fmt::format("{}", 40 + i);
    (*lease.mutable_attributes())["node"] = "c1/n1";
    add_span(fmt::format("run {}-1", job_id(i)), "process backend", t);
  }
  serve();
  const auto got = run({"trace", job_id(1)});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out,
            fmt::format("job/{} failed\n"
                        "TIME           LATER  WHAT HAPPENED\n"
                        "22:13:19.000       -  'argosyctl submit' sent it to the server\n"
                        "22:13:19.500  500 ms  'argosyctl submit' had the server's answer after "
                        "500 ms\n"
                        "22:13:20.000  500 ms  submitted by ann\n"
                        "22:13:20.000    0 ns  accepted, and waiting in queue 'a'\n"
                        "22:13:22.000  2.00 s  round #41 gave it room on c1/n1; it had waited "
                        "2.00 s\n"
                        "22:13:23.000  1.00 s  started: n1 on c1\n"
                        "22:23:23.000     10m  FAILED after running 10m: exit code 7\\u{{1b}}\n",
                        job_id(1)))
      << got.out;
}

TEST_F(trace_verb, says_what_a_job_waits_for_now) {
  *described.mutable_summary() = add_job(job_id(1), api::JobState::QUEUED);
  described.mutable_summary()->set_changed_ns(now_ns - 60 * second);
  at(*described.add_history()->mutable_queued(), now_ns - 60 * second);
  described.set_round(12);
  described.set_round_ns(now_ns - second);
  described.add_reason_lines("no node has so much memory");
  serve();
  const auto got = run({"trace", job_id(1)}).out;
  EXPECT_NE(got.find("round #12 looked at it and did not place it: no node has so much memory"),
            std::string::npos)
      << got;
  EXPECT_NE(got.find("now: queued for 60s"), std::string::npos) << got;
}

TEST_F(trace_verb, fits_the_terminal) {
  *described.mutable_summary() = add_job(job_id(1), api::JobState::FAILED);
  auto& failed = *described.add_history()->mutable_failed();
  at(failed, now_ns);
  failed.set_reason(std::string(200, 'x'));
  add_span(std::string(200, 'y'), "argosy.gateway", now_ns);
  serve();
  where.out_is_terminal = true;
  where.width = 60;
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"trace", job_id(1)}, {"trace", job_id(1), "--all"}}) {
    std::istringstream lines{run(words).out};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 60U) << line;
  }
}

TEST_F(trace_verb, draws_the_tree_of_causes_when_all_is_asked_for) {
  *described.mutable_summary() = add_job(job_id(1), api::JobState::SUCCEEDED);
  add_span("argosyctl submit", "", now_ns).set_process("argosyctl");
  auto& child = add_span("submit\x1b", "argosy.gateway", now_ns);
  (*child.mutable_attributes())["error"] = "true";
  serve();
  const auto tree = run({"trace", job_id(1), "--all"});
  EXPECT_EQ(tree.code, exit_code::success) << tree.err;
  EXPECT_TRUE(tree.out.starts_with("trace 0101")) << tree.out;
  EXPECT_EQ(tree.out.find("trace 0101"), tree.out.rfind("trace 0101")) << "its name stands once";
  EXPECT_LT(tree.out.find("argosyctl submit"), tree.out.find("gateway"));
  EXPECT_NE(tree.out.find("gateway  FAILED"), std::string::npos) << tree.out;
  EXPECT_EQ(tree.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(run({"trace", job_id(1), "-o", "tree"}).out, tree.out);
  EXPECT_NE(run({"trace", job_id(1), "-o", "mermaid"}).out.find("sequenceDiagram"),
            std::string::npos);
  EXPECT_NE(run({"trace", job_id(1), "-o", "json"}).out.find("\"traceId\":\"0102\""),
            std::string::npos);
  const auto perfetto = run({"trace", job_id(1), "-o", "perfetto"});
  EXPECT_EQ(perfetto.code, exit_code::success) << perfetto.err;
  EXPECT_NE(perfetto.out.find("\"traceEvents\""), std::string::npos) << perfetto.out;
  EXPECT_EQ(perfetto.out.find('\x1b'), std::string::npos) << "JSON has escapes instead";
  EXPECT_EQ(run({"trace", std::string(32, 'a')}).out, tree.out) << "a trace has no job";
  EXPECT_EQ(server->nth<argosy::v1::GetTraceRequest>("Trace.GetTrace", 5).trace_id(),
            std::string(32, 'a'));
}

TEST_F(trace_verb, needs_no_span_for_the_story) {
  *described.mutable_summary() = add_job(job_id(1), api::JobState::SUCCEEDED);
  at(*described.add_history()->mutable_succeeded(), now_ns);
  serve();
  EXPECT_NE(run({"trace", job_id(1)}).out.find("succeeded"), std::string::npos);
  EXPECT_EQ(run({"trace", job_id(1), "--all"}).code, exit_code::not_found);
}

TEST_F(trace_verb, tells_of_several_jobs_the_first_ten) {
  std::string ids;
  for (int i = 1; i <= 12; ++i) {
    add_job(job_id(i), api::JobState::QUEUED);
    ids += job_id(i) + "\n";
  }
  *described.mutable_summary() = jobs.front();
  serve();
  const auto two = run({"trace", "-"}, job_id(1) + "\n" + job_id(2) + "\n");
  EXPECT_EQ(two.code, exit_code::success) << two.err;
  EXPECT_EQ(two.err, "");
  EXPECT_NE(two.out.find("job/" + job_id(1)), std::string::npos);
  EXPECT_NE(two.out.find("\n\njob/" + job_id(2)), std::string::npos) << two.out;
  const auto many = run({"trace", "-"}, ids);
  EXPECT_NE(many.out.find("job/" + job_id(10)), std::string::npos);
  EXPECT_EQ(many.out.find("job/" + job_id(11)), std::string::npos);
  EXPECT_NE(many.err.find("12 jobs were named, of which the first 10 are told here"),
            std::string::npos)
      << many.err;
}

}  // namespace argosy::ctl
