// SPDX-License-Identifier: Apache-2.0
// Goal: submit checks everything before it sends anything, sends in order, stops at the first
// refusal having printed what was accepted. Method: the whole command line with real files against
// a scripted server.
#include <fmt/format.h>

#include <fstream>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using api::JobSubmitRequest;
using api::JobSubmitResponse;

class submit : public cli_fixture {
 protected:
  submit() {
    accept_all();
    serve_jobs();
  }

  void accept_all() {
    server->on<JobSubmitRequest, JobSubmitResponse>(
        "Submit.SubmitJobs", [this](const JobSubmitRequest& request) -> result<JobSubmitResponse> {
          JobSubmitResponse out;
          for (int i = 0; i < request.job_request_items_size(); ++i)
            out.add_job_response_items()->set_job_id(job_id(next_++));
          return out;
        });
  }

  std::string file(const std::string& text, const std::string& name = "jobs.yaml") {
    const auto path = home / name;
    std::ofstream{path} << text;
    return path.string();
  }

  static std::string jobs_text(int count, const std::string& extra = {}) {
    std::string text = "queue: a\njobSetId: s\njobs:\n";
    for (int i = 0; i < count; ++i)
      text += "  - priority: " + std::to_string(i) + "\n" + extra +
              "    podSpec:\n"
              "      containers:\n"
              "        - {name: main, image: x, command: [echo], resources: {requests: {cpu: 1, "
              "memory: 64Mi}, limits: {cpu: 1, memory: 64Mi}}}\n";
    return text;
  }

  /// The keys of the requests that were sent, in order.
  std::vector<std::string> keys() const {
    std::vector<std::string> out;
    for (const auto& request : server->requests)
      for (const auto& [name, value] : request.headers)
        if (name == "argosy-idempotency-key") out.push_back(value);
    return out;
  }

  int next_ = 0;
};

TEST_F(submit, sends_a_file_and_names_its_jobs) {
  const auto path = file(jobs_text(2));
  const auto got = run({"submit", path, "-o", "name"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, fmt::format("job/{}\njob/{}\n", job_id(0), job_id(1)));
  const auto sent = server->nth<JobSubmitRequest>("Submit.SubmitJobs");
  EXPECT_EQ(sent.queue(), "a");
  EXPECT_EQ(sent.job_set_id(), "s");
  EXPECT_EQ(sent.job_request_items(1).priority(), 1);
  EXPECT_EQ(sent.job_request_items(0).namespace_(), "") << "the server knows which there are";
  EXPECT_EQ(run({"submit", path, "-o", "json"}).out,
            fmt::format("{{\"items\":[{{\"jobId\":\"{}\"}},\n{{\"jobId\":\"{}\"}}]}}\n", job_id(2),
                        job_id(3)));
  EXPECT_EQ(run({"submit", path}).out,
            fmt::format("job/{} submitted\njob/{} submitted\n", job_id(4), job_id(5)));
}

TEST_F(submit, reads_stdin_and_flags_override_the_file) {
  const auto got = run({"submit", "-", "-q", "b", "--jobset", "t", "-o", "name"}, jobs_text(1));
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  const auto sent = server->nth<JobSubmitRequest>("Submit.SubmitJobs");
  EXPECT_EQ(sent.queue(), "b");
  EXPECT_EQ(sent.job_set_id(), "t");
}

TEST_F(submit, remembers_the_last_submission) {
  ASSERT_EQ(run({"submit", file(jobs_text(2))}).code, exit_code::success);
  add_job(job_id(0), api::JobState::SUCCEEDED);
  add_job(job_id(1), api::JobState::SUCCEEDED);
  EXPECT_EQ(run({"wait", "@last", "-o", "name"}).out,
            fmt::format("job/{}\njob/{}\n", job_id(0), job_id(1)));
}

TEST_F(submit, nothing_is_sent_when_any_file_is_wrong) {
  const auto good = file(jobs_text(2));
  const std::vector<std::pair<std::string, std::string>> bad{
      {"queue: a\njobSetId: s\njobs: [\n", "bad.yaml:4:1"},
      {jobs_text(1) + "  - podSpecc: {}\n", "bad.yaml:8:5"},
      {"queue: a\njobSetId: s\njobs: []\n", "bad.yaml"},
      {"jobSetId: s\n" + jobs_text(1).substr(9), "bad.yaml"}};
  for (const auto& [text, place] : bad) {
    const auto got = run({"submit", good, file(text, "bad.yaml")});
    EXPECT_EQ(got.code, exit_code::usage) << text;
    EXPECT_NE(got.err.find(place), std::string::npos) << got.err;
    EXPECT_EQ(got.out, "");
  }
  EXPECT_EQ(run({"submit", good, (home / "absent.yaml").string()}).code, exit_code::usage);
  EXPECT_EQ(run({"submit", home.string()}).code, exit_code::usage);
  EXPECT_EQ(server->calls("Submit.SubmitJobs"), 0);
  EXPECT_EQ(connects, 0);
}

TEST_F(submit, dry_run_needs_no_server) {
  const auto got = run({"submit", file(jobs_text(3)), "--dry-run=client"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(run({"submit", "--dry-run", file(jobs_text(3))}).code, exit_code::success);
  EXPECT_EQ(run({"submit", "--dry-run=sever", file(jobs_text(3))}).code, exit_code::usage);
  EXPECT_EQ(connects, 0);
}

TEST_F(submit, dry_run_in_json_tells_what_each_file_holds) {
  const auto one = file(jobs_text(3), "one.yaml");
  const auto other = file(jobs_text(1), "other.yaml");
  const auto got = run({"submit", "--dry-run", "-q", "b", one, other, "-o", "json"});
  EXPECT_EQ(got.code, exit_code::success);
  const auto item = [](const std::string& path, int count) {
    return fmt::format(R"({{"file":"{}","queue":"b","jobSet":"s","jobs":{}}})", path, count);
  };
  EXPECT_EQ(got.out, "{\"items\":[" + item(one, 3) + ",\n" + item(other, 1) + "]}\n");
  EXPECT_EQ(run({"submit", "--dry-run", one, "-o", "name"}).out, "");
}

TEST_F(submit, a_gang_is_one_request_whatever_its_size) {
  const std::string gang =
      "    annotations: {armadaproject.io/gangId: g, "
      "armadaproject.io/gangCardinality: 1001}\n";
  const auto got = run({"submit", file(jobs_text(1'001, gang)), "-o", "name"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(server->calls("Submit.SubmitJobs"), 1);
}

TEST_F(submit, many_jobs_go_in_requests_of_a_thousand_in_order) {
  const auto got = run({"submit", file(jobs_text(2'500)), "-o", "name"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  ASSERT_EQ(server->calls("Submit.SubmitJobs"), 3);
  EXPECT_EQ(server->nth<JobSubmitRequest>("Submit.SubmitJobs", 2).job_request_items_size(), 500);
  EXPECT_EQ(server->nth<JobSubmitRequest>("Submit.SubmitJobs", 1).job_request_items(0).priority(),
            1'000);
  EXPECT_TRUE(got.out.starts_with("job/" + job_id(0) + "\n"));
  EXPECT_TRUE(got.out.ends_with("job/" + job_id(2'499) + "\n"));
}

TEST_F(submit, requests_stay_below_the_servers_limit) {
  server->size_max = 4'000;
  ASSERT_EQ(run({"submit", file(jobs_text(200))}).code, exit_code::success);
  EXPECT_GT(server->calls("Submit.SubmitJobs"), 2);
  for (const auto& request : server->requests) EXPECT_LE(request.data.size(), 4'000);
}

TEST_F(submit, a_later_refusal_stops_and_keeps_what_was_accepted) {
  int calls = 0;
  server->on<JobSubmitRequest, JobSubmitResponse>(
      "Submit.SubmitJobs", [&](const JobSubmitRequest& request) -> result<JobSubmitResponse> {
        if (++calls == 2)
          return fail(ec::invalid_argument, "job_request_items[1].pod_spec: refused");
        JobSubmitResponse out;
        for (int i = 0; i < request.job_request_items_size(); ++i)
          out.add_job_response_items()->set_job_id(job_id(next_++));
        return out;
      });
  const auto path = file(jobs_text(1'500));
  const auto got = run({"submit", path, "-o", "name"});
  EXPECT_EQ(got.code, exit_code::partial);
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 1'000);
  EXPECT_NE(got.err.find(fmt::format("{}:{}:7: jobs[1001].podSpec: refused", path, 6 + 4 * 1'001)),
            std::string::npos)
      << got.err;
  EXPECT_NE(got.err.find("1000 of 1500 jobs were accepted; no job is submitted twice if you submit "
                         "the same again with "
                         "--idempotency-key " +
                         keys().at(0).substr(0, 26)),
            std::string::npos)
      << got.err;
}

TEST_F(submit, an_unknown_queue_is_not_found_and_suggested) {
  server->refuse("Submit.SubmitJobs", {ec::denied, "could not find queue \"a\""});
  argosy::v1::ListQueuesResponse queues;
  queues.add_queues()->mutable_queue()->set_name("ab");
  server->always("Query.ListQueues", queues);
  const auto got = run({"submit", file(jobs_text(1'500))});
  EXPECT_EQ(got.code, exit_code::not_found);
  EXPECT_NE(got.err.find("did you mean 'ab'?"), std::string::npos) << got.err;
  EXPECT_EQ(server->calls("Submit.SubmitJobs"), 1);
}

TEST_F(submit, waits_and_returns_how_the_jobs_ended) {
  add_job(job_id(0), api::JobState::QUEUED);
  add_event(job_id(0), api::JobState::QUEUED);
  add_event(job_id(0), api::JobState::RUNNING, true);
  add_event(job_id(0), api::JobState::FAILED, true, "exit code 3");
  const auto got = run({"submit", file(jobs_text(1)), "--wait"});
  EXPECT_EQ(got.code, exit_code::job_failed);
  EXPECT_EQ(got.out, fmt::format("job/{0} submitted\njob/{0} failed (exit code 3)\n", job_id(0)));
  next_ = 0;
  EXPECT_EQ(run({"submit", "--wait=running", file(jobs_text(1))}).code, exit_code::success);
  EXPECT_EQ(run({"submit", "--wait=sometimes", file(jobs_text(1))}).code, exit_code::usage);
}

TEST_F(submit, follows_the_events_of_its_jobs) {
  add_job(job_id(0), api::JobState::QUEUED);
  add_event(job_id(0), api::JobState::QUEUED);
  add_event(job_id(0), api::JobState::SUCCEEDED, true);
  const auto got = run({"submit", file(jobs_text(1)), "--follow", "-o", "name"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_NE(got.out.find("succeeded"), std::string::npos);
}

TEST_F(submit, an_interruption_tells_how_far_it_came) {
  server->size_max = 4'000;
  const auto path = file(jobs_text(2'000));
  server->before = [this](std::string_view) {
    if (server->calls("Submit.SubmitJobs") == 3) interrupted = true;
  };
  const auto got = run({"submit", path, "-o", "name"});
  EXPECT_EQ(got.code, exit_code::interrupted);
  const auto printed = std::count(got.out.begin(), got.out.end(), '\n');
  EXPECT_EQ(printed, next_) << "what was accepted is printed";
  EXPECT_LT(printed, 2'000);
  EXPECT_EQ(got.err, fmt::format("error: interrupted: {} of 2000 jobs were accepted\n", printed));
}

TEST_F(submit, an_interruption_hides_no_refusal) {
  server->on<JobSubmitRequest, JobSubmitResponse>(
      "Submit.SubmitJobs", [&](const JobSubmitRequest& request) -> result<JobSubmitResponse> {
        interrupted = server->calls("Submit.SubmitJobs") >= 3;
        if (server->calls("Submit.SubmitJobs") == 3)
          return fail(ec::invalid_argument, "job_request_items[1].pod_spec: refused");
        JobSubmitResponse out;
        for (int i = 0; i < request.job_request_items_size(); ++i)
          out.add_job_response_items()->set_job_id(job_id(next_++));
        return out;
      });
  // The refused request is the last one.
  const auto got = run({"submit", file(jobs_text(2'500)), "-o", "name"});
  EXPECT_EQ(got.code, exit_code::partial);
  EXPECT_NE(got.err.find("refused"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("2000 of 2500"), std::string::npos) << got.err;
  EXPECT_EQ(got.err.find("unknown"), std::string::npos) << got.err;
  // There are more requests behind the refused one, which are not answered.
  interrupted = false;
  server->requests.clear();
  server->answers_left = 3;
  const auto more = run({"submit", file(jobs_text(4'500)), "-o", "name"});
  EXPECT_EQ(more.code, exit_code::partial);
  EXPECT_NE(more.err.find("refused"), std::string::npos) << more.err;
  EXPECT_NE(more.err.find("whether 1500 more were is unknown; no job is submitted twice if "),
            std::string::npos)
      << more.err;
}

TEST_F(submit, a_server_that_gives_up_is_no_interruption) {
  server->refuse("Submit.SubmitJobs", {ec::cancelled, "closing"});
  const auto got = run({"submit", file(jobs_text(1))});
  EXPECT_EQ(got.code, exit_code::server_error);
  EXPECT_EQ(got.err, "error: closing\n");
}

TEST_F(submit, an_interruption_tells_what_is_not_known) {
  server->size_max = 4'000;
  server->answers_left = 2;
  const auto path = file(jobs_text(2'000));
  server->before = [this](std::string_view) {
    if (server->calls("Submit.SubmitJobs") == 2) interrupted = true;
  };
  const auto got = run({"submit", path, "-o", "name"});
  EXPECT_EQ(got.code, exit_code::interrupted);
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), next_);
  EXPECT_NE(
      got.err.find(fmt::format("interrupted: {} of 2000 jobs were accepted; whether ", next_)),
      std::string::npos)
      << got.err;
  EXPECT_NE(got.err.find("--idempotency-key " + keys().at(0).substr(0, 26)), std::string::npos)
      << got.err;
}

}  // namespace argosy::ctl
