// SPDX-License-Identifier: Apache-2.0
// Goal: wait ends when it should, with the documented codes, prints what a person or a script can
// use, and says meanwhile why nothing happens. Method: the whole command line against scripted
// listings and event streams.
#include <fmt/format.h>

#include "tests/support/cli/cli_fixture.hpp"

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
  EXPECT_NE(got.err.find("timed out: the job is still queued"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("the jobs go on"), std::string::npos) << got.err;
}

TEST_F(wait_verb, an_interruption_says_how_to_go_on) {
  add_job(job_id(1), JobState::RUNNING);
  add_event(job_id(1), JobState::RUNNING);
  server->before = [this](std::string_view method) {
    interrupted = method == "Query.ListJobs" && server->calls("Query.ListJobs") > 1;
  };
  const auto got = run({"wait", job_id(1)});
  EXPECT_EQ(got.code, exit_code::interrupted);
  EXPECT_EQ(got.err, "the jobs go on; the same command waits for them again\n");
}

TEST_F(wait_verb, says_that_nothing_is_known_of_a_run_on_a_silent_cluster) {
  auto& job = add_job(job_id(1), JobState::RUNNING);
  job.set_cluster("far");
  job.set_cluster_silent(true);
  argosy::v1::DescribeJobResponse described;
  described.add_reason_lines("cluster 'far', where it runs, has not been heard for 20 s");
  server->always("Query.DescribeJob", described);
  const auto got = run({"wait", job_id(1), "--timeout", "20ms"});
  EXPECT_NE(got.err.find("timed out: the job is still running: cluster 'far', where it runs, has "
                         "not been heard for 20 s"),
            std::string::npos)
      << got.err;
}

TEST_F(wait_verb, says_why_a_job_is_not_there_yet) {
  add_job(job_id(1), JobState::QUEUED).set_reason("no node has room for it now");
  argosy::v1::DescribeJobResponse described;
  described.add_reason_lines("the job fits on no node");
  server->always("Query.DescribeJob", described);
  const auto got = run({"wait", job_id(1), "--timeout", "20ms"});
  EXPECT_NE(got.err.find("timed out: the job is still queued: the job fits on no node"),
            std::string::npos)
      << got.err;
}

TEST_F(wait_verb, counts_the_jobs_that_are_not_there_yet) {
  add_job(job_id(1), JobState::QUEUED).set_reason("no room");
  add_job(job_id(2), JobState::RUNNING);
  add_job(job_id(3), JobState::SUCCEEDED);
  const auto got = run({"wait", "-q", "a", "--jobset", "s", "--timeout", "20ms"});
  EXPECT_NE(got.err.find("2 of 3 jobs have not come that far yet (1 running, 1 queued: no room)"),
            std::string::npos)
      << got.err;
}

TEST_F(wait_verb, shows_on_a_terminal_how_far_it_is) {
  where.err_is_terminal = true;
  add_job(job_id(1), JobState::QUEUED).set_reason("no\x1b room");
  const auto got = run({"wait", job_id(1), "--timeout", "300ms"});
  EXPECT_NE(got.err.find("0/1 done · 1 queued"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("waiting: no\\u{1b} room"), std::string::npos) << got.err;
}

TEST_F(wait_verb, hears_of_an_end_that_no_event_told) {
  add_job(job_id(1), JobState::RUNNING);
  int asked = 0;
  server->before = [&](std::string_view method) {
    if (method == "Query.ListJobs" && ++asked == 2) jobs[0].set_state(JobState::FAILED);
  };
  EXPECT_EQ(run({"wait", job_id(1), "--timeout", "20s"}).code, exit_code::job_failed);
}

TEST_F(wait_verb, reads_no_history) {
  add_job(job_id(1), JobState::RUNNING);
  for (int i = 0; i < 50; ++i) add_event(job_id(1), JobState::RUNNING);
  add_event(job_id(1), JobState::SUCCEEDED, true);
  EXPECT_EQ(run({"wait", job_id(1)}).code, exit_code::success);
  ASSERT_EQ(server->calls("Event.GetJobSetEvents"), 1);
  EXPECT_EQ(server->nth<api::JobSetRequest>("Event.GetJobSetEvents").from_message_id(),
            "50:4294967295:0:1:0000000000000000");
}

TEST_F(wait_verb, reads_the_history_when_the_position_is_not_known) {
  add_job(job_id(1), JobState::RUNNING);
  add_event(job_id(1), JobState::SUCCEEDED);
  server->refuse("Query.GetVersion", {ec::internal, "no"});
  EXPECT_EQ(run({"wait", job_id(1)}).code, exit_code::success);
}

TEST_F(wait_verb, takes_more_jobs_than_one_request_may_name) {
  std::string ids;
  for (int i = 0; i < 1'200; ++i) {
    add_job(job_id(i), i == 700 ? JobState::FAILED : JobState::SUCCEEDED);
    ids += "job/" + job_id(i) + "\n";
  }
  ids_max = 500;
  const auto got = run({"wait", "-", "-o", "name"}, ids);
  EXPECT_EQ(got.code, exit_code::job_failed) << got.err;
  EXPECT_EQ(got.out, ids);
  EXPECT_EQ(server->calls("Query.ListJobs"), 10) << "three requests and their further pages";
}

TEST_F(wait_verb, halves_its_requests_for_a_server_that_takes_less) {
  std::string ids;
  for (int i = 0; i < 600; ++i) {
    add_job(job_id(i), JobState::SUCCEEDED);
    ids += job_id(i) + "\n";
  }
  ids_max = 100;
  const auto got = run({"wait", "-", "-o", "name"}, ids);
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 600);
}

TEST_F(wait_verb, an_unknown_job_among_very_many_is_named) {
  std::string ids;
  for (int i = 0; i < 600; ++i) {
    if (i != 555) add_job(job_id(i), JobState::SUCCEEDED);
    ids += job_id(i) + "\n";
  }
  const auto got = run({"wait", "-"}, ids);
  EXPECT_EQ(got.code, exit_code::not_found);
  EXPECT_NE(got.err.find(job_id(555)), std::string::npos) << got.err;
}

TEST_F(wait_verb, more_job_sets_than_streams_are_read_in_turns) {
  for (int i = 0; i < 300; ++i) add_job(job_id(i), JobState::RUNNING, "a", fmt::format("s{}", i));
  for (int i = 0; i < 300; ++i)
    add_event(job_id(i), i == 7 ? JobState::CANCELLED : JobState::SUCCEEDED, true);
  const auto got = run({"wait", "-q", "a", "--quiet"});
  EXPECT_EQ(got.code, exit_code::job_cancelled) << got.err;
  EXPECT_EQ(got.out, "");
}

TEST_F(wait_verb, of_very_many_jobs_prints_only_what_matters) {
  for (int i = 0; i < 500; ++i)
    add_job(job_id(i), i % 100 == 3 ? JobState::FAILED : JobState::SUCCEEDED).set_reason("exit 1");
  const std::vector<std::string> words{"wait", "-q", "a", "--jobset", "s"};
  auto got = run(words);
  EXPECT_EQ(got.code, exit_code::job_failed);
  std::string expected;
  for (int i = 3; i < 500; i += 100) expected += "job/" + job_id(i) + " failed (exit 1)\n";
  EXPECT_EQ(got.out, expected + "500 jobs: 495 succeeded, 5 failed\n");
  const auto with = [&](const std::string& flag) {
    auto more = words;
    more.push_back(flag);
    const auto out = run(more).out;
    return std::count(out.begin(), out.end(), '\n');
  };
  EXPECT_EQ(with("-v"), 500);
  EXPECT_EQ(with("--quiet"), 0);
  EXPECT_EQ(with("--output=name"), 500) << "scripts rely on it";
}

TEST_F(wait_verb, bad_ends_are_counted_when_there_are_very_many) {
  for (int i = 0; i < 200; ++i) add_job(job_id(i), JobState::CANCELLED);
  const auto got = run({"wait", "-q", "a", "--jobset", "s"});
  EXPECT_NE(got.out.find("and 180 more; -v prints a line for every job\n200 jobs: 200 cancelled\n"),
            std::string::npos)
      << got.out;
}

TEST_F(wait_verb, finds_the_only_queue_of_a_job_set) {
  add_job(job_id(1), JobState::SUCCEEDED);
  serve_job_sets();
  EXPECT_EQ(run({"wait", "--jobset", "s"}).code, exit_code::success);
  EXPECT_EQ(run({"wait", "--jobset", "none"}).code, exit_code::not_found);
  add_job(job_id(2), JobState::SUCCEEDED, "b");
  const auto several = run({"wait", "--jobset", "s"});
  EXPECT_EQ(several.code, exit_code::usage);
  EXPECT_NE(several.err.find("several queues have a job set 's': a, b; name one with --queue"),
            std::string::npos)
      << several.err;
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

}  // namespace argosy::ctl
