// SPDX-License-Identifier: Apache-2.0
// Goal: cancel, preempt and reprioritize send exactly what was asked for, and refuse what would
// surprise. Method: the whole command line against a scripted server; the requests it received.
#include <fmt/format.h>

#include "google/protobuf/empty.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using google::protobuf::Empty;

class cancel : public cli_fixture {
 protected:
  cancel() {
    server->always("Submit.CancelJobs", api::CancellationResult{});
    server->always("Submit.CancelJobSet", Empty{});
    serve_jobs();
  }
};

TEST_F(cancel, groups_ids_by_job_set_and_skips_the_ended) {
  add_job(job_id(1), api::JobState::QUEUED, "a", "s");
  add_job(job_id(2), api::JobState::RUNNING, "a", "t");
  add_job(job_id(3), api::JobState::SUCCEEDED, "a", "t");
  const auto got = run({"cancel", job_id(1), job_id(2), job_id(3), "--reason", "why not"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.out, "asked to cancel 2 jobs\n");
  EXPECT_EQ(got.err, "1 job had ended already\n");
  ASSERT_EQ(server->calls("Submit.CancelJobs"), 2);
  const auto first = server->nth<api::JobCancelRequest>("Submit.CancelJobs");
  EXPECT_EQ(first.job_set_id(), "s");
  EXPECT_EQ(first.job_ids(0), job_id(1));
  EXPECT_EQ(first.reason(), "why not");
}

TEST_F(cancel, a_job_set) {
  add_job(job_id(1), api::JobState::QUEUED);
  EXPECT_EQ(run({"cancel", "-q", "a", "--jobset", "s", "-o", "name"}).out,
            "job/" + job_id(1) + "\n");
  EXPECT_EQ(server->nth<api::JobSetCancelRequest>("Submit.CancelJobSet").job_set_id(), "s");
  EXPECT_EQ(run({"cancel", "job-set", "a", "s"}).code, exit_code::success);
  EXPECT_EQ(server->calls("Submit.CancelJobSet"), 2);
  EXPECT_EQ(run({"cancel", "job", "a", "s", job_id(1)}).out, "asked to cancel 1 job\n");
}

TEST_F(cancel, of_a_job_set_that_has_ended_succeeds_and_of_one_without_jobs_does_not) {
  const auto none = run({"cancel", "-q", "a", "--jobset", "nope"});
  EXPECT_EQ(none.code, exit_code::not_found) << "its name may be misspelt";
  EXPECT_NE(none.err.find("there is no job of queue 'a' in job set 'nope'"), std::string::npos)
      << none.err;
  EXPECT_EQ(none.out, "") << "there is nothing to say twice";
  EXPECT_EQ(run({"cancel", "-q", "a", "--jobset", "nope", "--dry-run"}).code, exit_code::not_found);
  add_job(job_id(1), api::JobState::SUCCEEDED);
  const auto over = run({"cancel", "-q", "a", "--jobset", "s"});
  EXPECT_EQ(over.code, exit_code::success);
  EXPECT_EQ(over.out, "");
  EXPECT_NE(over.err.find("all jobs of queue 'a' in job set 's' had ended already"),
            std::string::npos)
      << over.err;
  EXPECT_EQ(run({"cancel", "-q", "none", "--jobset", "s"}).code, exit_code::not_found);
}

TEST_F(cancel, jobs_as_armadactl_names_them) {
  add_job(job_id(1), api::JobState::QUEUED);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"cancel", "job", job_id(1)},
           {"cancel", "job", "--queue", "a", "--jobSet", "s", job_id(1)},
           {"cancel", "job", "--queue=a", "--jobSet=s", "--jobId=" + job_id(1)},
           {"cancel", "--job-id", job_id(1)}})
    EXPECT_EQ(run(words).out, "asked to cancel 1 job\n") << words.back();
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 4);
  EXPECT_EQ(run({"cancel", "job-set", "--queue", "a", "--jobSet", "s"}).code, exit_code::success);
  EXPECT_EQ(server->calls("Submit.CancelJobSet"), 1);
  EXPECT_EQ(run({"cancel", "job", "b", "s", job_id(1)}).code, exit_code::not_found);
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 4);
}

TEST_F(cancel, a_forgotten_id_never_means_the_whole_set) {
  add_job(job_id(1), api::JobState::QUEUED);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"cancel", "job", "a", "s"},
           {"cancel", "job", "-q", "a", "--jobset", "s"},
           {"cancel", "job", "--queue=a", "--jobSet=s", "--jobId="},
           {"cancel", "job", "--queue=a", "--jobSet=s", "--jobId", ""},
           {"cancel", "--queue=a", "--jobSet=s", "--jobId="},
           {"cancel", "--queue=a", "--jobSet=s", "--jobId"},
           {"cancel", "--queue=a", "--jobSet=s", "--jobId", "--reason", "x"},
           {"cancel", "-q", "a", "--jobset", "s", ""}}) {
    const auto got = run(words);
    EXPECT_EQ(got.code, exit_code::usage) << fmt::format("{}", fmt::join(words, " "));
    EXPECT_EQ(got.out, "");
  }
  EXPECT_NE(run({"cancel", "job", "a", "s"}).err.find("write job-set instead of job"),
            std::string::npos);
  EXPECT_EQ(server->calls("Submit.CancelJobSet"), 0);
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 0);
}

TEST_F(cancel, refuses_long_reasons_and_mixtures) {
  EXPECT_EQ(run({"cancel", job_id(1), "--reason", std::string(51, 'x')}).code, exit_code::usage);
  EXPECT_EQ(run({"cancel", job_id(1), "-q", "a"}).code, exit_code::usage);
  EXPECT_EQ(run({"cancel", job_id(1)}).code, exit_code::not_found);
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 0);
}

TEST_F(cancel, that_waits_says_in_which_state_the_job_still_is) {
  add_job(job_id(1), api::JobState::RUNNING);
  serve_jobs();
  server->always("Submit.CancelJobs", api::CancellationResult{});
  server->always("Query.GetVersion", argosy::v1::GetVersionResponse{});
  const auto got = run({"cancel", job_id(1), "--wait", "--timeout", "600ms"});
  EXPECT_EQ(got.code, exit_code::timed_out);
  EXPECT_NE(got.err.find("timed out: the job is still running"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("argosyctl wait " + job_id(1)), std::string::npos) << got.err;
}

TEST_F(cancel, waits_for_the_end) {
  add_job(job_id(1), api::JobState::RUNNING);
  add_event(job_id(1), api::JobState::RUNNING);
  add_event(job_id(1), api::JobState::CANCELLED, true);
  EXPECT_EQ(run({"cancel", job_id(1), "--wait"}).code, exit_code::success);
  EXPECT_TRUE(server->later.empty());
}

TEST_F(cancel, a_later_failure_is_a_partial_success) {
  add_job(job_id(1), api::JobState::QUEUED, "a", "s");
  add_job(job_id(2), api::JobState::QUEUED, "a", "t");
  int calls = 0;
  server->on<api::JobCancelRequest, api::CancellationResult>(
      "Submit.CancelJobs", [&](const auto&) -> result<api::CancellationResult> {
        if (++calls == 2) return fail(ec::overloaded, "too much");
        return api::CancellationResult{};
      });
  EXPECT_EQ(run({"cancel", job_id(1), job_id(2)}).code, exit_code::partial);
}

class preempt : public cli_fixture {
 protected:
  preempt() {
    serve_jobs();
    add_job(job_id(1), api::JobState::RUNNING, "a", "s");
    add_job(job_id(2), api::JobState::QUEUED, "a", "s");
  }
  /// The server preempts the job of this number, and leaves the other alone.
  void serve(int preempted) {
    api::PreemptionResult answer;
    for (const int number : {1, 2})
      (*answer.mutable_preemption_results())[job_id(number)] =
          number == preempted ? "" : "it was not preempted";
    server->always("Submit.PreemptJobs", answer);
  }
};

TEST_F(preempt, tells_which_jobs_were_left_alone) {
  serve(1);
  const auto got = run({"preempt", job_id(1), job_id(2), "--reason", "make room"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "preempted 1 job\n");
  EXPECT_NE(got.err.find("1 job was left alone"), std::string::npos) << got.err;
  const auto sent = server->nth<api::JobPreemptRequest>("Submit.PreemptJobs");
  EXPECT_EQ(sent.queue(), "a");
  EXPECT_EQ(sent.job_set_id(), "s");
  EXPECT_EQ(sent.job_ids_size(), 2);
  EXPECT_EQ(sent.reason(), "make room");
}

TEST_F(preempt, a_job_set_names_its_jobs) {
  serve(1);
  EXPECT_EQ(run({"preempt", "-q", "a", "--jobset", "s", "-o", "name"}).out,
            "job/" + job_id(1) + "\n");
  EXPECT_EQ(server->nth<api::JobPreemptRequest>("Submit.PreemptJobs").job_ids_size(), 2);
}

TEST_F(preempt, of_a_job_set_without_jobs_says_that_there_is_none) {
  serve(1);
  const auto none = run({"preempt", "-q", "a", "--jobset", "nope"});
  EXPECT_EQ(none.code, exit_code::not_found);
  EXPECT_NE(none.err.find("there is no job of queue 'a' in job set 'nope': nothing was preempted"),
            std::string::npos)
      << none.err;
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(run({"preempt", "-q", "a", "--jobset", "nope", "--dry-run"}).code,
            exit_code::not_found);
}

TEST_F(preempt, fails_when_nothing_could_be_preempted) {
  serve(0);
  const auto got = run({"preempt", job_id(2)});
  EXPECT_EQ(got.code, exit_code::conflict);
  EXPECT_NE(got.err.find("argosyctl cancel"), std::string::npos) << got.err;
  EXPECT_EQ(got.out, "");
}

TEST_F(preempt, refuses_what_names_no_job_and_long_reasons) {
  EXPECT_EQ(run({"preempt"}).code, exit_code::usage);
  EXPECT_EQ(run({"preempt", job_id(1), "--reason", std::string(51, 'x')}).code, exit_code::usage);
  EXPECT_EQ(server->calls("Submit.PreemptJobs"), 0);
}

class reprioritize : public cli_fixture {
 protected:
  reprioritize() {
    server->always("Submit.ReprioritizeJobs", api::JobReprioritizeResponse{});
    serve_jobs();
    add_job(job_id(1), api::JobState::QUEUED, "a", "s");
    add_job(job_id(2), api::JobState::QUEUED, "a", "t");
  }
  [[nodiscard]] api::JobReprioritizeRequest sent(std::size_t index) const {
    return server->nth<api::JobReprioritizeRequest>("Submit.ReprioritizeJobs", index);
  }
};

TEST_F(reprioritize, jobs_by_their_sets) {
  const auto got = run({"reprioritize", "5.5", job_id(1), job_id(2)});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "changed the priority of 2 jobs\n");
  EXPECT_EQ(sent(0).job_set_id(), "s");
  EXPECT_EQ(sent(0).new_priority(), 5.5);
  EXPECT_EQ(sent(1).job_ids(0), job_id(2));
}

TEST_F(reprioritize, a_job_set) {
  EXPECT_EQ(run({"reprioritize", "0", "-q", "a", "--jobset", "s", "-o", "name"}).out,
            "job/" + job_id(1) + "\n");
  EXPECT_EQ(sent(0).queue(), "a");
  EXPECT_EQ(sent(0).job_ids_size(), 0);
}

TEST_F(reprioritize, of_a_job_set_without_jobs_says_that_there_is_none) {
  const auto none = run({"reprioritize", "0", "-q", "a", "--jobset", "nope"});
  EXPECT_EQ(none.code, exit_code::not_found);
  EXPECT_NE(none.err.find("there is no job of queue 'a' in job set 'nope': nothing was changed"),
            std::string::npos)
      << none.err;
  EXPECT_EQ(none.out, "");
}

TEST_F(reprioritize, is_understood_in_armadactls_spelling) {
  EXPECT_EQ(run({"reprioritize", "job", "a", "s", job_id(1), "7"}).code, exit_code::success);
  EXPECT_EQ(sent(0).new_priority(), 7);
  EXPECT_EQ(sent(0).job_ids(0), job_id(1));
  EXPECT_EQ(run({"reprioritize", "job-set", "a", "t", "8"}).code, exit_code::success);
  EXPECT_EQ(sent(1).new_priority(), 8);
  EXPECT_EQ(sent(1).job_set_id(), "t");
}

TEST_F(reprioritize, a_forgotten_id_never_means_the_whole_set) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"reprioritize", "job", "a", "s", "5"},
           {"reprioritize", "job", "-q", "a", "--jobset", "s", "5"},
           {"reprioritize", "job", "--queue=a", "--jobSet=s", "--jobId=", "5"},
           {"reprioritize", "5", "--queue=a", "--jobSet=s", "--jobId="}})
    EXPECT_EQ(run(words).code, exit_code::usage) << fmt::format("{}", fmt::join(words, " "));
  EXPECT_EQ(server->calls("Submit.ReprioritizeJobs"), 0);
}

TEST_F(reprioritize, refuses_what_is_no_priority) {
  for (const auto* text : {"high", "1e3", "nan", "inf", "4294967296", "5x"})
    EXPECT_EQ(run({"reprioritize", text, job_id(1)}).code, exit_code::usage) << text;
  EXPECT_EQ(run({"reprioritize"}).code, exit_code::usage);
  EXPECT_EQ(run({"reprioritize", "5"}).code, exit_code::usage);
  EXPECT_EQ(server->calls("Submit.ReprioritizeJobs"), 0);
}

}  // namespace argosy::ctl
