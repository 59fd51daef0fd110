// SPDX-License-Identifier: Apache-2.0
// Goal: a dry run says what a submission would do and submits nothing, mistakes and refusals point
// into the file, and what a server notes is told. Method: the whole command line with real files
// against a scripted server.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using api::JobSubmitRequest;
using api::JobSubmitResponse;
using ::testing::HasSubstr;

class submit_check : public cli_fixture {
 protected:
  submit_check() {
    answer(0);
    serve_jobs();
  }

  /// The server takes everything, and says that it would accept this many jobs of a request.
  void answer(int jobs) {
    server->on<JobSubmitRequest, JobSubmitResponse>(
        "Submit.SubmitJobs", [this, jobs](const JobSubmitRequest& request) {
          JobSubmitResponse out;
          server->reply_headers["Submit.SubmitJobs"] = {
              {"argosy-jobs", std::to_string(request.job_request_items_size() == 0 ? 0 : jobs)}};
          return result<JobSubmitResponse>{out};
        });
  }

  std::string file(const std::string& text, const std::string& name = "jobs.yaml") {
    const auto path = home / name;
    std::ofstream{path} << text;
    return path.string();
  }

  static std::string jobs_text(int count) {
    return "queue: a\njobSetId: s\njobs:\n  - count: " + std::to_string(count) +
           "\n    podSpec:\n      containers:\n        - name: main\n          image: x\n"
           "          resources: {requests: {cpu: 1, gpu: 1}, limits: {cpu: 1, gpu: 1}}\n";
  }
};

TEST_F(submit_check, asks_the_server_and_submits_nothing) {
  answer(3);
  const auto path = file(jobs_text(3));
  const auto got = run({"submit", path, "--dry-run=server"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(got.err, path +
                         ": 3 jobs for queue 'a', job set 's' would be accepted; nothing was "
                         "submitted\n");
  ASSERT_EQ(server->calls("Submit.SubmitJobs"), 2U);
  for (const auto& request : server->requests)
    EXPECT_EQ(request.header_text(), "argosy-namespace: usual\nargosy-mode: check\n");
  EXPECT_EQ(server->nth<JobSubmitRequest>("Submit.SubmitJobs", 1).job_request_items_size(), 3);
  EXPECT_NE(run({"wait", "@last"}).code, exit_code::success) << "nothing is remembered";
}

TEST_F(submit_check, says_which_jobs_are_there_already) {
  answer(1);
  const auto path = file(jobs_text(3));
  EXPECT_THAT(run({"submit", path, "--dry-run=server"}).err,
              HasSubstr("but 2 of them under a client id or key that was used before"));
  EXPECT_EQ(run({"submit", path, "--dry-run=server", "-o", "json"}).out,
            "{\"items\":[{\"file\":\"" + path +
                "\",\"queue\":\"a\",\"jobSet\":\"s\",\"jobs\":3,\"accepted\":1}]}\n");
}

TEST_F(submit_check, sends_no_job_to_a_server_that_would_accept_it) {
  server->always("Submit.SubmitJobs", JobSubmitResponse{});
  const auto got = run({"submit", file(jobs_text(3)), "--dry-run=server"});
  EXPECT_EQ(got.code, exit_code::server_error);
  EXPECT_THAT(got.err, HasSubstr("cannot check a submission without accepting it"));
  ASSERT_EQ(server->calls("Submit.SubmitJobs"), 1U);
  EXPECT_EQ(server->nth<JobSubmitRequest>("Submit.SubmitJobs").job_request_items_size(), 0);
}

TEST_F(submit_check, refusals_of_the_server_point_into_the_file) {
  server->on<JobSubmitRequest, JobSubmitResponse>(
      "Submit.SubmitJobs", [this](const JobSubmitRequest& request) -> result<JobSubmitResponse> {
        server->reply_headers["Submit.SubmitJobs"] = {{"argosy-jobs", "0"}};
        if (request.job_request_items_size() == 0) return JobSubmitResponse{};
        return fail(ec::invalid_argument,
                    "job_request_items[1].pod_spec.containers[0].resources.requests[\"gpu\"]: "
                    "unknown resource 'gpu'");
      });
  const auto path = file(jobs_text(3));
  const auto line = "error: " + path +
                    ":9:42: jobs[0].podSpec.containers[0].resources.requests[\"gpu\"]: unknown "
                    "resource 'gpu'\n";
  const auto checked = run({"submit", path, "--dry-run=server"});
  EXPECT_EQ(checked.code, exit_code::usage);
  EXPECT_EQ(checked.err, line);
  const auto submitted = run({"submit", path});
  EXPECT_EQ(submitted.code, exit_code::usage);
  EXPECT_EQ(submitted.err, line);
}

TEST_F(submit_check, refusals_of_the_queue_point_into_the_file) {
  server->refuse("Submit.SubmitJobs",
                 {ec::conflict, "queue 'a', job 2: client id 'x' was used with another body"});
  const auto path = file(jobs_text(3));
  const auto got = run({"submit", path});
  EXPECT_EQ(got.code, exit_code::conflict);
  EXPECT_EQ(got.err,
            "error: " + path + ":4:5: jobs[0]: client id 'x' was used with another body\n");
}

TEST_F(submit_check, all_mistakes_of_all_files_are_told) {
  const auto one = file("queue: a\njobSetId: s\njobs:\n  - priorty: 1\n  - text\n", "one.yaml");
  const auto two = file("queue: a\njobs: []\n", "two.yaml");
  const auto got = run({"submit", one, two});
  EXPECT_EQ(got.code, exit_code::usage);
  for (const auto& part : {"error: " + one + ":4:5: unknown field 'priorty'",
                           "error: " + one + ":4:5: the job has no podSpec",
                           "error: " + one + ":5:5: a job is a mapping",
                           "error: " + two + ":1:1: no job set", "error: " + two + ":1:1: no jobs"})
    EXPECT_THAT(got.err, HasSubstr(part));
  EXPECT_EQ(connects, 0);
}

TEST_F(submit_check, warns_about_values_that_can_hardly_be_meant) {
  auto text = jobs_text(1);
  text.insert(text.find("    podSpec"), "    priority: -1\n");
  const auto path = file(text);
  EXPECT_THAT(run({"submit", path, "--dry-run"}).err,
              HasSubstr("warning: " + path + ":5:15: priority -1 counts as 0"));
}

TEST_F(submit_check, tells_each_note_of_the_server_once) {
  server->on<JobSubmitRequest, JobSubmitResponse>(
      "Submit.SubmitJobs", [this](const JobSubmitRequest& request) {
        JobSubmitResponse out;
        for (int i = 0; i < request.job_request_items_size(); ++i)
          out.add_job_response_items()->set_job_id(job_id(i));
        server->reply_headers["Submit.SubmitJobs"] = {{"argosy-note", "no node has 'zone'"}};
        return result<JobSubmitResponse>{out};
      });
  const auto got = run({"submit", file(jobs_text(1'500)), "-o", "name"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.err, "note: no node has 'zone'\n");
}

}  // namespace argosy::ctl
