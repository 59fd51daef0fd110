// SPDX-License-Identifier: Apache-2.0
// Goal: watch shows every event once, from where it was asked to, and ends when it should. Method:
// the whole command line against scripted event streams that break.
#include <fmt/format.h>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using api::JobState;

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

TEST_F(watch_verb, tells_people_once_that_a_job_was_preempted) {
  add_job(job_id(1), JobState::RUNNING);
  add_job(job_id(2), JobState::RUNNING);
  add_event(job_id(1), JobState::RUNNING);
  add_event(job_id(2), JobState::RUNNING);
  add_event(job_id(1), JobState::PREEMPTED, true, "by a job");
  add_event(job_id(1), JobState::FAILED, true, "by a job");
  add_event(job_id(2), JobState::FAILED, true, "it failed");
  const auto got = run({"watch", "a", "s", "--until=done"});
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 4) << got.out;
  EXPECT_NE(got.out.find("preempted"), std::string::npos);
  EXPECT_NE(got.out.find("it failed"), std::string::npos);
  const auto all = run({"watch", "a", "s", "--until=done", "-o", "jsonl"});
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 5) << "programs get every event";
}

TEST_F(watch_verb, from_now_leaves_out_the_past) {
  add_job(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::SUCCEEDED, true);
  const auto got = run({"watch", "a", "s", "--from=now", "--until=done", "-o", "jsonl"});
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 1);
  EXPECT_NE(got.out.find("succeeded"), std::string::npos);
}

TEST_F(watch_verb, of_no_job_ends_at_once) {
  const auto got = run({"watch", "-"}, "\n");
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_NE(got.err.find("there is no job to watch"), std::string::npos) << got.err;
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

TEST_F(watch_verb, waits_for_the_first_job_of_a_set) {
  add_job(job_id(1), JobState::QUEUED);
  add_event(job_id(1), JobState::SUCCEEDED, true);
  const auto early = jobs;
  jobs.clear();
  const auto got = run({"watch", "a", "s", "--until=done"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.err, "job set 's' of queue 'a' has no jobs yet; waiting for the first\n");
  EXPECT_NE(got.out.find("succeeded"), std::string::npos);
}

TEST_F(watch_verb, waits_no_longer_than_it_may) {
  const auto got = run({"watch", "a", "nowhere", "--timeout", "10ms"});
  EXPECT_EQ(got.code, exit_code::timed_out);
  EXPECT_NE(got.err.find("timed out"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("the same command watches them again"), std::string::npos) << got.err;
}

TEST_F(watch_verb, says_why_nothing_happens) {
  add_job(job_id(1), JobState::QUEUED).set_reason("JOB_DOES_NOT_FIT");
  add_event(job_id(1), JobState::QUEUED);
  argosy::v1::DescribeJobResponse described;
  described.add_reason_lines("the job fits on no node");
  server->always("Query.DescribeJob", described);
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"watch", "a", "s"}, {"watch", job_id(1)}}) {
    auto with_limit = words;
    with_limit.insert(with_limit.end(), {"--timeout", "600ms"});
    const auto got = run(with_limit);
    EXPECT_EQ(got.code, exit_code::timed_out);
    EXPECT_NE(got.err.find("timed out: the job is still queued: the job fits on no node"),
              std::string::npos)
        << got.err;
  }
}

TEST_F(watch_verb, an_interruption_says_how_to_go_on) {
  add_job(job_id(1), JobState::RUNNING);
  add_event(job_id(1), JobState::RUNNING);
  server->delivered = [this](const event_text&) { interrupted = true; };
  const auto past = run({"watch", "a", "s", "--timeout", "10ms"});
  EXPECT_NE(past.err.find("the jobs go on; what comes next is shown by the same command with "
                          "--from=e1"),
            std::string::npos)
      << past.err;
  interrupted = true;
  const auto nothing_seen = run({"watch", "a", "s", "--from=now"});
  EXPECT_EQ(nothing_seen.code, exit_code::interrupted);
  EXPECT_EQ(nothing_seen.err, "the jobs go on; the same command watches them again\n");
}

TEST_F(watch_verb, from_now_reads_no_history) {
  add_job(job_id(1), JobState::RUNNING);
  for (int i = 0; i < 20; ++i) add_event(job_id(1), JobState::RUNNING);
  add_event(job_id(1), JobState::SUCCEEDED, true);
  const auto got = run({"watch", "a", "s", "--from=now", "--until=done"});
  EXPECT_EQ(got.code, exit_code::success);
  ASSERT_EQ(server->calls("Event.GetJobSetEvents"), 1) << "the past is not even asked for";
  const auto sent = server->nth<api::JobSetRequest>("Event.GetJobSetEvents");
  EXPECT_TRUE(sent.watch());
  EXPECT_EQ(sent.from_message_id(), "20:4294967295:0:1:0000000000000000");
}

TEST_F(watch_verb, from_now_knows_the_jobs_that_are_not_over) {
  add_job(job_id(1), JobState::RUNNING);
  add_job(job_id(2), JobState::RUNNING);
  add_event(job_id(1), JobState::SUCCEEDED, true);
  add_event(job_id(2), JobState::SUCCEEDED, true);
  const auto got = run({"watch", "a", "s", "--from=now", "--until=done"});
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 2);
  EXPECT_EQ(run({"watch", job_id(1), "--from=now", "--timeout", "5ms"}).code, exit_code::timed_out);
}

TEST_F(watch_verb, from_now_ends_at_once_when_all_are_over) {
  add_job(job_id(1), JobState::SUCCEEDED);
  add_event(job_id(1), JobState::SUCCEEDED);
  EXPECT_EQ(run({"watch", "a", "s", "--from=now", "--until=done"}).code, exit_code::success);
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
