// SPDX-License-Identifier: Apache-2.0
// Goal: describe and actors show what the server says, escaped, and read to the end. Method:
// the whole command line against a scripted server; exact output where it is short.
#include <fmt/format.h>

#include "messages/proto/argosy/trace.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

class describe : public cli_fixture {};

TEST_F(describe, says_apart_from_waiting_that_nothing_is_known_of_a_run) {
  auto& job = add_job(job_id(1), api::JobState::RUNNING);
  serve_jobs();
  argosy::v1::DescribeJobResponse answer;
  *answer.mutable_summary() = job;
  answer.add_reason_lines("cluster 'far', where it runs, has not been heard for 20 s");
  server->always("Query.DescribeJob", answer);
  const auto got = run({"describe", job_id(1)});
  EXPECT_EQ(got.out.find("Not placed"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("Out of contact\n  cluster 'far', where it runs"), std::string::npos)
      << got.out;
}

TEST_F(describe, says_why_events_are_not_shown) {
  argosy::v1::DescribeJobResponse answer;
  *answer.mutable_summary() = add_job(job_id(1), api::JobState::QUEUED);
  serve_jobs();
  answer.set_history_hidden("it takes the verb 'watch'");
  server->always("Query.DescribeJob", answer);
  EXPECT_NE(
      run({"describe", job_id(1)}).out.find("Its events are not shown: it takes the verb 'watch'"),
      std::string::npos);
}

TEST_F(describe, shows_everything_about_a_job) {
  auto& job = add_job(job_id(1), api::JobState::QUEUED);
  job.set_reason("waits\nfor room");
  serve_jobs();
  argosy::v1::DescribeJobResponse answer;
  *answer.mutable_summary() = job;
  answer.add_history()->mutable_queued()->set_job_id(job_id(1));
  for (int i = 0; i < 12; ++i) answer.add_history()->mutable_leased()->set_job_id(job_id(1));
  answer.mutable_details()->set_job_id(job_id(1));
  auto& spec = *answer.mutable_details()->mutable_job_spec();
  auto& container = *spec.mutable_pod_spec()->add_containers();
  container.set_name("main");
  container.set_image("busybox");
  container.add_command("sleep");
  container.add_args("60");
  // The newest run comes first, as in the server's answers.
  for (const int second : {9, 5}) {
    auto& run_details = *answer.mutable_details()->add_job_runs();
    run_details.set_state(second == 5 ? api::JobRunState::RUNS_STATE_LEASE_RETURNED
                                      : api::JobRunState::RUN_STATE_RUNNING);
    run_details.mutable_leased_ts()->set_seconds(second);
  }
  answer.mutable_summary()->set_run(4);
  answer.add_reason_lines("no node has 9 cpu");
  answer.set_round(12);
  answer.set_round_ns(now_ns - 2'000'000'000);
  answer.set_trace_id("00ff");
  server->always("Query.DescribeJob", answer);
  const auto got = run({"describe", job_id(1)});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  for (const auto* part :
       {"State       queued", "Reason      waits\\nfor room", "main (busybox) sleep 60",
        "lease_returned", "Not placed in round #12, 2s ago, because", "  no node has 9 cpu",
        "Trace       00ff", "Last events"})
    EXPECT_NE(got.out.find(part), std::string::npos) << part << "\n" << got.out;
  EXPECT_EQ(got.out.find("queued  -"), std::string::npos) << "only the last ten events";
  EXPECT_NE(got.out.find("  3  lease_returned"), std::string::npos) << got.out;
  EXPECT_LT(got.out.find("  3  lease_returned"), got.out.find("  4  running")) << "oldest first";
  const auto json = run({"describe", "job", job_id(1), "-o", "json"}).out;
  EXPECT_NE(json.find("\"podSpec\":{\"containers\":[{\"name\":\"main\""), std::string::npos);
  EXPECT_EQ(json.find("hostNetwork"), std::string::npos) << "what was not set is not printed";
  EXPECT_NE(json.find("\"traceId\":\"00ff\""), std::string::npos);
}

TEST_F(describe, says_how_many_jobs_of_its_queue_are_before_it) {
  add_job(job_id(1), api::JobState::QUEUED);
  serve_jobs();
  const std::vector<std::pair<int, std::string>> places{
      {1, "Place       the first of its queue"},
      {2, "Place       1 job of its queue is before it"},
      {13, "Place       12 jobs of its queue are before it"}};
  for (const auto& [place, text] : places) {
    argosy::v1::DescribeJobResponse answer;
    *answer.mutable_summary() = jobs.front();
    answer.set_place_in_queue(static_cast<std::uint64_t>(place));
    server->always("Query.DescribeJob", answer);
    const auto got = run({"describe", job_id(1)}).out;
    EXPECT_NE(got.find(text), std::string::npos) << got;
  }
  server->always("Query.DescribeJob", argosy::v1::DescribeJobResponse{});
  EXPECT_EQ(run({"describe", job_id(1)}).out.find("Place"), std::string::npos);
}

TEST_F(describe, says_when_a_job_without_a_run_ended) {
  auto& job = add_job(job_id(1), api::JobState::CANCELLED);
  job.set_changed_ns(now_ns - 5'000'000'000);
  serve_jobs();
  argosy::v1::DescribeJobResponse answer;
  *answer.mutable_summary() = job;
  server->always("Query.DescribeJob", answer);
  EXPECT_NE(run({"describe", job_id(1)}).out.find("Finished    2023-11-14T22:13:15.000Z (5s ago)"),
            std::string::npos);
}

TEST_F(describe, sets_several_jobs_off) {
  add_job(job_id(1), api::JobState::QUEUED);
  add_job(job_id(2), api::JobState::QUEUED);
  serve_jobs();
  server->on<argosy::v1::DescribeJobRequest, argosy::v1::DescribeJobResponse>(
      "Query.DescribeJob", [this](const auto& request) -> result<argosy::v1::DescribeJobResponse> {
        argosy::v1::DescribeJobResponse answer;
        for (const auto& job : jobs)
          if (job.job_id() == request.job_id()) *answer.mutable_summary() = job;
        return answer;
      });
  const auto got = run({"describe", job_id(1), job_id(2)}).out;
  const auto rule = got.find("\n" + std::string(72, '-') + "\n");
  ASSERT_NE(rule, std::string::npos) << got;
  EXPECT_LT(got.find(job_id(1)), rule);
  EXPECT_GT(got.find(job_id(2)), rule);
  const auto json = run({"describe", job_id(1), job_id(2), "-o", "json"}).out;
  EXPECT_TRUE(json.starts_with("{\"items\":[{")) << json;
  EXPECT_TRUE(json.ends_with("}]}\n")) << json;
  EXPECT_TRUE(run({"describe", job_id(1), "-o", "yaml"}).out.starts_with("jobId: "));
}

class actors : public cli_fixture {};

TEST_F(actors, graph_in_all_formats) {
  argosy::v1::GetGraphResponse graph;
  auto& actor = *graph.add_actors();
  actor.set_name("argosy.queue");
  actor.set_instances(2);
  actor.set_messages(4);
  actor.set_waiting_ns(8'000);
  auto& flow = *graph.add_flows();
  flow.set_from("argosy.gateway");
  flow.set_to("argosy.queue");
  flow.set_message("submit");
  flow.set_count(4);
  server->always("Trace.GetGraph", graph);
  EXPECT_NE(run({"actors", "graph"}).out.find("2.0 us"), std::string::npos);
  const auto mermaid = run({"actors", "graph", "-o", "mermaid"}).out;
  EXPECT_TRUE(mermaid.starts_with("flowchart")) << mermaid;
  EXPECT_NE(mermaid.find("submit"), std::string::npos);
  EXPECT_NE(run({"actors", "graph", "-o", "dot"}).out.find("digraph"), std::string::npos);
  EXPECT_NE(run({"actors", "graph", "-o", "json"}).out.find("\"count\":\"4\""), std::string::npos);
}

}  // namespace argosy::ctl
