// SPDX-License-Identifier: Apache-2.0
// Goal: wait and watch end when they should, with the documented codes, and lose or repeat no event
// when the connection breaks. Method: the whole command line against scripted event streams.
#include <fmt/format.h>

#include "tests/unit/argosyctl/cli_fixture.hpp"

namespace argosy::ctl {

using api::JobState;

class wait_verb : public cli_fixture {
 protected:
  wait_verb() { serve_jobs(); }
};

TEST_F(wait_verb, returns_at_once_for_jobs_that_are_over) {
  add_job(job_id(1), JobState::SUCCEEDED);
  const auto got = run({"wait", job_id(1)});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out, "job/" + job_id(1) + " succeeded\n");
  EXPECT_EQ(server->calls("Event.GetJobSetEvents"), 0);
}

TEST_F(wait_verb, has_a_code_for_every_end) {
  const std::vector<std::pair<JobState, int>> ends{{JobState::FAILED, 10},
                                                   {JobState::CANCELLED, 11},
                                                   {JobState::PREEMPTED, 12},
                                                   {JobState::REJECTED, 13}};
  int number = 0;
  for (const auto& [state, code] : ends) {
    const auto id = job_id(++number);
    add_job(id, JobState::RUNNING);
    add_event(id, JobState::RUNNING);
    add_event(id, state, true);
    EXPECT_EQ(static_cast<int>(run({"wait", id}).code), code);
  }
}

TEST_F(wait_verb, several_jobs_give_the_first_code_in_argument_order) {
  add_job(job_id(1), JobState::SUCCEEDED);
  add_job(job_id(2), JobState::RUNNING);
  add_job(job_id(3), JobState::FAILED).set_reason("exit 3");
  add_event(job_id(2), JobState::RUNNING);
  add_event(job_id(2), JobState::CANCELLED, true);
  const auto got = run({"wait", job_id(1), job_id(2), job_id(3)});
  EXPECT_EQ(got.code, exit_code::job_cancelled);
  EXPECT_EQ(got.out, fmt::format("job/{} succeeded\njob/{} failed (exit 3)\njob/{} cancelled\n",
                                 job_id(1), job_id(3), job_id(2)));
}

TEST_F(wait_verb, any_ends_with_the_first) {
  add_job(job_id(1), JobState::RUNNING);
  add_job(job_id(2), JobState::RUNNING);
  add_event(job_id(1), JobState::RUNNING);
  add_event(job_id(2), JobState::FAILED, true);
  EXPECT_EQ(run({"wait", job_id(1), job_id(2), "--any"}).code, exit_code::job_failed);
}

TEST_F(wait_verb, goals_on_the_way_are_reached_even_if_the_job_then_fails) {
  add_job(job_id(1), JobState::FAILED).set_started_ns(5);
  jobs.back().set_run(1);
  EXPECT_EQ(run({"wait", job_id(1), "--for=running"}).code, exit_code::success);
  EXPECT_EQ(run({"wait", job_id(1), "--for=scheduled"}).code, exit_code::success);
  EXPECT_EQ(run({"wait", job_id(1), "--for=failed"}).code, exit_code::success);
  EXPECT_EQ(run({"wait", job_id(1), "--for=any"}).code, exit_code::success);
  EXPECT_EQ(run({"wait", job_id(1), "--for=succeeded"}).code, exit_code::job_failed);
  add_job(job_id(2), JobState::CANCELLED);
  EXPECT_EQ(run({"wait", job_id(2), "--for=running"}).code, exit_code::job_cancelled);
}

TEST_F(wait_verb, times_out) {
  add_job(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::QUEUED);
  const auto got = run({"wait", job_id(1), "--timeout", "20ms"});
  EXPECT_EQ(got.code, exit_code::timed_out);
  EXPECT_NE(got.err.find("1 of 1 jobs"), std::string::npos);
}

TEST_F(wait_verb, a_retried_failure_is_not_the_end) {
  add_job(job_id(1), JobState::RUNNING);
  add_event(job_id(1), JobState::RUNNING);
  add_event(job_id(1), JobState::FAILED, true);
  server->later.back().mutable_message()->mutable_failed()->set_retryable(true);
  add_event(job_id(1), JobState::LEASED, true);
  add_event(job_id(1), JobState::SUCCEEDED, true);
  EXPECT_EQ(run({"wait", job_id(1)}).code, exit_code::success);
}

TEST_F(wait_verb, a_job_set_with_all_its_jobs) {
  add_job(job_id(1), JobState::FAILED);
  add_job(job_id(2), JobState::SUCCEEDED);
  add_job(job_id(3), JobState::SUCCEEDED, "a", "other");
  EXPECT_EQ(run({"wait", "-q", "a", "--jobset", "s", "-o", "name"}).out,
            fmt::format("job/{}\njob/{}\n", job_id(1), job_id(2)));
  EXPECT_EQ(run({"wait", "-q", "a", "--jobset", "s"}).code, exit_code::job_failed);
  EXPECT_EQ(run({"wait", "-q", "a", "--jobset", "none"}).code, exit_code::not_found);
  EXPECT_EQ(run({"wait", "-q", "a"}).code, exit_code::success);
}

TEST_F(wait_verb, an_interruption_prints_no_details) {
  add_job(job_id(1), JobState::RUNNING);
  add_event(job_id(1), JobState::RUNNING);
  interrupted = true;
  const auto got = run({"wait", job_id(1), "-o", "json"});
  EXPECT_EQ(got.code, exit_code::interrupted);
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(server->calls("Jobs.GetJobDetails"), 0);
}

class watch_verb : public cli_fixture {
 protected:
  watch_verb() { serve_jobs(); }
};

TEST_F(watch_verb, prints_the_past_and_then_what_happens_until_all_is_done) {
  add_job(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::LEASED, true);
  add_event(job_id(1), JobState::FAILED, true, "exit code 3\x1b");
  const auto got = run({"watch", "a", "s", "--until=done"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out, fmt::format("22:13:20.000  {0}  queued\n"
                                 "22:13:20.000  {0}  leased          to \n"
                                 "22:13:20.000  {0}  failed          exit code 3\\u{{1b}}\n",
                                 job_id(1)));
}

TEST_F(watch_verb, goes_on_after_a_broken_connection_without_gap_or_repetition) {
  add_job(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::LEASED);
  add_event(job_id(1), JobState::RUNNING);
  add_event(job_id(1), JobState::SUCCEEDED, true);
  server->breaks = 3;
  const auto got = run({"watch", "-q", "a", "--jobset", "s", "--until=done", "-o", "jsonl"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  std::string ids;
  for (std::size_t at = 0; (at = got.out.find("\"id\":\"e", at)) != std::string::npos; ++at)
    ids += got.out.substr(at + 7, 1);
  EXPECT_EQ(ids, "1234");
}

TEST_F(watch_verb, from_now_leaves_out_the_past) {
  add_job(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::SUCCEEDED, true);
  const auto got = run({"watch", "a", "s", "--from=now", "--until=done", "-o", "jsonl"});
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 1);
  EXPECT_NE(got.out.find("succeeded"), std::string::npos);
}

TEST_F(watch_verb, only_the_named_jobs) {
  add_job(job_id(1), JobState::QUEUED);
  add_job(job_id(2), JobState::QUEUED);
  add_event(job_id(1), JobState::QUEUED);
  add_event(job_id(2), JobState::SUCCEEDED);
  add_event(job_id(1), JobState::SUCCEEDED);
  const auto got = run({"watch", job_id(1), "--until=done"});
  EXPECT_EQ(got.out.find(job_id(2)), std::string::npos);
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 2);
}

TEST_F(watch_verb, an_unknown_job_set_is_not_found) {
  EXPECT_EQ(run({"watch", "a", "nowhere"}).code, exit_code::not_found);
}

TEST_F(watch_verb, ends_when_nobody_reads_any_more) {
  add_job(job_id(1), api::JobState::QUEUED);
  serve_jobs();
  add_event(job_id(1), api::JobState::QUEUED);
  bool gone = false;
  server->before = [&](std::string_view) { gone = true; };
  reader_gone = [&] { return gone; };
  const auto got = run({"watch", job_id(1)});
  EXPECT_EQ(got.code, exit_code::reader_gone);
  EXPECT_EQ(got.err, "");
}

}  // namespace argosy::ctl
