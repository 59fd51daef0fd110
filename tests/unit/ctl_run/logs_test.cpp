// SPDX-License-Identifier: Apache-2.0
// Goal: logs shows what jobs wrote, byte by byte or by lines, and what it waits for. Method: the
// whole command line against a scripted server.
#include <fmt/format.h>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

class logs : public cli_fixture {
 protected:
  void serve_log(const std::string& text, std::size_t step, bool ends = true) {
    server->on<argosy::v1::ReadLogRequest, argosy::v1::ReadLogResponse>(
        "Logs.Read", [=](const argosy::v1::ReadLogRequest& request) {
          argosy::v1::ReadLogResponse out;
          const auto from = std::min<std::size_t>(request.offset(), text.size());
          out.set_data(text.substr(from, step));
          out.set_next_offset(from + out.data().size());
          out.set_end(ends && out.next_offset() == text.size());
          out.set_run(2);
          return result<argosy::v1::ReadLogResponse>{out};
        });
  }
};

TEST_F(logs, are_exact_in_a_pipe_and_harmless_on_a_terminal) {
  add_job(job_id(1), api::JobState::SUCCEEDED);
  serve_jobs();
  serve_log("one\x1b[2J\ntwo\xff\nthree", 4);
  EXPECT_EQ(run({"logs", job_id(1)}).out, "one\x1b[2J\ntwo\xff\nthree");
  EXPECT_EQ(run({"logs", job_id(1), "-f"}).out, "one\x1b[2J\ntwo\xff\nthree");
  where.out_is_terminal = true;
  EXPECT_EQ(run({"logs", job_id(1), "--tail", "2"}).out, "two\\xff\nthree\n");
}

TEST_F(logs, tail_grep_and_prefix_work_on_lines) {
  add_job(job_id(1), api::JobState::RUNNING);
  serve_jobs();
  serve_log("a1\nb2\na3\nb4\n", 5, false);
  EXPECT_EQ(run({"logs", job_id(1), "--tail", "3"}).out, "b2\na3\nb4\n");
  EXPECT_EQ(run({"logs", job_id(1), "--tail", "0"}).out, "");
  EXPECT_EQ(run({"logs", job_id(1), "--grep", "a"}).out, "a1\na3\n");
  EXPECT_EQ(run({"logs", job_id(1), "--grep", "4", "--prefix"}).out, job_id(1) + " b4\n");
}

TEST_F(logs, go_to_the_stream_that_the_job_wrote_to) {
  add_job(job_id(1), api::JobState::SUCCEEDED);
  serve_jobs();
  argosy::v1::ReadLogResponse log;
  log.set_data("a1\nBAD 2\na3\nBAD");
  log.set_next_offset(log.data().size());
  log.set_end(true);
  for (const auto turn : {3u, 9u, 12u}) log.add_turns(turn);
  server->always("Logs.Read", log);
  const auto all = run({"logs", job_id(1)});
  EXPECT_EQ(all.out, "a1\na3\n");
  EXPECT_EQ(all.err, "BAD 2\nBAD");
  const auto last = run({"logs", job_id(1), "--tail", "2", "--prefix"});
  EXPECT_EQ(last.out, job_id(1) + " a3\n");
  EXPECT_EQ(last.err, job_id(1) + " BAD\n");
}

TEST_F(logs, of_pods_are_asked_for_as_kubectl_asks) {
  add_job(job_id(1), api::JobState::RUNNING);
  serve_jobs();
  argosy::v1::ReadLogResponse log;
  log.set_data("last\n");
  log.set_next_offset(5);
  log.set_position("here");
  log.set_end(true);
  server->always("Logs.Read", log);
  const auto done =
      run({"logs", job_id(1), "--container", "side", "--tail", "5", "--since", "2026-11-20"});
  EXPECT_EQ(done.out, "last\n");
  const auto asked = server->nth<argosy::v1::ReadLogRequest>("Logs.Read");
  EXPECT_EQ(asked.container(), "side");
  EXPECT_EQ(asked.tail_lines(), 5u);
  EXPECT_EQ(asked.since_ns(), 1'795'132'800'000'000'000);
  EXPECT_FALSE(asked.follow());
  EXPECT_EQ(run({"logs", job_id(1), "--since", "yesterday"}).code, exit_code::usage);
}

TEST_F(logs, that_have_no_times_and_no_containers_are_not_taken_for_others) {
  add_job(job_id(1), api::JobState::RUNNING);
  serve_jobs();
  serve_log("a\n", 100);
  EXPECT_EQ(run({"logs", job_id(1), "--since", "1h"}).code, exit_code::usage);
  EXPECT_EQ(run({"logs", job_id(1), "--container", "side"}).code, exit_code::usage);
}

TEST_F(logs, of_which_some_is_gone_say_so_with_a_code_of_their_own) {
  add_job(job_id(1), api::JobState::SUCCEEDED);
  serve_jobs();
  argosy::v1::ReadLogResponse log;
  log.set_data("rest\n");
  log.set_next_offset(5);
  log.set_position("here");
  log.set_lost("what was written at noon is missing");
  log.set_end(true);
  server->always("Logs.Read", log);
  for (const bool follow : {false, true}) {
    const auto done = follow ? run({"logs", job_id(1), "-f"}) : run({"logs", job_id(1)});
    EXPECT_EQ(done.code, exit_code::incomplete);
    EXPECT_EQ(done.out, "rest\n");
    EXPECT_NE(done.err.find("at noon is missing"), std::string::npos) << done.err;
  }
}

TEST_F(logs, of_the_run_before) {
  add_job(job_id(1), api::JobState::RUNNING).set_run(3);
  add_job(job_id(2), api::JobState::RUNNING).set_run(1);
  serve_jobs();
  serve_log("x\n", 100);
  EXPECT_EQ(run({"logs", job_id(1), "--previous"}).out, "x\n");
  EXPECT_EQ(server->nth<argosy::v1::ReadLogRequest>("Logs.Read").run(), 2);
  EXPECT_EQ(run({"logs", job_id(2), "--previous"}).code, exit_code::not_found);
}

TEST_F(logs, of_several_jobs_come_one_after_the_other) {
  add_job(job_id(1), api::JobState::SUCCEEDED);
  add_job(job_id(2), api::JobState::SUCCEEDED);
  serve_jobs();
  serve_log("one\ntwo\n", 3);
  EXPECT_EQ(run({"logs", job_id(1), job_id(2), "--prefix"}).out,
            fmt::format("{0} one\n{0} two\n{1} one\n{1} two\n", job_id(1), job_id(2)));
}

TEST_F(logs, are_followed_no_longer_than_may_be) {
  add_job(job_id(1), api::JobState::QUEUED);
  serve_jobs();
  server->always("Logs.Read", argosy::v1::ReadLogResponse{});
  const auto got = run({"logs", "-f", job_id(1), "--timeout", "10ms"});
  EXPECT_EQ(got.code, exit_code::timed_out);
  EXPECT_EQ(got.err,
            "error: timed out: the job is still queued\n"
            "the jobs go on; the same command follows their output again\n");
}

TEST_F(logs, that_are_followed_say_why_nothing_comes) {
  add_job(job_id(1), api::JobState::QUEUED).set_reason("JOB_DOES_NOT_FIT");
  serve_jobs();
  server->always("Logs.Read", argosy::v1::ReadLogResponse{});
  argosy::v1::DescribeJobResponse described;
  described.add_reason_lines("the job fits on no node");
  server->always("Query.DescribeJob", described);
  const auto queued = run({"logs", "-f", job_id(1), "--timeout", "500ms"});
  EXPECT_NE(queued.err.find("timed out: the job is still queued: the job fits on no node"),
            std::string::npos)
      << queued.err;
  server->before = [this](std::string_view method) {
    if (method == "Logs.Read") jobs[0].set_state(api::JobState::RUNNING);
  };
  jobs[0].clear_reason();
  const auto running = run({"logs", "-f", job_id(1), "--timeout", "500ms"});
  EXPECT_NE(running.err.find("timed out: the job is still running\n"), std::string::npos)
      << running.err;
}

TEST_F(logs, that_are_followed_say_when_interrupted_how_to_go_on) {
  add_job(job_id(1), api::JobState::RUNNING);
  serve_jobs();
  server->always("Logs.Read", argosy::v1::ReadLogResponse{});
  server->before = [this](std::string_view method) { interrupted = method == "Logs.Read"; };
  const auto got = run({"logs", "-f", job_id(1)});
  EXPECT_EQ(got.code, exit_code::interrupted);
  EXPECT_EQ(got.err, "the jobs go on; the same command follows their output again\n");
}

TEST_F(logs, that_are_followed_wait_for_an_agent_that_is_away) {
  add_job(job_id(1), api::JobState::RUNNING).set_run(1);
  serve_jobs();
  server->refuse("Logs.Read", {ec::unavailable, "cluster 'far' has not been heard for 20 s"});
  const auto away = run({"logs", "-f", job_id(1), "--timeout", "500ms"});
  EXPECT_EQ(away.code, exit_code::timed_out);
  EXPECT_GT(server->calls("Logs.Read"), 1U);
  EXPECT_EQ(away.err,
            "cluster 'far' has not been heard for 20 s\n"
            "error: timed out\n"
            "the jobs go on; the same command follows their output again\n");
  server->answers_left = 1;  // That to the list of jobs.
  EXPECT_EQ(run({"logs", "-f", job_id(1), "--timeout", "10ms"}).code, exit_code::timed_out)
      << "an answer that does not come is not waited for";
}

TEST_F(logs, of_a_process_of_which_bytes_were_not_kept_end_with_that_code) {
  add_job(job_id(1), api::JobState::SUCCEEDED);
  serve_jobs();
  argosy::v1::ReadLogResponse log;
  log.set_data("[a gap]\nend\n");
  log.set_next_offset(5'000);
  log.set_end(true);
  server->always("Logs.Read", log);
  EXPECT_EQ(run({"logs", job_id(1)}).code, exit_code::incomplete);
  EXPECT_EQ(run({"logs", job_id(1), "-f"}).code, exit_code::incomplete);
}

TEST_F(logs, of_a_silent_cluster_hide_no_others) {
  auto& silent = add_job(job_id(1), api::JobState::RUNNING);
  silent.set_cluster_silent(true);
  silent.set_run(1);
  add_job(job_id(2), api::JobState::SUCCEEDED);
  serve_jobs();
  server->on<argosy::v1::ReadLogRequest, argosy::v1::ReadLogResponse>(
      "Logs.Read",
      [](const argosy::v1::ReadLogRequest& request) -> result<argosy::v1::ReadLogResponse> {
        if (request.job_id() == job_id(1))
          return fail(ec::unavailable, "cluster 'far' has not been heard for 20 s");
        argosy::v1::ReadLogResponse out;
        out.set_data("two\n");
        out.set_next_offset(4);
        out.set_position("here");
        out.set_lost("some is gone");
        out.set_end(true);
        return out;
      });
  const auto got = run({"logs", job_id(1), job_id(2)});
  EXPECT_EQ(got.code, exit_code::unreachable) << "that weighs more than a gap";
  EXPECT_EQ(got.out, "two\n");
  EXPECT_EQ(got.err, "error: job " + job_id(1) +
                         ": cluster 'far' has not been heard for 20 s\nerror: job " + job_id(2) +
                         ": some is gone\n");
  EXPECT_EQ(server->calls("Logs.Read"), 2U) << "it is not asked until it is heard";
}

TEST_F(logs, of_a_cluster_that_is_away_are_read_while_its_agent_answers) {
  auto& silent = add_job(job_id(1), api::JobState::RUNNING);
  silent.set_cluster_silent(true);
  silent.set_run(1);
  serve_jobs();
  serve_log("words\n", 100);
  const auto got = run({"logs", job_id(1)});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out, "words\n");
}

TEST_F(logs, of_a_job_that_never_ran_are_not_found) {
  add_job(job_id(1), api::JobState::CANCELLED);
  serve_jobs();
  server->refuse("Logs.Read", {ec::not_found, "the job has no run"});
  EXPECT_EQ(run({"logs", job_id(1), "-f"}).code, exit_code::not_found);
}

TEST_F(logs, of_a_job_that_has_not_run_yet_are_empty_with_a_word) {
  add_job(job_id(1), api::JobState::QUEUED);
  serve_jobs();
  server->always("Logs.Read", argosy::v1::ReadLogResponse{});
  const auto got = run({"logs", job_id(1)});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out, "");
  EXPECT_NE(got.err.find("has not run yet"), std::string::npos) << got.err;
}

}  // namespace argosy::ctl
