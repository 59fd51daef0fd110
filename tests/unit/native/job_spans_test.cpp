// SPDX-License-Identifier: Apache-2.0
// Goal: the steps of a job's story say when they were, how long they waited and how the run ended.
// Method: one run as values.
#include "messages/native/job_spans.hpp"

#include <gmock/gmock.h>

#include "runtime/trace/recorder.hpp"

namespace argosy::native {
namespace {

using ::testing::Contains;
using ::testing::Pair;

const model::run_key key{ulid_from_hash(1, 0, 7), 2};

TEST(job_spans, of_a_lease_waited_since_the_submission) {
  auto header = std::make_shared<model::job_header>();
  header->submitted_ns = 100;
  header->queue = "research";
  const auto span = lease_span({key, model::cluster_name{"c"}, model::node_name{"n1"}, header}, 5,
                               "argosy.queue", 160);
  EXPECT_EQ(span.name, "lease");
  EXPECT_EQ(span.actor, "argosy.queue");
  EXPECT_EQ(span.start_ns, 160);
  EXPECT_EQ(span.wait_ns, 60);
  EXPECT_THAT(span.attributes, Contains(Pair("round", "5")));
  EXPECT_THAT(span.attributes, Contains(Pair("node", "c/n1")));
  EXPECT_THAT(span.attributes, Contains(Pair("queue", "research")));
}

TEST(job_spans, of_a_run_last_from_its_start_to_its_end) {
  model::agent_run run;
  run.node = "n1";
  run.queue = "research";
  run.started_ns = 100;
  model::run_event end{key, model::run_phase::failed, {}, {}, 170};
  end.outcome.exit_code = 3;
  const auto span = run_span(run, end, "process backend");
  EXPECT_EQ(span.start_ns, 100);
  EXPECT_EQ(span.duration_ns, 70);
  EXPECT_TRUE(span.failed);
  EXPECT_THAT(span.attributes, Contains(Pair("exit_code", "3")));
  EXPECT_THAT(span.attributes, Contains(Pair("queue", "research")));
}

TEST(job_spans, of_a_run_that_never_started_have_no_length) {
  const auto span =
      run_span({}, {key, model::run_phase::succeeded, {}, {}, 170}, "process backend");
  EXPECT_EQ(span.start_ns, 170);
  EXPECT_EQ(span.duration_ns, 0);
  EXPECT_FALSE(span.failed);
}

TEST(job_spans, of_an_end_waited_until_the_queue_heard_of_it) {
  model::run_report report;
  report.time_ns = 100;
  report.outcome.reason = "Error";
  const auto span = end_span(report, "research", "argosy.queue", 130);
  EXPECT_EQ(span.start_ns, 130);
  EXPECT_EQ(span.wait_ns, 30);
  EXPECT_THAT(span.attributes, Contains(Pair("exit_code", "unknown")));
  EXPECT_THAT(span.attributes, Contains(Pair("reason", "Error")));
  EXPECT_THAT(span.attributes, Contains(Pair("queue", "research")));
}

TEST(job_spans, that_waited_an_hour_begin_a_trace_that_links_to_their_cause) {
  const auto before = trace::enabled();
  trace::set_enabled(true);
  const auto submit = to_model(trace::new_root());
  std::uint64_t cursor = 0;
  const auto recorded = [&] {
    auto spans = trace::spans_after(cursor, 10'000);
    EXPECT_FALSE(spans.empty());
    return spans.empty() ? trace::finished_span{} : spans.back();
  };
  const auto soon = to_context(record(submit, {"lease", "queue", 0, own_trace_from_ns - 1, 0, {}}));
  const auto usual = recorded();
  EXPECT_EQ(soon.trace, to_context(submit).trace);
  EXPECT_EQ(usual.parent, submit.span_id);
  EXPECT_FALSE(usual.link.valid());
  const auto late = to_context(record(submit, {"lease", "queue", 0, own_trace_from_ns, 0, {}}));
  const auto apart = recorded();
  EXPECT_NE(late.trace, to_context(submit).trace);
  EXPECT_TRUE(late.sampled);
  EXPECT_EQ(apart.trace, late.trace);
  EXPECT_EQ(apart.parent, 0u);
  EXPECT_EQ(apart.link, to_context(submit));
  record(to_model(late), {"run", "backend", 0, 0, 0, {}});
  const auto of_job = trace::spans_of(to_context(submit).trace);
  ASSERT_EQ(of_job.size(), 3u) << "whoever asks for the job's trace sees what it has caused";
  trace::set_enabled(before);
}

}  // namespace
}  // namespace argosy::native
