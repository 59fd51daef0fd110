// SPDX-License-Identifier: Apache-2.0
// Goal: what had no answer is sent again under its key, and whoever gets none to the end is told
// the key. Method: the whole command line against a scripted server that loses answers.
#include <fmt/format.h>

#include <fstream>
#include <set>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using api::JobSubmitRequest;
using api::JobSubmitResponse;

struct submission_key : cli_fixture {
  submission_key() { serve_jobs(); }

  /// Writes a file of jobs, one a line from line 4 on.
  std::string file(int count) {
    const auto path = home / "jobs.yaml";
    std::ofstream out{path};
    out << "queue: a\njobSetId: s\njobs:\n";
    for (int i = 0; i < count; ++i)
      out << "  - podSpec: {containers: [{name: main, image: x, command: [echo], resources: "
             "{requests: {cpu: 1, memory: 64Mi}, limits: {cpu: 1, memory: 64Mi}}}]}\n";
    return path.string();
  }

  /// Returns the keys of the requests that were sent, in order.
  std::vector<std::string> keys() const {
    std::vector<std::string> out;
    for (const auto& request : server->requests)
      for (const auto& [name, value] : request.headers)
        if (name == "argosy-idempotency-key") out.push_back(value);
    return out;
  }

  int next_ = 0;
};

TEST_F(submission_key, is_that_of_every_repetition) {
  int calls = 0;
  server->on<JobSubmitRequest, JobSubmitResponse>(
      "Submit.SubmitJobs", [&](const JobSubmitRequest& request) -> result<JobSubmitResponse> {
        if (++calls == 2) return fail(ec::timeout, "no answer");
        JobSubmitResponse out;
        for (int i = 0; i < request.job_request_items_size(); ++i)
          out.add_job_response_items()->set_job_id(job_id(next_++));
        return out;
      });
  const auto path = file(2'500);
  EXPECT_EQ(run({"submit", path}).code, exit_code::success);
  const auto sent = keys();
  ASSERT_EQ(sent.size(), 4u);
  const auto own = sent[0].substr(0, sent[0].size() - 2);
  EXPECT_EQ(own.size(), 26u);
  std::multiset<std::string> all{sent.begin(), sent.end()};
  EXPECT_EQ(all, (std::multiset<std::string>{own + "-0", own + "-1", own + "-1", own + "-2"}));
  server->requests.clear();
  EXPECT_EQ(run({"submit", path}).code, exit_code::success);
  EXPECT_NE(keys().at(0), sent[0]) << "another submission has another key";
  server->requests.clear();
  EXPECT_EQ(run({"submit", path, "--idempotency-key", "k"}).code, exit_code::success);
  EXPECT_EQ(keys(), (std::vector<std::string>{"k-0", "k-1", "k-2"}));
  EXPECT_EQ(run({"submit", path, "--idempotency-key", std::string(101, 'k')}).code,
            exit_code::usage);
  EXPECT_EQ(run({"submit", path, "--idempotency-key", "a\nb"}).code, exit_code::usage);
}

TEST_F(submission_key, is_told_when_there_never_was_an_answer) {
  const auto path = file(2);
  // The second time, nobody serves when it is asked again.
  for (const auto later : {ec::timeout, ec::no_responders}) {
    int calls = 0;
    server->requests.clear();
    server->on<JobSubmitRequest, JobSubmitResponse>(
        "Submit.SubmitJobs", [&](const JobSubmitRequest&) -> result<JobSubmitResponse> {
          return fail(++calls == 1 ? ec::timeout : later, "no answer");
        });
    const auto got = run({"submit", path});
    EXPECT_EQ(got.code, exit_code::unreachable);
    EXPECT_EQ(got.err,
              fmt::format("error: no answer; whether the 2 jobs from line 4 of {} on were accepted "
                          "is unknown; no job is submitted twice if you submit the same again "
                          "with --idempotency-key {}\n",
                          path, keys().at(0).substr(0, 26)));
  }
  server->refuse("Submit.SubmitJobs", {ec::no_responders, "nobody is there"});
  EXPECT_EQ(run({"submit", path}).err, "error: nobody is there\n");
}

TEST_F(submission_key, is_that_of_a_command_too) {
  server->refuse("Submit.SubmitJobs", {ec::timeout, "no answer"});
  const auto got = run({"run", "-q", "a", "--detach", "--", "true"});
  EXPECT_EQ(got.code, exit_code::unreachable);
  ASSERT_EQ(keys().size(), 2u);
  EXPECT_EQ(keys()[0], keys()[1]);
  EXPECT_NE(got.err.find("run it again with --idempotency-key " + keys()[0].substr(0, 26) + "\n"),
            std::string::npos)
      << got.err;
  server->requests.clear();
  (void)run({"run", "-q", "a", "--detach", "--idempotency-key", "k", "--", "true"});
  EXPECT_EQ(keys().at(0), "k-0");
}

}  // namespace argosy::ctl
