// SPDX-License-Identifier: Apache-2.0
// Goal: `run` is like a command of the shell: its output goes to stdout and nothing else does, its
// exit code is the command's, and whoever stops it learns how to go on. Method: the whole command
// line against a scripted server that runs the job as the test says.
#include <gmock/gmock.h>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class run_verb : public cli_fixture {
 protected:
  using read_request = argosy::v1::ReadLogRequest;
  using read_response = argosy::v1::ReadLogResponse;

  run_verb() {
    serve_jobs();
    server->on<api::JobSubmitRequest, api::JobSubmitResponse>(
        "Submit.SubmitJobs",
        [this](const api::JobSubmitRequest& request) -> result<api::JobSubmitResponse> {
          api::JobSubmitResponse out;
          out.add_job_response_items()->set_job_id(job_id(1));
          auto& job =
              add_job(job_id(1), api::JobState::QUEUED, request.queue(), request.job_set_id());
          if (on_submit) on_submit(job);
          return out;
        });
    server->on<read_request, read_response>(
        "Logs.Read", [this](const read_request& request) -> result<read_response> {
          const auto& text = output[request.run()];
          read_response out;
          out.set_run(request.run());
          out.set_data(text.substr(std::min<std::size_t>(request.offset(), text.size())));
          out.set_next_offset(text.size());
          out.mutable_turns()->Assign(turns.begin(), turns.end());
          out.set_end(true);
          return out;
        });
  }
  /// The job ends as soon as it is submitted.
  void ends(api::JobState state, int code = 0) {
    on_submit = [state, code](argosy::v1::JobSummary& job) {
      job.set_state(state);
      job.set_run(1);
      job.set_has_exit_code(state != api::JobState::CANCELLED);
      job.set_exit_code(code);
      job.set_reason("it did so");
    };
  }
  api::JobSubmitRequestItem sent() const {
    return server->nth<api::JobSubmitRequest>("Submit.SubmitJobs").job_request_items(0);
  }

  std::function<void(argosy::v1::JobSummary&)> on_submit;
  std::map<std::uint32_t, std::string> output{{1, "hello\n"}};
  std::vector<std::uint32_t> turns;
};

TEST_F(run_verb, prints_the_output_alone_and_ends_with_zero) {
  ends(api::JobState::SUCCEEDED);
  const auto done = run({"run", "-q", "a", "--cpu", "500m", "--memory", "64Mi", "--env", "X=1=2",
                         "--", "sh", "-c", "echo hello"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "hello\n");
  EXPECT_THAT(done.err, HasSubstr("job/" + job_id(1) + " submitted"));
  const auto request = server->nth<api::JobSubmitRequest>("Submit.SubmitJobs");
  EXPECT_EQ(request.queue(), "a");
  EXPECT_EQ(request.job_set_id(), "main");
  const auto item = sent();
  const auto& container = item.pod_spec().containers(0);
  EXPECT_THAT(container.command(), ElementsAre("sh", "-c", "echo hello"));
  EXPECT_EQ(container.env(0).value(), "1=2");
}

TEST_F(run_verb, says_that_the_job_gets_nothing_of_what_is_piped_to_it) {
  ends(api::JobState::SUCCEEDED);
  EXPECT_THAT(run({"run", "-q", "a", "--", "cat"}).err, Not(HasSubstr("standard input")));
  where.in_has_data = true;
  EXPECT_THAT(run({"run", "-q", "a", "--", "cat"}).err, HasSubstr("its standard input is empty"));
}

TEST_F(run_verb, sends_what_was_typed_also_where_a_pod_spec_has_variables) {
  ends(api::JobState::SUCCEEDED);
  ASSERT_EQ(run({"run", "-q", "a", "--env", "P=$(X)$$", "--", "printf", "a$$b", "$(ARGOSY_QUEUE)",
                 "$$(HOME)", "$x", "$", "$$$$"})
                .code,
            exit_code::success);
  const auto item = sent();
  const auto& container = item.pod_spec().containers(0);
  EXPECT_THAT(container.command(), ElementsAre("printf", "a$$$b", "$$(ARGOSY_QUEUE)", "$$$$(HOME)",
                                               "$x", "$", "$$$$$$$"));
  EXPECT_EQ(container.env(0).value(), "$$(X)$$$");
}

TEST_F(run_verb, sends_words_that_a_parser_could_take_for_lists_or_ends_of_lines) {
  const std::vector<std::string> typed{"printf",  "[%s]",      "[a, b]",
                                       "[]",      "]",         "[a]\n",
                                       "a[0]",    "--x=[1]",   "-y[1]",
                                       "",        "--",        "\xe2\x80\xa8 \xe2\x80\xa9",
                                       "\x1b[1m", "\x01]\x01", "\x7f\xc2\x9b\xef\xbb\xbf"};
  std::vector<std::string> words{"run",     "-q",    "a",      "--detach", "--env",
                                 "L=[1,2]", "--env", "C=\x01", "--"};
  words.insert(words.end(), typed.begin(), typed.end());
  const auto done = run(words);
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  const auto container = sent().pod_spec().containers(0);
  EXPECT_THAT(container.command(), ::testing::ElementsAreArray(typed));
  EXPECT_EQ(container.env(0).value(), "[1,2]");
  EXPECT_EQ(container.env(1).value(), "\x01");

  words.insert(words.begin() + 1, "--print");
  words.erase(std::find(words.begin(), words.end(), "--detach"));
  const auto printed = run(words).out;
  ASSERT_EQ(run({"submit", "-"}, printed).code, exit_code::success) << printed;
  EXPECT_THAT(server->nth<api::JobSubmitRequest>("Submit.SubmitJobs", 1)
                  .job_request_items(0)
                  .pod_spec()
                  .containers(0)
                  .command(),
              ::testing::ElementsAreArray(typed));
}

TEST_F(run_verb, prints_what_went_to_stderr_to_stderr) {
  ends(api::JobState::SUCCEEDED);
  output[1] = "hello\nBAD\nbye\n";
  turns = {6, 10};
  const auto done = run({"run", "-q", "a", "--", "x"});
  EXPECT_EQ(done.out, "hello\nbye\n");
  EXPECT_THAT(done.err, HasSubstr("BAD\n"));
}

TEST_F(run_verb, ends_with_the_exit_code_of_the_command) {
  ends(api::JobState::FAILED, 42);
  const auto done = run({"run", "-q", "a", "--", "false"});
  EXPECT_EQ(static_cast<int>(done.code), 42);
  EXPECT_THAT(done.err, HasSubstr("failed: it did so"));
}

TEST_F(run_verb, ends_with_the_code_of_the_state_when_there_is_none) {
  ends(api::JobState::CANCELLED);
  EXPECT_EQ(run({"run", "-q", "a", "--", "true"}).code, exit_code::job_cancelled);
}

TEST_F(run_verb, shows_the_output_of_each_run) {
  output[2] = "again\n";
  on_submit = [](argosy::v1::JobSummary& job) {
    job.set_state(api::JobState::RUNNING);
    job.set_run(1);
  };
  int looks = 0;
  server->before = [&](std::string_view method) {
    if (method != "Query.ListJobs" || jobs.empty() || ++looks != 2) return;
    jobs.front().set_run(2);
    jobs.front().set_state(api::JobState::SUCCEEDED);
  };
  const auto done = run({"run", "-q", "a", "--", "x"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "hello\nagain\n");
  EXPECT_THAT(done.err, HasSubstr("run 2 of the job begins"));
}

TEST_F(run_verb, says_which_run_it_could_not_read) {
  on_submit = [](argosy::v1::JobSummary& job) {
    job.set_state(api::JobState::RUNNING);
    job.set_run(1);
  };
  auto code = ec::unavailable;
  server->on<read_request, read_response>(
      "Logs.Read", [&](const read_request& request) -> result<read_response> {
        jobs.front().set_run(2);
        jobs.front().set_state(api::JobState::SUCCEEDED);
        if (request.run() == 1) return fail(code, "its machine is away");
        read_response out;
        out.set_run(2);
        out.set_end(true);
        return out;
      });
  auto done = run({"run", "-q", "a", "--", "x"});
  EXPECT_EQ(done.code, exit_code::incomplete);
  EXPECT_THAT(done.err, HasSubstr("the output of run 1 could not be read: its machine is away"));
  jobs.clear();
  code = ec::not_found;
  done = run({"run", "-q", "a", "--", "x"});
  EXPECT_EQ(done.code, exit_code::success) << "a run that never began has none: " << done.err;
}

TEST_F(run_verb, says_when_the_output_cannot_be_read) {
  ends(api::JobState::SUCCEEDED);
  server->refuse("Logs.Read", {ec::unavailable, "the agent serves none"});
  auto done = run({"run", "-q", "a", "--", "x"});
  EXPECT_EQ(done.code, exit_code::incomplete);
  EXPECT_THAT(done.err, HasSubstr("could not be read: the agent serves none; try: argosyctl logs"));
  jobs.clear();
  ends(api::JobState::FAILED, 42);
  done = run({"run", "-q", "a", "--", "x"});
  EXPECT_EQ(static_cast<int>(done.code), 42) << "the code of the command says more";
}

TEST_F(run_verb, says_in_its_code_that_bytes_were_not_kept) {
  ends(api::JobState::SUCCEEDED);
  read_response log;
  log.set_run(1);
  log.set_data("[a gap]\nend\n");
  log.set_next_offset(5'000);
  log.set_end(true);
  server->always("Logs.Read", log);
  EXPECT_EQ(run({"run", "-q", "a", "--", "x"}).code, exit_code::incomplete);
  jobs.clear();
  log.set_next_offset(log.data().size());
  log.set_lost("the pod is gone");
  server->always("Logs.Read", log);
  EXPECT_EQ(run({"run", "-q", "a", "--", "x"}).code, exit_code::incomplete);
}

/// The server has another history than before: what it has is read from the beginning.
TEST_F(run_verb, reads_what_another_history_has) {
  ends(api::JobState::SUCCEEDED);
  int reads = 0;
  server->on<read_request, read_response>(
      "Logs.Read", [&](const read_request& request) -> result<read_response> {
        if (++reads == 2) return fail(ec::conflict, "the output is another one");
        read_response out;
        out.set_run(1);
        out.set_data(request.mark().empty() && reads == 1 ? "begun\n" : "whole\n");
        out.set_next_offset(6);
        out.set_mark("m");
        out.set_end(reads > 1);
        return out;
      });
  const auto done = run({"run", "-q", "a", "--", "x"});
  EXPECT_EQ(done.out, "begun\nwhole\n");
  EXPECT_EQ(done.code, exit_code::success) << done.err;
}

TEST_F(run_verb, detached_it_prints_the_id) {
  EXPECT_EQ(run({"run", "-q", "a", "--detach", "-o", "name", "--", "x"}).out,
            "job/" + job_id(1) + "\n");
  EXPECT_EQ(server->calls("Logs.Read"), 0u);
  EXPECT_EQ(run({"run", "-q", "a", "--detach", "--rm", "--", "x"}).code, exit_code::usage);
}

TEST_F(run_verb, who_stops_it_learns_how_to_go_on_or_cancels) {
  server->always("Submit.CancelJobs", api::CancellationResult{});
  on_submit = [this](argosy::v1::JobSummary& job) {
    job.set_run(1);
    interrupted = true;
  };
  auto done = run({"run", "-q", "a", "--", "x"});
  EXPECT_EQ(done.code, exit_code::interrupted);
  EXPECT_THAT(done.err, AllOf(HasSubstr("argosyctl logs -f " + job_id(1)),
                              HasSubstr("argosyctl cancel " + job_id(1))));
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 0u);
  jobs.clear();
  interrupted = false;
  done = run({"run", "-q", "a", "--rm", "--", "x"});
  EXPECT_EQ(done.code, exit_code::interrupted);
  EXPECT_THAT(done.err, HasSubstr("is being cancelled"));
  EXPECT_THAT(server->nth<api::JobCancelRequest>("Submit.CancelJobs").job_ids(),
              ElementsAre(job_id(1)));
}

TEST_F(run_verb, a_time_out_says_why_and_ends_with_124) {
  const auto done = run({"run", "-q", "a", "--timeout", "20ms", "--", "x"});
  EXPECT_EQ(done.code, exit_code::timed_out);
  EXPECT_THAT(done.err, HasSubstr("timed out: "));
}

TEST_F(run_verb, wrong_flags_send_nothing) {
  EXPECT_EQ(run({"run", "--", "x"}).code, exit_code::usage);
  EXPECT_EQ(run({"run", "-q", "a"}).code, exit_code::usage);
  EXPECT_EQ(run({"run", "-q", "a", "--env", "=1", "--", "x"}).code, exit_code::usage);
  const auto done = run({"run", "-q", "a", "--cpu", "many", "--", "x"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, AllOf(HasSubstr("many"), ::testing::Not(HasSubstr("flags:"))));
  EXPECT_EQ(connects, 0);
}

TEST_F(run_verb, sends_what_was_typed_or_nothing) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--", ""}, "COMMAND is empty"},
      {{"--name", "", "--", "x"}, "--name is empty"},
      {{"--", "cat", "/\xff\xfe"}, "'/\\xff\\xfe' is no text in UTF-8"},
      {{"--env", "A=\xff", "--", "x"}, "'A=\\xff' is no text in UTF-8"},
      {{"--priority", "nan", "--", "x"}, "'nan' is no priority"},
      {{"--priority", "inf", "--", "x"}, "'inf' is no priority"},
      {{"--priority=-5", "--", "x"}, "'-5' is no priority"},
      {{"--priority", "", "--", "x"}, "--priority is empty"}};
  for (const auto& [flags, why] : wrong) {
    std::vector<std::string> words{"run", "-q", "a"};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto done = run(words);
    EXPECT_EQ(done.code, exit_code::usage) << why;
    EXPECT_THAT(done.err, HasSubstr(why));
  }
  EXPECT_EQ(connects, 0);
}

TEST_F(run_verb, print_gives_a_file_that_submit_takes) {
  const auto done = run({"run", "-q", "a", "--print", "--", "sh", "-c", "echo 'a: b'"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  const auto again = run({"submit", "--dry-run", "-"}, done.out);
  EXPECT_EQ(again.code, exit_code::success) << again.err << done.out;
}

}  // namespace argosy::ctl
